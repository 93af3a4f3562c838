/* What the tests of containers share: checks, random numbers, stand-ins for Python objects (standins.c). */
#ifndef CK_CHECKS_H
#define CK_CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "containers/collector.h"
#include "memory/heap_check.h"
#include "natives/natives.h"

#define CHECK(condition)                                                                                       \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                           \
        }                                                                                                      \
    } while (0)

#define TUPLE_LAYOUT ((void *)(intptr_t)2)
#define OBJECT_LAYOUT ((void *)(intptr_t)4)
#define LAYOUT_OF(fields) ((void *)(intptr_t)(1000 + 2 * (fields))) /* with the names of the texts 0, 1, ... */

Value text_value(Heap *heap, int number);  /* equal to others of that number */
Value large_value(Heap *heap, int number); /* the same, of integers that do not fit */
int releases(void);

extern const HeapHooks TEST_HOOKS;

void begin_machine(Machine *m, Heap *heap); /* at a state of its own, which it holds alone */

uint32_t random_below(uint32_t bound);
void random_seed(uint64_t seed);

/* The step of a record; the record must have a native one. */
bool run_native(Machine *m, const char *name, const Value *operands, uint32_t count, Value *result,
                Note *note);

#endif
