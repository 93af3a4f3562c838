/* The heap: slabs, free lists, large blocks, and the release of objects without references.
 *
 * In: requests for memory, objects without references. Out: memory that is counted, or a jump to `escape`.
 *
 * What always holds: every byte of the slabs is in a block in use, in a free list, or fresh; `bytes` is the blocks in
 * use, the large blocks with their links, and what was counted by hand. An object that loses its last reference while
 * the heap is draining waits on `dying`, linked through its birth (an address has 48 bits).
 */
#include "memory/heap.h"

#include <stdio.h>
#include <string.h>

#include "memory/memory.h"

enum { FIRST_SLAB = 4096, LARGEST_SLAB = 256 * 1024 };

_Static_assert(sizeof(Object) <= CLASS_BYTES, "every object has a head");

Heap *heap_create(size_t limit, const HeapHooks *hooks) {
    Heap *heap = calloc(1, sizeof(Heap));
    if (!heap) return NULL;
    heap->hooks = hooks;
    heap->limit = limit;
    heap->next_slab = FIRST_SLAB;
    heap->runs = FIRST_RUN;
    return heap;
}

/* Releases Python objects first, while all memory is valid: one that is freed may drop values of this heap. */
static void release_python(Heap *heap) {
    heap->draining = true;
    while (heap->foreign) {
        Foreign *foreign = heap->foreign;
        heap->foreign = foreign->next;
        if (foreign->next) foreign->next->previous = NULL;
        if (!foreign->borrowed) heap_release_python(heap, foreign->python);
    }
    if (heap->keeps) heap_release_python(heap, heap->keeps);
    if (heap->layouts) heap->hooks->forget_layouts(heap);
}

void heap_destroy(Heap *heap) {
    release_python(heap);
    for (Slab *slab = heap->slabs, *previous; slab; slab = previous) {
        previous = slab->previous;
        UNPOISON(slab, sizeof(Slab) + slab->size);
        memory_give(slab, sizeof(Slab) + slab->size);
    }
    for (Large *large = heap->large, *next; large; large = next) {
        next = large->next;
        memory_give(large, large->bytes + sizeof(Large));
    }
    free(heap);
}

_Noreturn void heap_exhausted(Heap *heap) {
    if (heap->escape) longjmp(*heap->escape, 1);
    fprintf(stderr, "checkpoint: out of memory outside of a run\n");
    abort();
}

void heap_peaked(Heap *heap, size_t added) {
    if (heap->bytes > heap->limit || heap->bytes < added) {
        heap->bytes -= added;
        heap_exhausted(heap);
    }
    heap->peak = heap->bytes;
}

static bool must_fail(Heap *heap) { return UNLIKELY(heap->fail_at != 0) && --heap->fail_at == 0; }

/* Makes the rest of the newest slab a free block, so that none of it is lost. */
static void retire_slab(Heap *heap) {
    const size_t rest = (size_t)(heap->fresh_end - heap->fresh);
    if (rest == 0) return;
    UNPOISON(heap->fresh, sizeof(void *));
    *(void **)heap->fresh = heap->free[rest / CLASS_BYTES];
    heap->free[rest / CLASS_BYTES] = heap->fresh;
    heap->fresh = heap->fresh_end;
}

void *heap_block(Heap *heap, uint32_t size_class) {
    const size_t bytes = (size_t)size_class * CLASS_BYTES;
    const bool fits = (size_t)(heap->fresh_end - heap->fresh) >= bytes;
    Slab *slab = must_fail(heap) ? NULL : fits ? heap->slabs : memory_take(sizeof(Slab) + heap->next_slab);
    if (!slab) {
        heap->bytes -= bytes;
        heap_exhausted(heap);
    }
    if (!fits) {
        retire_slab(heap);
        *slab = (Slab){.previous = heap->slabs, .size = heap->next_slab};
        heap->slab_bytes += slab->size;
        heap->slabs = slab;
        heap->fresh = slab->blocks;
        heap->fresh_end = slab->blocks + slab->size;
        POISON(slab->blocks, slab->size);
        if (heap->next_slab < LARGEST_SLAB) heap->next_slab *= 2;
    }
    char *block = heap->fresh;
    heap->fresh += bytes;
    UNPOISON(block, bytes);
    return block;
}

static void relink_large(Heap *heap, Large *large) {
    if (large->next) large->next->previous = large;
    if (large->previous)
        large->previous->next = large;
    else
        heap->large = large;
}

