/* The blocks of a heap's memory: slabs, from which small blocks are cut, and large blocks, which are linked. */
#ifndef CK_HEAP_BLOCKS_H
#define CK_HEAP_BLOCKS_H

#include <stddef.h>

enum { CLASS_BYTES = 16, CLASSES = 33, LARGEST_CLASS = CLASS_BYTES * (CLASSES - 1) };

typedef struct Slab {
    struct Slab *previous;
    size_t size; /* of the blocks */
    _Alignas(CLASS_BYTES) char blocks[];
} Slab;

typedef struct Large {
    struct Large *previous, *next;
    size_t bytes;
    size_t unused; /* makes the memory as aligned as malloc's */
    char memory[];
} Large;

_Static_assert(sizeof(Large) % CLASS_BYTES == 0, "large blocks are aligned");

static inline Large *large_of(void *memory) { return (Large *)(void *)((char *)memory - offsetof(Large, memory)); }
#endif
