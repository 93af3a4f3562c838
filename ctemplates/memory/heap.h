/* The heap of one run and of the states taken along it: allocation, reference counts, exact accounting.
 *
 * A heap belongs to one thread at a time. Objects of up to LARGEST_CLASS bytes come from the free lists of their size
 * classes, cut from slabs; larger ones, and growing buffers, from memory.h. `bytes` is exactly what is in use (objects,
 * buffers, stack chunks, tapes; not the free lists), `peak` its maximum.
 *
 * When memory runs out (the system has none left, or `bytes` would exceed `limit`) heap_exhausted jumps to the
 * innermost `escape`, which every entry from Python sets (held.c). The objects of the run are then unreachable, and is
 * freed with the heap: heap_destroy frees everything, and releases every Python object.
 *
 * Freeing never recurses: an object without references waits on `dying`.
 */
#ifndef CK_HEAP_H
#define CK_HEAP_H

#include <setjmp.h>

#include "memory/heap_blocks.h"
#include "memory/poison.h"
#include "program/value.h"

typedef struct Heap Heap;

/* Operations of higher layers that a heap needs, on objects whose layout it does not know. */
struct Machine;
struct Cotangent;
struct Whole;
struct Tags;
struct ElementHooks;
typedef struct HeapHooks {
    void (*release_python)(void *python);          /* drops a reference; acquires the GIL itself */
    void (*destroy_container)(Heap *heap, Object *object); /* frees what a mutable container owns, not the object */
    void (*forget_layouts)(Heap *heap);            /* frees heap->layouts; the GIL is held */
    /* Returns the sum of two accumulators, at least one of them FOREIGN; consumes both. */
    Value (*add_foreign)(Heap *heap, Value a, Value b);
    /* Notes a Python object that enters the heap of a sweep which weighs arrays; returns the bytes of the elements of an
     * accumulator, 0 for all else. The GIL is held. */
    size_t (*note_foreign)(const Heap *heap, void *python);
    /* Stores the real nearest to a FOREIGN; false: it is no integer. NULL: there are no integers but those of C. */
    bool (*large_integer)(Value foreign, double *real);
    /* *j and its kin, as a native step (natives/native.h), whose tapes have `base` steps at most; and the reversal of one
     * with operands in the registers `at`, whose result, if it is a number, has `received`. false: refused (operators/gradient.h). */
    bool (*gradient)(struct Machine *machine, const Value *operands, int64_t base, Value *result);
    bool (*reverse_gradient)(struct Cotangent *c, const struct Whole *whole, Value *received, const Register *at);
    const struct ElementHooks *elements; /* of arrays, for translated code (state/element_sums.h); NULL: there are no arrays */
    /* Of executables, where nothing is left to Python; else NULL. mismatched: notes that the cotangent of a run within a step
     * does not fit its value. left: that the run has ended early; its tags, and those of the numbers of its step. */
    void (*mismatched)(Heap *heap, Value value, Value cotangent);
    void (*left)(struct Machine *machine, const struct Tags *own, const struct Tags *around);
} HeapHooks;

/* Owners of mutable containers (versions.h): an epoch of a machine, or one of these. */
enum { NOBODY = 0, FROZEN = 1, FIRST_RUN = 2 };

/* A Python object. All of a heap's are linked, so that heap_destroy can release them. */
typedef struct Foreign {
    Object head;
    void *python; /* PyObject *, owned unless `borrowed` */
    struct Foreign *previous, *next;
    bool borrowed; /* it is a constant of the code, which outlives the heap */
    bool watched;  /* it is an argument's array that no operation has had as an operand yet (driver/leaves.h) */
    int64_t field; /* of a key of dictionaries (keys.c); 0: not asked yet */
    size_t accumulated; /* the bytes of the elements of an accumulator, where they are counted; else 0 */
} Foreign;

/* Freed large blocks, kept for the next request; not in `bytes`. Stacks and tapes have a shelf each. */
typedef struct Shelf {
    void *memory; /* the newest, whose first word is the one before it; NULL: it is empty */
    size_t bytes; /* of that one */
    size_t all;   /* of all, with their overhead */
} Shelf;
typedef enum ShelfUse { FOR_STACKS, FOR_TAPES, SHELVES } ShelfUse;

/* The GIL, held by the thread that is in the heap until it leaves, or has used it often (bridge/guard.h). */
typedef struct PythonHold {
    bool held;
    uint32_t uses;
    void *lock;
} PythonHold;

/* The runs within steps of the run that is in the heap (operators/inner.h). */
typedef struct Nesting {
    uint32_t depth;
    int64_t left; /* the steps that they may still make */
    void *helper; /* PyObject *: of the outermost machine or cotangent, which makes code; borrowed, or NULL */
    void *within; /* the helper of the next run within a step; NULL: it has none */
} Nesting;

