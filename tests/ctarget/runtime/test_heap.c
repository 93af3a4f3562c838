/* Tests of the heap: sizes, counts, release of any graph, failure of any allocation. */
#include <time.h>

#include "checks.h"
#include "memory/free_order.h"

typedef struct Piece {
    unsigned char *memory;
    size_t bytes;
    unsigned char fill;
} Piece;

static size_t random_size(void) {
    switch (random_below(4)) {
    case 0: return random_below(500) ? random_below(40) : 300000 + random_below(3000000);
    case 1: return random_below(600);
    case 2: return 500 + random_below(30);
    default: return random_below(20000);
    }
}

static void check_piece(const Piece *piece, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) CHECK(piece->memory[i] == piece->fill);
    CHECK((uintptr_t)piece->memory % CLASS_BYTES == 0);
}

static void buffers_keep_what_is_in_them(void) {
    enum { PIECES = 200 };
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    Piece pieces[PIECES] = {{0}};
    for (int round = 0; round < 20000; round++) {
        Piece *piece = &pieces[random_below(PIECES)];
        const size_t bytes = random_size();
        if (piece->memory && random_below(2)) {
            check_piece(piece, piece->bytes);
            heap_free(heap, piece->memory, piece->bytes);
            *piece = (Piece){0};
            continue;
        }
        const size_t same = piece->bytes < bytes ? piece->bytes : bytes;
        piece->memory = heap_resize(heap, piece->memory, piece->bytes, bytes);
        check_piece(piece, same);
        piece->bytes = bytes;
        piece->fill = (unsigned char)round;
        if (bytes) memset(piece->memory, piece->fill, bytes);
        if (round % 500 == 0) heap_check(heap);
    }
    for (int i = 0; i < PIECES; i++) heap_free(heap, pieces[i].memory, pieces[i].bytes);
    heap_check(heap);
    CHECK(heap->bytes == 0 && heap->peak > 0);
    heap_destroy(heap);
}

static uint32_t count_free(const Heap *heap, uint32_t size_class) {
    uint32_t count = 0;
    for (void *const *block = heap->free[size_class]; block; block = *block) count++;
    return count;
}

/* The first `sorted` free blocks are in rows without gaps, the longest ones first to within a factor of 2, then by address. */
static void free_blocks_are_in_rows(const Heap *heap, uint32_t size_class, uint32_t sorted) {
    static uintptr_t begins[2 * ORDERED], ends[2 * ORDERED];
    const uintptr_t bytes = (uintptr_t)size_class * CLASS_BYTES;
    uint32_t rows = 0, count = 0;
    for (void *const *block = heap->free[size_class]; block && count < sorted; block = *block, count++) {
        const uintptr_t at = (uintptr_t)block;
        if (rows && ends[rows - 1] == at) {
            ends[rows - 1] += bytes;
        } else {
            begins[rows] = at;
            ends[rows++] = at + bytes;
        }
    }
    CHECK(count == sorted);
    for (uint32_t i = 1; i < rows; i++) {
        const uintptr_t length = (ends[i] - begins[i]) / bytes, before = (ends[i - 1] - begins[i - 1]) / bytes;
        CHECK(2 * before > length);
        CHECK(begins[i - 1] < begins[i] || before > length);
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < rows && rows < 500; k++) CHECK(ends[i] != begins[k]);
}

