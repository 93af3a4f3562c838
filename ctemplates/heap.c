/* The heap: slabs, free lists, large blocks, and the release of what nobody refers to any more.
 *
 * In: requests for memory, objects that nobody refers to. Out: memory that is counted, or a jump to `escape`.
 *
 * What always holds: every byte of the slabs is in a block in use, in a free list, or fresh; `bytes` is the
 * blocks in use, the large blocks with their links, and what was counted by hand. What dies while somebody is
 * draining waits on `dying`, its link in the place of its birth (an address has 48 bits).
 */
#include "heap.h"

#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "containers.h"
#include "memory.h"

enum { FIRST_SLAB = 4096, LARGEST_SLAB = 256 * 1024, FIRST_RUN = FROZEN + 1 };

typedef struct Slab {
    struct Slab *previous;
    size_t size; /* of the blocks */
    _Alignas(CLASS_BYTES) char blocks[];
} Slab;

typedef struct Large {
    struct Large *previous, *next;
    size_t bytes;
    size_t unused; /* so that the memory is as aligned as malloc's */
    char memory[];
} Large;

_Static_assert(sizeof(Large) % CLASS_BYTES == 0, "large blocks are aligned");
_Static_assert(sizeof(Object) <= CLASS_BYTES, "every object has a head");

Heap *heap_create(size_t limit) {
    Heap *heap = calloc(1, sizeof(Heap));
    if (!heap) return NULL;
    heap->limit = limit;
    heap->next_slab = FIRST_SLAB;
    heap->runs = FIRST_RUN;
    return heap;
}

/* Python objects first, while all memory is there: one that goes may have values of this heap dropped. */
static void release_python(Heap *heap) {
    heap->draining = true;
    while (heap->foreign) {
        Foreign *foreign = heap->foreign;
        heap->foreign = foreign->next;
        if (foreign->next) foreign->next->previous = NULL;
        if (!foreign->borrowed) foreign_release(foreign->python);
    }
    if (heap->keeps) foreign_release(heap->keeps);
    layouts_destroy(heap);
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

/* What is left of the newest slab becomes a free block, so that none of it is lost. */
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

static Large *large_of(void *memory) { return (Large *)(void *)((char *)memory - offsetof(Large, memory)); }

static void link_large(Heap *heap, Large *large) {
    large->previous = NULL;
    large->next = heap->large;
    if (large->next) large->next->previous = large;
    heap->large = large;
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
    large->bytes = bytes;
    link_large(heap, large);
    return large->memory;
}

static void free_large(Heap *heap, void *memory) {
    Large *large = large_of(memory);
    heap->bytes -= large->bytes + sizeof(Large);
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

/* A small block that may not fail a second time: heap_allocate and heap_resize have counted it. */
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

void heap_to_shelf(Heap *heap, ShelfUse use, void *memory, size_t bytes) {
    const Shelf smaller = heap->shelves[use];
    if (bytes <= LARGEST_CLASS || bytes <= smaller.bytes) {
        heap_free(heap, memory, bytes);
        return;
    }
    heap->bytes -= bytes + sizeof(Large);
    heap->shelves[use] = (Shelf){memory, bytes};
    if (!smaller.memory) return;
    heap->bytes += smaller.bytes + sizeof(Large);
    heap_free(heap, smaller.memory, smaller.bytes);
}

void *heap_from_shelf(Heap *heap, ShelfUse use, size_t least, size_t most, size_t *bytes) {
    const Shelf found = heap->shelves[use];
    if (found.bytes < least || found.bytes > most) return NULL;
    heap_count(heap, found.bytes + sizeof(Large));
    heap->shelves[use] = (Shelf){NULL, 0};
    *bytes = found.bytes;
    return found.memory;
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
    foreign->field = 0;
    foreign->previous = NULL;
    foreign->next = heap->foreign;
    if (foreign->next) foreign->next->previous = foreign;
    heap->foreign = foreign;
    heap->foreign_count++;
    return of_object(FOREIGN, foreign);
}

/* Release */

static void wait_to_die(Heap *heap, Object *object) {
    object->birth = (uint64_t)(uintptr_t)heap->dying & (((uint64_t)1 << 48) - 1);
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
        const Value v = load(&cells->cells[i]);
        if (is_counted(v) && --v.object->count == 0) wait_to_die(heap, v.object);
    }
    free_object(heap, &cells->head);
}

/* Its memory is freed before Python hears of it: Python may come back to this heap. */
static void destroy_foreign(Heap *heap, Foreign *foreign) {
    void *python = foreign->borrowed ? NULL : foreign->python;
    if (foreign->next) foreign->next->previous = foreign->previous;
    if (foreign->previous)
        foreign->previous->next = foreign->next;
    else
        heap->foreign = foreign->next;
    heap->foreign_count--;
    free_object(heap, &foreign->head);
    if (python) foreign_release(python);
}

static void destroy_other(Heap *heap, Object *object) {
    if (object->kind == FOREIGN) {
        destroy_foreign(heap, (Foreign *)object);
        return;
    }
    if (object->kind == LIST)
        list_destroy(heap, (List *)object);
    else
        dictionary_destroy(heap, (Dictionary *)object);
    free_object(heap, object);
}

static inline void destroy(Heap *heap, Object *object) {
    const uint32_t others = 1u << LIST | 1u << DICTIONARY | 1u << FOREIGN;
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

/* Checking */

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "checkpoint: heap_check: %s\n", what);
    abort();
}