struct Heap {
    const HeapHooks *hooks;
    Nesting nesting;
    void *free[CLASSES]; /* lists of free blocks by size class, linked through their first word */
    char *fresh, *fresh_end; /* the rest of the newest slab */
    struct Slab *slabs; /* all slabs, newest first */
    size_t next_slab; /* how large the next slab will be */
    Object *dying;
    bool draining; /* `dying` is being processed, or will be: objects without references wait there */
    Foreign *foreign; /* all of them */
    size_t foreign_count;
    size_t accumulated; /* the bytes of the elements of all accumulators among them, while `weighs` */
    size_t touched;     /* how many watched ones have been operands since somebody set this to 0 */
    bool strips;        /* units were entered that run many lanes at once */
    bool unhelped;      /* no run has a helper in Python: tapes have nothing of Python's */
    bool weighs;        /* a sweep counts the bytes of arrays */
    void *storages;     /* its table of their storages (arrays/storage_table.h), or NULL */
    struct Large *large; /* the large blocks, linked, for heap_destroy */
    Shelf shelves[SHELVES];
    size_t reported; /* of `bytes`, those of Python's objects (heap_report) */
    size_t slab_bytes, large_bytes; /* of all slabs; of all that came from malloc, on the shelves too */
    size_t bytes, peak, limit; /* peak <= limit: so only a new peak is compared with it */
    jmp_buf *escape;
    PythonHold hold;
    uint64_t runs; /* the next epoch (versions.h) */
    int64_t uneven;     /* how often lists that were rebuilt in place were uneven, since that was paid for (free_order.h) */
    int64_t rebuilt[2]; /* of the last two lists that were rebuilt in place, the last one first (machine/unit_rebuilds.h) */
    /* Births of what enters, of which no cotangent is wanted: those before one, and so many from another one on. */
    uint64_t unwanted_before, unwanted, unwanted_count;
    size_t foreseen; /* the elements of the next list that grows by several at once, where they are known; 0: they are not */
    uint64_t own_before; /* births of what the procedure that runs holds: those before this one */
    void *keeps; /* PyObject *: the set of peers whose code closures and frames name; owned; NULL: none */
    int64_t fail_at; /* the hostile build: the allocation that fails, counted down; 0: none */
    struct Gate *gate; /* the thread in the heap, and what it releases on leaving (held.h) */
    struct Keys *keys;       /* the fields of keys (keys.c) */
    struct Layouts *layouts; /* cached queries about layouts (peek.c) */
    struct Suspects *suspects; /* containers that may be on cycles (collector.h); NULL: there were none */
    void *constants; /* a map from constants of the code to their values in this heap (memo.h) */
};

/* Returns whether the heap is that of an executable. */
static inline bool heap_is_alone(const Heap *heap) { return heap->hooks->mismatched != NULL; }

Heap *heap_create(size_t limit, const HeapHooks *hooks); /* NULL: no memory */
void heap_destroy(Heap *heap);   /* holds the GIL */
_Noreturn void heap_exhausted(Heap *heap);

/* Returns counted memory, never NULL. heap_resize may move it; old and new sizes are as requested. If they fail,
 * nothing has changed: the memory to be resized is still valid. */
void *heap_allocate(Heap *heap, size_t bytes);
void heap_free(Heap *heap, void *memory, size_t bytes); /* NULL is ignored */
void *heap_resize(Heap *heap, void *memory, size_t old_bytes, size_t new_bytes);

/* heap_to_shelf frees, but keeps blocks of about `most` bytes in all for the same use. heap_from_shelf returns one of
 * `least` to `most` bytes, and stores its size; NULL: there is none. */
void heap_to_shelf(Heap *heap, ShelfUse use, void *memory, size_t bytes, size_t most);
void heap_clear_shelf(Heap *heap, ShelfUse use); /* frees all that is on it */
void *heap_from_shelf(Heap *heap, ShelfUse use, size_t least, size_t most, size_t *bytes);

/* Count bytes in use, which may exhaust the limit. heap_report: bytes that Python reports to have. */
void heap_peaked(Heap *heap, size_t added);
static inline void heap_count(Heap *heap, size_t bytes) {
    heap->bytes += bytes;
    if (UNLIKELY(heap->bytes > heap->peak)) heap_peaked(heap, bytes);
}
static inline void heap_report(Heap *heap, size_t bytes) {
    heap_count(heap, bytes);
    heap->reported += bytes;
}
static inline void heap_unreport(Heap *heap, size_t bytes) {
    heap->bytes -= bytes;
    heap->reported -= bytes;
}

void *heap_block(Heap *heap, uint32_t size_class); /* from a slab; counted by the caller */

