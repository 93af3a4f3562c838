/* Implements pages.h by malloc, mmap and, if available, mremap.
 *
 * What always holds: a mapped block is one whole mapping with one advice, since mremap moves no more than one; it
 * starts at a page, at a large one if it was requested as such. In the hostile build the rest of its last page is
 * poisoned, as malloc fences its own blocks.
 */
#define _GNU_SOURCE
#include "memory/pages.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "memory/poison.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static _Thread_local double seconds; /* spent on new mappings */

static double processor_seconds(void) {
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) ? 0.0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_mapped(size_t bytes) { return bytes >= MAPPED; }
static bool is_large(size_t bytes) { return bytes > LARGE_PAGE - 1024; }

static size_t whole_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) & ~(page - 1);
}

static void *map(size_t whole, int access) {
    void *memory = mmap(NULL, whole, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Returns a mapping that starts at a large page: it is cut out of a longer one. */
static void *map_aligned(size_t whole, int access) {
    char *memory = map(whole + LARGE_PAGE, access);
    if (!memory) return NULL;
    const size_t before = -(uintptr_t)memory & (LARGE_PAGE - 1), after = LARGE_PAGE - before;
    if (before) (void)munmap(memory, before);
    if (after) (void)munmap(memory + before + whole, after);
    return memory + before;
}

/* Requests large pages: a hint, without which pages are small. */
static void advise(void *memory, size_t whole, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (is_large(bytes)) (void)madvise(memory, whole, MADV_HUGEPAGE);
#else
    (void)memory, (void)whole, (void)bytes;
#endif
}

/* Has the system provide all pages of a new mapping now, and takes the time: whoever requests a block will use all of it. */
static void touch(char *memory, size_t whole) {
    enum { SMALLEST_PAGE = 4096 };
    const double began = processor_seconds();
    for (size_t i = 0; i < whole; i += SMALLEST_PAGE) ((volatile char *)memory)[i] = 0;
    seconds += processor_seconds() - began;
}

static void *fenced(void *memory, size_t bytes) {
    UNPOISON(memory, bytes);
    POISON((char *)memory + bytes, whole_pages(bytes) - bytes);
    return memory;
}

static void *map_new(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t whole = whole_pages(bytes);
    void *memory = (is_large(bytes) ? map_aligned : map)(whole, PROT_READ | PROT_WRITE);
    if (!memory) return NULL;
    advise(memory, whole, bytes);
    touch(memory, whole);
    return fenced(memory, bytes);
}

static void unmap(void *memory, size_t bytes) {
    const size_t whole = whole_pages(bytes);
    UNPOISON(memory, whole);
    (void)munmap(memory, whole);
}

static void *shrink_mapped(void *memory, size_t old_bytes, size_t bytes) {
    const size_t old = whole_pages(old_bytes), whole = whole_pages(bytes);
    UNPOISON(memory, old);
    if (whole < old) (void)munmap((char *)memory + whole, old - whole);
    return fenced(memory, bytes);
}

#ifdef MREMAP_MAYMOVE
/* Moves its pages, to the start of a large page if the block is large now. An mremap that fails has unmapped the range
 * reserved for it. */
static void *grow_mapped(void *memory, size_t old_bytes, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t old = whole_pages(old_bytes), whole = whole_pages(bytes);
    void *place = is_large(bytes) && whole > old ? map_aligned(whole, PROT_NONE) : NULL;
    void *moved = place ? mremap(memory, old, whole, MREMAP_MAYMOVE | MREMAP_FIXED, place)
                        : mremap(memory, old, whole, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return NULL;
    UNPOISON(memory, old);
    advise(moved, whole, bytes);
    return fenced(moved, bytes);
}
#else
static void *grow_mapped(void *memory, size_t old_bytes, size_t bytes) {
    void *moved = map_new(bytes);
    if (!moved) return NULL;
    memcpy(moved, memory, old_bytes);
    unmap(memory, old_bytes);
    return moved;
}
#endif

/* What is freed stays *ready*, as it is, up to one part in PART_READY of the machine's memory, and MOST_READY bytes: the next
 * gradient uses it without a call of the system, for which the system interrupts all processors. What is freed beyond that is
 * *lent*: the system may take it back whenever it needs memory, and has it still until then. */

#ifdef MADV_FREE
enum { MOST_READY = 128 * 1024 * 1024, PART_READY = 64 };
enum { MOST_KEPT = 256, PART_KEPT = 16 }; /* large pages; at most one part in PART_KEPT of the machine's memory */

static atomic_size_t ready_bytes;

static size_t machine_bytes(void) {
    static atomic_size_t known;
    if (!atomic_load(&known)) {
        const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        atomic_store(&known, pages > 0 ? (size_t)pages * (size_t)size : 1);
    }
    return atomic_load(&known);
}

static size_t most_ready(void) {
    const size_t part = machine_bytes() / PART_READY;
    return part < MOST_READY ? part : MOST_READY;
}

/* Returns whether so many bytes may stay ready; they are counted then, until `no_longer_ready`. */
static bool may_stay_ready(size_t bytes) {
    if (atomic_fetch_add(&ready_bytes, bytes) + bytes <= most_ready()) return true;
    atomic_fetch_sub(&ready_bytes, bytes);
    return false;
}

static void no_longer_ready(size_t bytes) { atomic_fetch_sub(&ready_bytes, bytes); }

enum { SPARES = 128 }; /* twice what a gradient has at once: the chunks of small tapes, in two threads */
static void lend(void *memory, size_t bytes) {
    const size_t first = whole_pages(sizeof bytes);
    (void)madvise((char *)memory + first, whole_pages(bytes) - first, MADV_FREE);
}
#else
enum { SPARES = 4 };
static bool may_stay_ready(size_t bytes) { return (void)bytes, false; }
static void no_longer_ready(size_t bytes) { (void)bytes; }
static void lend(void *memory, size_t bytes) { (void)memory, (void)bytes; }
#endif

/* Where blocks are kept; any thread puts some in, and takes some out. */
typedef _Atomic(void *) Slot;

static bool put(void *block, Slot *slots, int count) {
    for (int i = 0; i < count; i++) {
        void *none = NULL;
        if (!atomic_load(&slots[i]) && atomic_compare_exchange_strong(&slots[i], &none, block)) return true;
    }
    return false;
}

static void *take_out(Slot *slot) { return atomic_load(slot) ? atomic_exchange(slot, NULL) : NULL; }

static void *any_of(Slot *slots, int count) {
    void *found = NULL;
    for (int i = 0; i < count && !found; i++) found = take_out(&slots[i]);
    return found;
}

/* The last blocks that were freed, of at most MOST_SPARE bytes each. A block starts with its Spare, which is never lent. */

enum { MOST_SPARE = LARGE_PAGE - 1024 };

typedef struct {
    size_t bytes;
    bool ready;
} Spare;

static Slot spares[SPARES];
static atomic_uint last_spare;
static atomic_size_t spared; /* bytes of all spares */

/* Returns the size of a spare that is in no slot any more. */
static size_t spare_removed(const Spare *spare) {
    atomic_fetch_sub(&spared, spare->bytes);
    if (spare->ready) no_longer_ready(spare->bytes);
    return spare->bytes;
}

static void unmap_spare(Spare *spare) {
    if (spare) unmap(spare, spare_removed(spare));
}

/* Keeps a spare where there is none, else instead of an older one. */
static void keep_spare(Spare *spare) {
    if (put(spare, spares, SPARES)) return;
    unmap_spare(atomic_exchange(&spares[atomic_fetch_add(&last_spare, 1) % SPARES], spare));
}

/* Returns a spare of as many pages, or else any; NULL: there is none. */
static Spare *take_spare(size_t bytes) {
    Spare *other = NULL;
    for (int i = 0; i < SPARES; i++) {
        Spare *found = take_out(&spares[i]);
        if (!found) continue;
        if (other) keep_spare(other);
        if (whole_pages(found->bytes) == whole_pages(bytes)) return found;
        other = found;
    }
    return other;
}

static void give_spare(void *memory, size_t bytes) {
    Spare *spare = memory;
    *spare = (Spare){bytes, may_stay_ready(bytes)};
    if (!spare->ready) lend(memory, bytes);
    POISON((char *)memory + sizeof *spare, bytes - sizeof *spare);
    atomic_fetch_add(&spared, bytes);
    keep_spare(spare);
}

/* Large pages that were freed, mostly those of tapes: one gradient follows another. A new page takes the system longer than
 * what is done with it if it is a guest whose host takes free memory away. */

#ifdef MADV_FREE
static Slot ready_pages[MOST_READY / LARGE_PAGE], lent_pages[MOST_KEPT];
static atomic_int kept_count; /* an upper bound */

static int most_kept(void) {
    const size_t most = machine_bytes() / LARGE_PAGE / PART_KEPT;
    return most < MOST_KEPT ? (int)most : MOST_KEPT;
}

static bool is_large_page(const void *memory, size_t bytes) {
    return is_large(bytes) && whole_pages(bytes) == LARGE_PAGE && !((uintptr_t)memory & (LARGE_PAGE - 1));
}

/* Keeps a page that is ready; false: there are enough. */
static bool keep_ready(void *page) {
    if (!may_stay_ready(LARGE_PAGE)) return false;
    POISON(page, LARGE_PAGE);
    if (put(page, ready_pages, MOST_READY / LARGE_PAGE)) return true;
    UNPOISON(page, LARGE_PAGE);
    no_longer_ready(LARGE_PAGE);
    return false;
}

/* Lends a page to the system; false: it cannot take it back by itself. */
static bool keep_lent(void *page) {
    if (madvise(page, LARGE_PAGE, MADV_FREE)) return false;
    POISON(page, LARGE_PAGE);
    if (put(page, lent_pages, MOST_KEPT)) return true;
    UNPOISON(page, LARGE_PAGE);
    return false;
}

/* Keeps a large page; false: there are enough, or the system could not take it back. */
static bool keep_page(void *page) {
    UNPOISON(page, LARGE_PAGE);
    if (atomic_fetch_add(&kept_count, 1) < most_kept() && (keep_ready(page) || keep_lent(page))) return true;
    atomic_fetch_sub(&kept_count, 1);
    return false;
}

/* Removes and returns a kept page, one that is ready if there is any; NULL: there is none. */
static void *any_page(bool *ready) {
    if (!atomic_load(&kept_count)) return NULL;
    void *found = any_of(ready_pages, MOST_READY / LARGE_PAGE);
    *ready = found;
    if (*ready) no_longer_ready(LARGE_PAGE);
    if (!found) found = any_of(lent_pages, MOST_KEPT);
    if (!found) return NULL;
    atomic_fetch_sub(&kept_count, 1);
    UNPOISON(found, LARGE_PAGE);
    return found;
}

/* Returns a kept page, of which all is there; NULL: there is none, or the block is not one large page. */
static void *take_page(size_t bytes) {
    bool ready;
    void *found = is_large_page(NULL, bytes) ? any_page(&ready) : NULL;
    if (!found) return NULL;
    if (!ready) touch(found, LARGE_PAGE);
    return fenced(found, bytes);
}

static size_t unmap_pages(size_t bytes) {
    size_t given = 0;
    bool ready;
    for (void *page; given < bytes && (page = any_page(&ready)); given += LARGE_PAGE) unmap(page, LARGE_PAGE);
    return given;
}

size_t pages_kept(void) {
    const int count = atomic_load(&kept_count);
    return (size_t)count * LARGE_PAGE + atomic_load(&spared);
}
size_t pages_kept_at_most(void) { return ((size_t)most_kept() + SPARES) * LARGE_PAGE; }
#else
static bool is_large_page(const void *memory, size_t bytes) { return (void)memory, (void)bytes, false; }
static bool keep_page(void *memory) { return (void)memory, false; }
static void *take_page(size_t bytes) { return (void)bytes, NULL; }
static size_t unmap_pages(size_t bytes) { return (void)bytes, 0; }
size_t pages_kept(void) { return atomic_load(&spared); }
size_t pages_kept_at_most(void) { return (size_t)SPARES * LARGE_PAGE; }
#endif

/* Returns how many of the kept bytes it has given back: of large pages, then of spares. */
static size_t unmap_kept(size_t bytes) {
    size_t given = unmap_pages(bytes);
    for (Spare *spare; given < bytes && (spare = any_of(spares, SPARES)); unmap_spare(spare)) given += spare->bytes;
    return given;
}

void pages_give_back(size_t bytes) { (void)unmap_kept(bytes); }

static void give_mapped(void *memory, size_t bytes) {
    if (is_large_page(memory, bytes) && keep_page(memory)) return;
    if (bytes > MOST_SPARE) {
        unmap(memory, bytes);
        return;
    }
    give_spare(memory, bytes);
}

static void *take_mapped(size_t bytes) {
    void *page = take_page(bytes);
    if (page) return page;
    Spare *found = bytes > MOST_SPARE ? NULL : take_spare(bytes);
    if (!found) {
        void *made = map_new(bytes);
        return made || !unmap_kept(SIZE_MAX) ? made : map_new(bytes);
    }
    const size_t old_bytes = spare_removed(found);
    void *taken = (bytes > old_bytes ? grow_mapped : shrink_mapped)(found, old_bytes, bytes);
    if (!taken) unmap(found, old_bytes);
    return taken;
}

#else /* malloc serves all blocks */

static const double seconds = 0;

static bool is_mapped(size_t bytes) { return (void)bytes, false; }
size_t pages_kept(void) { return 0; }
size_t pages_kept_at_most(void) { return 0; }
void pages_give_back(size_t bytes) { (void)bytes; }
static void *take_mapped(size_t bytes) { return malloc(bytes); }
static void give_mapped(void *memory, size_t bytes) { (void)bytes, free(memory); }
static void *shrink_mapped(void *memory, size_t old_bytes, size_t bytes) {
    return (void)old_bytes, realloc(memory, bytes);
}
static void *grow_mapped(void *memory, size_t old_bytes, size_t bytes) {
    return (void)old_bytes, realloc(memory, bytes);
}

#endif

double pages_seconds(void) { return seconds; }

void *pages_take(size_t bytes) { return is_mapped(bytes) ? take_mapped(bytes) : malloc(bytes); }

void pages_give(void *memory, size_t bytes) {
    if (is_mapped(bytes))
        give_mapped(memory, bytes);
    else
        free(memory);
}

void *pages_resize(void *memory, size_t old_bytes, size_t bytes) {
    const bool from = is_mapped(old_bytes), to = is_mapped(bytes);
    if (from && to) return (bytes > old_bytes ? grow_mapped : shrink_mapped)(memory, old_bytes, bytes);
    if (!from && !to) return realloc(memory, bytes);
    void *moved = pages_take(bytes);
    if (!moved) return NULL;
    memcpy(moved, memory, old_bytes < bytes ? old_bytes : bytes);
    pages_give(memory, old_bytes);
    return moved;
}