static void *allocate_large(Heap *heap, size_t bytes) {
    const size_t all = bytes + sizeof(Large);
    if (all < bytes) heap_exhausted(heap);
    heap_count(heap, all);
    Large *large = memory_take(all);
    if (!large) {
        heap->bytes -= all;
        heap_exhausted(heap);
    }
    *large = (Large){.bytes = bytes, .next = heap->large};
    if (large->next) large->next->previous = large;
    heap->large = large;
    heap->large_bytes += all;
    return large->memory;
}

static void free_large(Heap *heap, void *memory) {
    Large *large = large_of(memory);
    heap->bytes -= large->bytes + sizeof(Large);
    heap->large_bytes -= large->bytes + sizeof(Large);
    if (large->next) large->next->previous = large->previous;
    if (large->previous)
        large->previous->next = large->next;
    else
        heap->large = large->next;
    memory_give(large, large->bytes + sizeof(Large));
}

static uint32_t class_of(size_t bytes) {
    return bytes ? (uint32_t)((bytes + CLASS_BYTES - 1) / CLASS_BYTES) : 1;
}

/* Returns a small block and cannot fail: heap_allocate and heap_resize have counted it. */
static void *take_counted(Heap *heap, uint32_t size_class) {
    const int64_t fail_at = heap->fail_at;
    heap->fail_at = 0;
    void *block = heap_take(heap, size_class);
    heap->fail_at = fail_at;
    return block;
}

void *heap_allocate(Heap *heap, size_t bytes) {
    if (must_fail(heap)) heap_exhausted(heap);
    return bytes <= LARGEST_CLASS ? take_counted(heap, class_of(bytes)) : allocate_large(heap, bytes);
}

void heap_free(Heap *heap, void *memory, size_t bytes) {
    if (!memory) return;
    if (bytes <= LARGEST_CLASS)
        heap_put(heap, memory, class_of(bytes));
    else
        free_large(heap, memory);
}

static void *resize_large(Heap *heap, void *memory, size_t bytes) {
    const size_t old_bytes = large_of(memory)->bytes, all = bytes + sizeof(Large);
    if (all < bytes) heap_exhausted(heap);
    if (bytes > old_bytes) heap_count(heap, bytes - old_bytes);
    Large *large = memory_resize(large_of(memory), old_bytes + sizeof(Large), all);
    if (!large) {
        if (bytes > old_bytes) heap->bytes -= bytes - old_bytes;
        heap_exhausted(heap);
    }
    if (bytes < old_bytes) heap->bytes -= old_bytes - bytes;
    heap->large_bytes += bytes - old_bytes;
    large->bytes = bytes;
    relink_large(heap, large);
    return large->memory;
}

void *heap_resize(Heap *heap, void *memory, size_t old_bytes, size_t new_bytes) {
    if (!memory) return heap_allocate(heap, new_bytes);
    if (must_fail(heap)) heap_exhausted(heap);
    const bool small = old_bytes <= LARGEST_CLASS, becomes_small = new_bytes <= LARGEST_CLASS;
    if (!small && !becomes_small) return resize_large(heap, memory, new_bytes);
    if (small && becomes_small && class_of(old_bytes) == class_of(new_bytes)) return memory;
    void *moved = becomes_small ? take_counted(heap, class_of(new_bytes)) : allocate_large(heap, new_bytes);
    memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
    heap_free(heap, memory, old_bytes);
    return moved;
}

/* Removes and returns the newest block of a shelf; the caller counts it. */
static void *off_shelf(Shelf *shelf) {
    void *memory = shelf->memory, *before = *(void **)memory;
    shelf->all -= shelf->bytes + sizeof(Large);
    shelf->memory = before;
    shelf->bytes = before ? large_of(before)->bytes : 0;
    return memory;
}

static void free_newest(Heap *heap, Shelf *shelf) {
    const size_t bytes = shelf->bytes;
    heap->bytes += bytes + sizeof(Large);
    heap_free(heap, off_shelf(shelf), bytes);
}

void heap_clear_shelf(Heap *heap, ShelfUse use) {
    while (heap->shelves[use].memory) free_newest(heap, &heap->shelves[use]);
}

