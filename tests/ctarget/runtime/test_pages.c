/* Tests of the process's memory: blocks keep what is in them, wherever they move; what is given back leaves. */
#include <pthread.h>

#include "checks.h"
#include "memory/pages.h"

enum { MIB = 1024 * 1024 };

typedef struct Piece {
    unsigned char *memory;
    size_t bytes;
    unsigned char fill;
} Piece;

/* About all the sizes at which something else is done. */
static size_t size_about(uint32_t random) {
    static const size_t edges[] = {4096, MAPPED, MIB, LARGE_PAGE, 3 * LARGE_PAGE};
    const size_t edge = edges[random % 5];
    switch (random / 5 % 4) {
    case 0: return 1 + random % 5000;
    case 1: return edge - random % 3;
    case 2: return edge + random % 3;
    default: return edge + random % 100000;
    }
}

static void fill(Piece *piece, unsigned char with) {
    piece->fill = with;
    memset(piece->memory, with, piece->bytes);
}

/* Some of its bytes, the first and the last among them. */
static void check_piece(const Piece *piece, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 1021) CHECK(piece->memory[i] == piece->fill);
    CHECK(piece->memory[bytes - 1] == piece->fill);
    CHECK((uintptr_t)piece->memory % 16 == 0);
#ifdef __linux__
    if (piece->bytes > LARGE_PAGE) CHECK((uintptr_t)piece->memory % LARGE_PAGE == 0);
#endif
}

static void resize(Piece *piece, size_t bytes) {
    const size_t same = piece->bytes < bytes ? piece->bytes : bytes;
    piece->memory = pages_resize(piece->memory, piece->bytes, bytes);
    CHECK(piece->memory);
    piece->bytes = bytes;
    check_piece(piece, same);
}

static void blocks_keep_what_is_in_them(uint32_t seed, int rounds) {
    enum { PIECES = 12 };
    Piece pieces[PIECES] = {{0}};
    uint64_t state = seed;
    for (int round = 0; round < rounds; round++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t random = (uint32_t)(state >> 33);
        Piece *piece = &pieces[random % PIECES];
        const size_t bytes = size_about(random / PIECES);
        if (piece->memory && random / 7 % 2) {
            check_piece(piece, piece->bytes);
            pages_give(piece->memory, piece->bytes);
            *piece = (Piece){0};
            continue;
        }
        if (piece->memory) {
            resize(piece, bytes);
        } else {
            piece->memory = pages_take(bytes);
            piece->bytes = bytes;
            CHECK(piece->memory);
        }
        fill(piece, (unsigned char)round);
    }
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].memory) pages_give(pieces[i].memory, pieces[i].bytes);
}

static void *in_a_thread(void *seed) {
    blocks_keep_what_is_in_them((uint32_t)(uintptr_t)seed, 1000);
    return NULL;
}

static void threads_have_blocks_of_their_own(void) {
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, in_a_thread, (void *)(i + 7)) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void what_cannot_be_had_changes_nothing(void) {
    const size_t sizes[] = {100, MAPPED, MIB, LARGE_PAGE, LARGE_PAGE + 1};
    const size_t too_many[] = {SIZE_MAX / 4, SIZE_MAX - 4096};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            Piece piece = {.memory = pages_take(sizes[i]), .bytes = sizes[i]};
            fill(&piece, 0x5a);
            CHECK(!pages_take(too_many[k]));
            CHECK(!pages_resize(piece.memory, piece.bytes, too_many[k]));
            check_piece(&piece, piece.bytes);
            pages_give(piece.memory, piece.bytes);
        }
}

#ifdef __linux__
static size_t resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long all, pages;
    CHECK(file && fscanf(file, "%lu %lu", &all, &pages) == 2);
    fclose(file);
    return pages * 4096;
}

/* Blocks of growing sizes between others that stay: no more of them stays than the blocks that are kept to be used again,
 * and what sanitizers know of memory, an eighth of it. */
static void what_is_given_back_leaves_the_process(void) {
    const size_t before = resident(), kept_before = pages_kept();
    size_t given = 0;
    Piece kept[40];
    for (int i = 0; i < 40; i++) {
        Piece large = {.memory = pages_take(MAPPED + (size_t)i * 100000), .bytes = MAPPED + (size_t)i * 100000};
        fill(&large, 1);
        kept[i] = (Piece){.memory = pages_take(MAPPED), .bytes = MAPPED};
        fill(&kept[i], 2);
        pages_give(large.memory, large.bytes);
        given += large.bytes;
    }
    CHECK(resident() - before < 40 * MAPPED + given / 4);
    for (int i = 0; i < 40; i++) pages_give(kept[i].memory, kept[i].bytes);
    const size_t kept_now = pages_kept() - kept_before;
    CHECK(kept_now < given / 4);
    CHECK(resident() - before < kept_now + given / 8);
}

/* Those of tapes. */
static void large_pages_are_used_again(void) {
    enum { PAGES = 8, BYTES = LARGE_PAGE - 64 };
    unsigned char *first[PAGES], *second[PAGES];
    for (int i = 0; i < PAGES; i++) {
        first[i] = pages_take(BYTES);
        CHECK(first[i] && (uintptr_t)first[i] % LARGE_PAGE == 0);
        first[i][BYTES - 1] = 1;
    }
    const size_t before = pages_kept();
    CHECK(before + PAGES * LARGE_PAGE <= pages_kept_at_most());
    for (int i = 0; i < PAGES; i++) pages_give(first[i], BYTES);
    CHECK(pages_kept() == before + PAGES * LARGE_PAGE);
    for (int i = 0; i < PAGES; i++) {
        second[i] = pages_take(BYTES);
        bool known = false;
        for (int k = 0; k < PAGES; k++) known = known || first[k] == second[i];
        CHECK(known);
        for (int k = 0; k < i; k++) CHECK(second[k] != second[i]);
        memset(second[i], 7, BYTES);
    }
    for (int i = 0; i < PAGES; i++) pages_give(second[i], BYTES);
}
#endif

int main(void) {
#ifdef __linux__
    what_is_given_back_leaves_the_process();
    large_pages_are_used_again();
#endif
    blocks_keep_what_is_in_them(1, 4000);
    threads_have_blocks_of_their_own();
    what_cannot_be_had_changes_nothing();
    return 0;
}