/* Returns a block of a size class, not cleared. */
static inline void *heap_take(Heap *heap, uint32_t size_class) {
    heap_count(heap, (size_t)size_class * CLASS_BYTES);
    void **block = (void **)heap->free[size_class];
    if (UNLIKELY(!block)) return heap_block(heap, size_class);
    heap->free[size_class] = *block;
    UNPOISON(block, (size_t)size_class * CLASS_BYTES);
    return block;
}
static inline void heap_put(Heap *heap, void *block, uint32_t size_class) {
    heap->bytes -= (size_t)size_class * CLASS_BYTES;
    *(void **)block = heap->free[size_class];
    heap->free[size_class] = block;
    POISON((char *)block + sizeof(void *), (size_t)size_class * CLASS_BYTES - sizeof(void *));
}

/* The second word of an object's header. Headers are written as whole words: reading a word that was just written in parts
 * stalls. */
static inline uint64_t object_word(Kind kind, uint64_t birth, uint32_t size_class) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return birth | (uint64_t)(kind & 0xff) << 48 | (uint64_t)size_class << 57;
#else
    const Object object = {.birth = birth, .kind = kind & 0xff, .size_class = size_class & 0x7f};
    uint64_t words[2];
    __builtin_memcpy(words, &object, sizeof words);
    return words[1];
#endif
}
static inline void object_set_word(Object *object, uint64_t word) {
    __builtin_memcpy((char *)object + sizeof word, &word, sizeof word);
}
static inline void object_begin(Object *object, Kind kind, uint32_t length, uint64_t birth, uint32_t size_class) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t words[2] = {UINT64_C(1) | (uint64_t)length << 32, object_word(kind, birth, size_class)};
    _Static_assert(sizeof(Object) == sizeof words, "an object's header is two words");
    __builtin_memcpy(object, words, sizeof words);
#else
    *object = (Object){.count = 1, .length = length, .birth = birth, .kind = kind & 0xff, .size_class = size_class & 0x7f};
#endif
}
/* Returns a new object with one reference, birth 0, length 0. */
Object *new_large_object(Heap *heap, Kind kind, size_t bytes);
static inline Object *new_object(Heap *heap, Kind kind, size_t bytes) {
    if (UNLIKELY(bytes > LARGEST_CLASS)) return new_large_object(heap, kind, bytes);
    const uint32_t size_class = (uint32_t)((bytes + CLASS_BYTES - 1) / CLASS_BYTES);
    Object *object = (Object *)heap_take(heap, size_class);
    object_begin(object, kind, 0, 0, size_class);
    return object;
}
/* Returns a new object with a birth and `length` cells, which the caller fills at once. */
static inline Cells *new_born_cells(Heap *heap, Kind kind, uint32_t length, int64_t birth) {
    const size_t bytes = sizeof(Cells) + length * sizeof(Value);
    Object *object;
    if (UNLIKELY(bytes > LARGEST_CLASS)) {
        object = new_large_object(heap, kind, bytes);
        object->length = length;
        object->birth = (uint64_t)birth & LARGEST_BIRTH;
    } else {
        const uint32_t size_class = (uint32_t)((bytes + CLASS_BYTES - 1) / CLASS_BYTES);
        object = (Object *)heap_take(heap, size_class);
        object_begin(object, kind, length, (uint64_t)birth & LARGEST_BIRTH, size_class);
    }
    return (Cells *)object;
}
static inline Cells *new_cells(Heap *heap, Kind kind, uint32_t length) {
    return new_born_cells(heap, kind, length, 0);
}
enum { PAIR_CLASS = (sizeof(Cells) + 2 * sizeof(Value) + CLASS_BYTES - 1) / CLASS_BYTES }; /* of a PAIR */
Value new_foreign(Heap *heap, void *python, bool borrowed); /* consumes the reference to `python` */

/* Notes that an operation has an object as an operand. */
static inline void foreign_touch(Heap *heap, Foreign *foreign) {
    if (LIKELY(!foreign->watched)) return;
    foreign->watched = false;
    heap->touched++;
}

void release(Heap *heap, Object *object); /* its refcount has become 0 */
static inline void heap_release_python(const Heap *heap, void *python) { heap->hooks->release_python(python); }

/* Between these two calls objects are counted but not released: no Python code runs that could change what is in use.
 *
 *     bool outer = heap_hold(heap); ... drop(heap, v); ... heap_resume(heap, outer); */
void heap_drain(Heap *heap);
static inline bool heap_hold(Heap *heap) {
    const bool outer = heap->draining;
    heap->draining = true;
    return outer;
}
static inline void heap_resume(Heap *heap, bool outer) {
    if (!outer) heap_drain(heap);
}

static inline void keep(Value v) {
    if (is_counted(v)) v.object->count++;
}
static inline Value copied(Value v) {
    keep(v);
    return v;
}
static inline void drop(Heap *heap, Value v) {
    if (is_counted(v) && --v.object->count == 0) release(heap, v.object);
}
/* Returns a value with a reference: its own if it moves, else a new one. */
static inline Value used(Value v, bool moved) {
    if (!moved) keep(v);
    return v;
}

#endif