/* If there is no room for all, the smaller of the new block and the newest on the shelf is freed. */
void heap_to_shelf(Heap *heap, ShelfUse use, void *memory, size_t bytes, size_t most) {
    Shelf *shelf = &heap->shelves[use];
    while (shelf->memory && shelf->all + bytes > most && bytes > shelf->bytes) free_newest(heap, shelf);
    if (bytes <= LARGEST_CLASS || (shelf->memory && shelf->all + bytes > most)) {
        heap_free(heap, memory, bytes);
        return;
    }
    heap->bytes -= bytes + sizeof(Large);
    *(void **)memory = shelf->memory;
    *shelf = (Shelf){memory, bytes, shelf->all + bytes + sizeof(Large)};
}

void *heap_from_shelf(Heap *heap, ShelfUse use, size_t least, size_t most, size_t *bytes) {
    Shelf *shelf = &heap->shelves[use];
    if (shelf->bytes < least || shelf->bytes > most) return NULL;
    heap_count(heap, shelf->bytes + sizeof(Large));
    *bytes = shelf->bytes;
    return off_shelf(shelf);
}

Object *new_large_object(Heap *heap, Kind kind, size_t bytes) {
    Object *object = heap_allocate(heap, bytes);
    *object = (Object){.count = 1, .length = 0, .birth = 0, .kind = kind & 0xff, .size_class = 0};
    return object;
}

Value new_foreign(Heap *heap, void *python, bool borrowed) {
    Foreign *foreign = (Foreign *)new_object(heap, FOREIGN, sizeof(Foreign));
    foreign->python = python;
    foreign->borrowed = borrowed;
    foreign->watched = false;
    foreign->field = 0;
    foreign->accumulated = UNLIKELY(heap->weighs) ? heap->hooks->note_foreign(heap, python) : 0;
    heap->accumulated += foreign->accumulated;
    foreign->previous = NULL;
    foreign->next = heap->foreign;
    if (foreign->next) foreign->next->previous = foreign;
    heap->foreign = foreign;
    heap->foreign_count++;
    return of_object(FOREIGN, foreign);
}

/* Release */

static void wait_to_die(Heap *heap, Object *object) {
    object->birth = (uint64_t)(uintptr_t)heap->dying & LARGEST_BIRTH;
    heap->dying = object;
}

static void free_object(Heap *heap, Object *object) {
    if (LIKELY(object->size_class))
        heap_put(heap, object, (uint32_t)object->size_class);
    else
        free_large(heap, object);
}

static inline void destroy_cells(Heap *heap, Cells *cells) {
    const uint32_t length = cells->head.length;
    for (uint32_t i = 0; i < length; i++) {
        while (i + AT_ONCE <= length && are_uncounted(&cells->cells[i])) i += AT_ONCE;
        if (i == length) break;
        const Value v = load(&cells->cells[i]);
        if (is_counted(v) && --v.object->count == 0) wait_to_die(heap, v.object);
    }
    free_object(heap, &cells->head);
}

/* Frees its memory before the Python object is released: Python may then re-enter this heap. */
static void destroy_foreign(Heap *heap, Foreign *foreign) {
    void *python = foreign->borrowed ? NULL : foreign->python;
    if (foreign->next) foreign->next->previous = foreign->previous;
    if (foreign->previous)
        foreign->previous->next = foreign->next;
    else
        heap->foreign = foreign->next;
    heap->foreign_count--;
    heap->accumulated -= foreign->accumulated;
    free_object(heap, &foreign->head);
    if (python) heap_release_python(heap, python);
}

static void destroy_other(Heap *heap, Object *object) {
    if (object->kind == FOREIGN) {
        destroy_foreign(heap, (Foreign *)object);
        return;
    }
    heap->hooks->destroy_container(heap, object);
    free_object(heap, object);
}

static inline void destroy(Heap *heap, Object *object) {
    const uint32_t others = 1u << LIST | 1u << DICTIONARY | 1u << INSTANCE | 1u << FOREIGN;
    if (UNLIKELY(others >> object->kind & 1))
        destroy_other(heap, object);
    else
        destroy_cells(heap, (Cells *)object);
}

static Object *next_dying(Heap *heap) {
    Object *object = heap->dying;
    if (object) heap->dying = (Object *)(uintptr_t)object->birth;
    return object;
}

void heap_drain(Heap *heap) {
    heap->draining = true;
    for (Object *object; (object = next_dying(heap));) destroy(heap, object);
    heap->draining = false;
}

void release(Heap *heap, Object *object) {
    if (heap->draining) {
        wait_to_die(heap, object);
        return;
    }
    heap->draining = true;
    do destroy(heap, object);
    while ((object = next_dying(heap)));
    heap->draining = false;
}