/* Frees blocks up, down, or in stretches of either; a list of `count` is then in order as far as that goes. */
static void free_blocks_are_sorted(uint32_t count, uint32_t stretch, uint32_t odds) {
    enum { MOST = 2 * ORDERED };
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    void *blocks[MOST];
    CHECK(count <= MOST);
    for (uint32_t i = 0; i < count; i++) blocks[i] = heap_take(heap, PAIR_CLASS);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = random_below(100) < odds ? (uint32_t)random_below(count) : i / stretch * stretch;
        void *block = blocks[i];
        blocks[i] = blocks[other];
        blocks[other] = block;
    }
    for (uint32_t i = 0; i < count; i++) heap_put(heap, blocks[i], PAIR_CLASS);
    const uint32_t free_before = count_free(heap, PAIR_CLASS), sorted = free_before < ORDERED ? free_before : ORDERED;
    void *first = heap->free[PAIR_CLASS];
    free_order(heap, PAIR_CLASS);
    CHECK(heap->free[PAIR_CLASS] == first && heap->uneven == 0); /* it does not pay */
    heap->uneven = 1;
    free_order(heap, PAIR_CLASS);
    free_blocks_are_in_rows(heap, PAIR_CLASS, sorted);
    CHECK(count_free(heap, PAIR_CLASS) == free_before && heap->uneven <= 0);
    heap_check(heap);
    for (uint32_t i = 0; i < free_before; i++) memset(heap_take(heap, PAIR_CLASS), 1, PAIR_CLASS * CLASS_BYTES);
    CHECK(!heap->free[PAIR_CLASS]);
    heap_destroy(heap);
}

static void free_blocks_are_brought_in_order(void) {
    const uint32_t counts[] = {0, 1, 2, 3, 64, 1000, ORDERED - 1, ORDERED, ORDERED + 1, 2 * ORDERED};
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        free_blocks_are_sorted(counts[i], 1, 0);
        free_blocks_are_sorted(counts[i], 1, 100);
        free_blocks_are_sorted(counts[i], counts[i] + 1, 0);
        free_blocks_are_sorted(counts[i], 30, 5);
    }
}

/* A value of a random kind that refers to some of those there are. */
static Value random_value(Heap *heap, const Value *values, uint32_t count) {
    static const Kind kinds[] = {PAIR, RECORD, ENVIRONMENT, DUAL, RANGE, LIST, FOREIGN, CLOSURE, REAL};
    static const Procedure procedure = {.arity = 1};
    const Kind kind = kinds[random_below(9)];
    uint32_t length = random_below(20) ? random_below(5) : 100;
    if (kind == REAL) return of_real(1.5);
    if (kind == FOREIGN) return object_value(heap, (int)random_below(OBJECTS));
    if (kind == PAIR || kind == DUAL) length = 2;
    const bool is_list = kind == LIST;
    const Value v = is_list ? simple_list(heap, length)
                            : of_object(kind, new_cells(heap, kind == CLOSURE ? ENVIRONMENT : kind, length));
    Value *fields = is_list ? ((List *)v.object)->values : cells_of(v);
    for (uint32_t i = 0; i < length; i++) fields[i] = copied(values[random_below(count)]);
    return kind == CLOSURE ? of_procedure(CLOSURE, &procedure, v.object) : v;
}

enum { VALUES = 300 };

static void random_graphs(Heap *heap, int rounds, Value *values) {
    for (int i = 0; i < VALUES; i++) values[i] = of_integer(i);
    for (int round = 0; round < rounds; round++) {
        Value *place = &values[random_below(VALUES)];
        const Value v = random_value(heap, values, VALUES);
        drop(heap, *place);
        *place = v;
    }
}

static void graphs_go_with_their_last_reference(void) {
    Value values[VALUES];
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    random_graphs(heap, 50000, values);
    heap_check(heap);
    for (int i = 0; i < VALUES; i++) drop(heap, values[i]);
    heap_check(heap);
    CHECK(heap->bytes == 0 && alive_in_all == 0 && !heap->foreign);
    heap_destroy(heap);
}

static void a_heap_goes_with_what_is_in_it(void) {
    Value values[VALUES];
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    random_graphs(heap, 5000, values);
    new_foreign(heap, (void *)(intptr_t)1, true); /* borrowed: never released */
    CHECK(alive_in_all > 0);
    heap_destroy(heap);
    CHECK(alive_in_all == 0);
}

static void graph_body(Heap *heap) {
    static Value values[VALUES];
    random_seed(7);
    random_graphs(heap, 600, values);
}

static void pair_up(Heap *heap, Kind kind, uint32_t depth) {
    Value chain = object_value(heap, 3);
    for (uint32_t i = 0; i < depth; i++) {
        Cells *cells = new_cells(heap, kind, 2);
        cells->cells[0] = of_real(1.0);
        cells->cells[1] = chain;
        chain = of_object(kind, cells);
    }
    CHECK(alive[3] == 1 && heap->bytes >= depth * 48);
    drop(heap, chain);
    CHECK(alive[3] == 0 && heap->bytes == 0);
}