static size_t check_slabs(const Heap *heap) {
    size_t bytes = 0;
    for (const Slab *slab = heap->slabs; slab; slab = slab->previous) bytes += slab->size;
    require(heap->fresh <= heap->fresh_end, "the newest slab is overrun");
    return bytes - (size_t)(heap->fresh_end - heap->fresh);
}

static size_t check_free(const Heap *heap, size_t in_slabs) {
    size_t bytes = 0;
    for (size_t class = 1; class < CLASSES; class++)
        for (void *const *block = heap->free[class]; block; block = *block) {
            require((uintptr_t)block % CLASS_BYTES == 0, "a free block is not aligned");
            bytes += class * CLASS_BYTES;
            require(bytes <= in_slabs, "free lists are longer than the slabs");
        }
    return bytes;
}

static size_t check_large(const Heap *heap) {
    size_t bytes = 0;
    const Large *previous = NULL;
    for (const Large *large = heap->large; large; large = large->next) {
        require(large->previous == previous, "large blocks are linked wrongly");
        bytes += large->bytes + sizeof(Large);
        previous = large;
    }
    return bytes;
}

static size_t check_shelf(const Shelf *shelf) {
    if (!shelf->memory) return 0;
    require(large_of(shelf->memory)->bytes == shelf->bytes, "the block on a shelf has another size");
    return shelf->bytes + sizeof(Large);
}

static void check_foreign(const Heap *heap) {
    const Foreign *previous = NULL;
    size_t count = 0;
    for (const Foreign *foreign = heap->foreign; foreign; foreign = foreign->next, count++) {
        require(foreign->previous == previous, "Python objects are linked wrongly");
        require(foreign->head.kind == FOREIGN, "what is linked is no Python object");
        require(heap->draining || foreign->head.count, "a Python object without references is alive");
        require(foreign->python, "a Python object is missing");
        previous = foreign;
    }
    require(count == heap->foreign_count, "Python objects are counted wrongly");
}

void heap_check(const Heap *heap) {
    require(heap->draining || !heap->dying, "something dead was left");
    require(heap->peak <= heap->limit && heap->bytes <= heap->peak, "more is in use than may be");
    const size_t in_slabs = check_slabs(heap), free_bytes = check_free(heap, in_slabs);
    const size_t shelved = check_shelf(&heap->shelves[FOR_STACKS]) + check_shelf(&heap->shelves[FOR_TAPES]);
    const size_t found = in_slabs - free_bytes + check_large(heap) - shelved;
    require(found + heap->reported == heap->bytes, "what is in use is counted wrongly");
    check_foreign(heap);
}
