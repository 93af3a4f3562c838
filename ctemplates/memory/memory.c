/* Implements memory.h: pages.h, traced. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "memory/memory.h"
#include "memory/pages.h"

enum { DOMAIN = 0x636b }; /* tracemalloc's domain, which distinguishes these traces from those of Python's objects */

static void *traced(void *memory, size_t bytes) {
    if (memory) PyTraceMalloc_Track(DOMAIN, (uintptr_t)memory, bytes);
    return memory;
}

void *memory_take(size_t bytes) { return traced(pages_take(bytes), bytes); }

void *memory_resize(void *memory, size_t old_bytes, size_t bytes) {
    const uintptr_t old = (uintptr_t)memory;
    void *resized = pages_resize(memory, old_bytes, bytes);
    if (resized && (uintptr_t)resized != old) PyTraceMalloc_Untrack(DOMAIN, old);
    return traced(resized, bytes);
}

void memory_give(void *memory, size_t bytes) {
    PyTraceMalloc_Untrack(DOMAIN, (uintptr_t)memory);
    pages_give(memory, bytes);
}