static void a_deep_chain_goes(void) {
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    pair_up(heap, PAIR, 1000000);
    const size_t peak = heap->peak;
    pair_up(heap, DUAL, 1000000);
    CHECK(heap->peak == peak);
    heap_check(heap);
    heap_destroy(heap);
}

/* Python that comes back: it drops another value, and makes new ones. */
static Heap *back_in;
static Value to_drop[OBJECTS];

static void come_back(void *python) {
    const intptr_t number = (intptr_t)python - 1;
    const Value other = to_drop[number];
    to_drop[number] = nothing();
    Value made = object_value(back_in, OBJECTS - 1);
    drop(back_in, other);
    if (number != OBJECTS - 1) drop(back_in, made);
}

static void python_may_come_back(void) {
    Heap *heap = back_in = heap_create(SIZE_MAX, &TEST_HOOKS);
    for (int i = 0; i < OBJECTS; i++) to_drop[i] = nothing();
    Value last = nothing();
    for (int i = 0; i < 1000; i++) {
        Cells *pair = new_cells(heap, PAIR, 2);
        pair->cells[0] = object_value(heap, i);
        pair->cells[1] = object_value(heap, 1000 + i);
        to_drop[i] = last;
        last = of_object(PAIR, pair);
    }
    const int before = alive[OBJECTS - 1];
    CHECK(before == 0);
    for (int i = 1000; i < 2000; i++) to_drop[i] = nothing();
    to_drop[OBJECTS - 1] = nothing();
    on_release = NULL;
    drop(heap, copied(last));
    on_release = come_back;
    drop(heap, last);
    on_release = NULL;
    for (int i = 0; i < 2000; i++) CHECK(alive[i] == 0);
    CHECK(!heap->draining && !heap->dying);
    heap_check(heap);
    heap_destroy(heap);
    CHECK(alive_in_all == 0);
}

static void grow_forever(Heap *heap) {
    for (Value v = nothing();;) {
        Cells *cells = new_cells(heap, PAIR, 2);
        cells->cells[0] = cells->cells[1] = nothing();
        cells->cells[0] = v;
        v = of_object(PAIR, cells);
        if (random_below(50) == 0) heap_allocate(heap, 5000);
    }
}

static void a_limit_is_kept(void) {
    Heap *heap = heap_create(1 << 20, &TEST_HOOKS);
    jmp_buf place;
    heap->escape = &place;
    if (!setjmp(place)) grow_forever(heap);
    CHECK(heap->bytes <= 1 << 20 && heap->bytes > (1 << 20) - 6000 && heap->peak <= 1 << 20);
    heap_check(heap);
    heap_destroy(heap);
}

static void a_heap_costs_little(void) {
    const clock_t start = clock();
    for (int i = 0; i < 100000; i++) heap_destroy(heap_create(SIZE_MAX, &TEST_HOOKS));
    printf("a heap: %.0f ns\n", (double)(clock() - start) / CLOCKS_PER_SEC * 1e4);
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    const clock_t pairs = clock();
    for (int i = 0; i < 10000000; i++) {
        Cells *cells = new_cells(heap, PAIR, 2);
        cells->cells[0] = cells->cells[1] = of_real(0.0);
        drop(heap, of_object(PAIR, cells));
    }
    printf("a pair made and dropped: %.1f ns\n", (double)(clock() - pairs) / CLOCKS_PER_SEC * 1e2);
    heap_destroy(heap);
}

int main(int count, char **arguments) {
    (void)arguments;
    buffers_keep_what_is_in_them();
    free_blocks_are_brought_in_order();
    graphs_go_with_their_last_reference();
    a_heap_goes_with_what_is_in_it();
    with_every_failure(graph_body);
    a_deep_chain_goes();
    python_may_come_back();
    a_limit_is_kept();
    if (count > 1) a_heap_costs_little();
    return 0;
}
