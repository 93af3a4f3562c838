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

/* The last blocks that were freed, of at most MOST_SPARE bytes each: repeated allocation and release reuse the same memory,
 * which the system would clear each time, page by page. Their sizes are stored at their starts. Where the system may take
 * back all but their first pages there are many of them: the chunks of small tapes. */

#ifdef MADV_FREE
enum { SPARES = 32 };
static void lend(void *memory, size_t bytes) {
    const size_t first = whole_pages(sizeof bytes);
    (void)madvise((char *)memory + first, whole_pages(bytes) - first, MADV_FREE);
}
#else
enum { SPARES = 4 };
static void lend(void *memory, size_t bytes) { (void)memory, (void)bytes; }
#endif
enum { MOST_SPARE = LARGE_PAGE - 1024 };

static _Atomic(void *) spares[SPARES];
static atomic_uint last_spare;

static size_t spare_bytes(const void *memory) { return *(const size_t *)memory; }

static void unmap_spare(void *memory) {
    if (memory) unmap(memory, spare_bytes(memory));
}

/* Keeps a spare where there is none, else instead of an older one. */
static void keep_spare(void *memory) {
    for (int i = 0; i < SPARES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&spares[i], &none, memory)) return;
    }
    unmap_spare(atomic_exchange(&spares[atomic_fetch_add(&last_spare, 1) % SPARES], memory));
}

/* Returns a spare of as many pages, or else any; NULL: there is none. */
static void *take_spare(size_t bytes) {
    void *other = NULL;
    for (int i = 0; i < SPARES; i++) {
        void *found = atomic_exchange(&spares[i], NULL);
        if (found && whole_pages(spare_bytes(found)) == whole_pages(bytes)) {
            if (other) keep_spare(other);
            return found;
        }
        if (found && other) keep_spare(other);
        if (found) other = found;
    }
    return other;
}

/* Large pages that were freed, mostly those of tapes: one gradient follows another. The system may take them back whenever
 * it needs memory, and has them still until then; a new page takes it longer than what is done with it if it is a guest whose
 * host takes free memory away. */

#ifdef MADV_FREE
enum { MOST_KEPT = 256, PART_KEPT = 16 }; /* pages; at most one in PART_KEPT of the machine's memory */

static _Atomic(void *) kept[MOST_KEPT];
static atomic_int kept_count; /* an upper bound */

static int most_kept(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const long most = pages > 0 ? pages / (LARGE_PAGE / size) / PART_KEPT : 0;
    return most < MOST_KEPT ? (int)most : MOST_KEPT;
}

static bool is_large_page(const void *memory, size_t bytes) {
    return is_large(bytes) && whole_pages(bytes) == LARGE_PAGE && !((uintptr_t)memory & (LARGE_PAGE - 1));
}

/* Keeps a large page; false: there are enough, or the system cannot take it back by itself. */
static bool keep_page(void *memory) {
    const int count = atomic_fetch_add(&kept_count, 1);
    if (count < most_kept()) {
        UNPOISON(memory, LARGE_PAGE);
        const bool may_go = madvise(memory, LARGE_PAGE, MADV_FREE) == 0;
        POISON(memory, LARGE_PAGE);
        for (int i = 0; may_go && i < MOST_KEPT; i++) {
            void *none = NULL;
            if (atomic_compare_exchange_strong(&kept[(count + i) % MOST_KEPT], &none, memory)) return true;
        }
    }
    atomic_fetch_sub(&kept_count, 1);
    return false;
}

/* Removes and returns a kept page; NULL: there is none. */
static void *any_page(void) {
    const int count = atomic_load(&kept_count);
    for (int i = 1; count && i <= MOST_KEPT; i++) {
        void *found = atomic_exchange(&kept[(count - i + MOST_KEPT) % MOST_KEPT], NULL);
        if (!found) continue;
        atomic_fetch_sub(&kept_count, 1);
        UNPOISON(found, LARGE_PAGE);
        return found;
    }
    return NULL;
}

/* Returns a kept page, of which all is there; NULL: there is none, or the block is not one large page. */
static void *take_page(size_t bytes) {
    void *found = is_large_page(NULL, bytes) ? any_page() : NULL;
    if (!found) return NULL;
    touch(found, LARGE_PAGE);
    return fenced(found, bytes);
}

/* Gives all kept pages and spares back; false: there were none. */
static bool unmap_pages(void) {
    bool any = false;
    for (void *page; (page = any_page()); any = true) unmap(page, LARGE_PAGE);
    for (int i = 0; i < SPARES; i++) {
        void *spare = atomic_exchange(&spares[i], NULL);
        any = any || spare;
        unmap_spare(spare);
    }
    return any;
}

size_t pages_kept(void) {
    const int count = atomic_load(&kept_count);
    return (size_t)count * LARGE_PAGE;
}
size_t pages_kept_at_most(void) { return (size_t)most_kept() * LARGE_PAGE; }
#else
static bool is_large_page(const void *memory, size_t bytes) { return (void)memory, (void)bytes, false; }
static bool keep_page(void *memory) { return (void)memory, false; }
static void *take_page(size_t bytes) { return (void)bytes, NULL; }
static bool unmap_pages(void) { return false; }
size_t pages_kept(void) { return 0; }
size_t pages_kept_at_most(void) { return 0; }
#endif

static void give_mapped(void *memory, size_t bytes) {
    if (is_large_page(memory, bytes) && keep_page(memory)) return;
    if (bytes > MOST_SPARE) {
        unmap(memory, bytes);
        return;
    }
    *(size_t *)memory = bytes;
    lend(memory, bytes);
    POISON((char *)memory + sizeof(size_t), bytes - sizeof(size_t));
    keep_spare(memory);
}

static void *take_mapped(size_t bytes) {
    void *page = take_page(bytes);
    if (page) return page;
    void *found = bytes > MOST_SPARE ? NULL : take_spare(bytes);
    if (!found) {
        void *made = map_new(bytes);
        return made || !unmap_pages() ? made : map_new(bytes);
    }
    const size_t old_bytes = spare_bytes(found);
    void *taken = (bytes > old_bytes ? grow_mapped : shrink_mapped)(found, old_bytes, bytes);
    if (!taken) unmap(found, old_bytes);
    return taken;
}

#else /* malloc serves all blocks */

static const double seconds = 0;

static bool is_mapped(size_t bytes) { return (void)bytes, false; }
size_t pages_kept(void) { return 0; }
size_t pages_kept_at_most(void) { return 0; }
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
