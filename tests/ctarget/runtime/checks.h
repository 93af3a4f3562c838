/* What the tests of the runtime share: checks, random numbers, and stand-ins for Python (standins.c). */
#ifndef CK_CHECKS_H
#define CK_CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "containers/lists.h"
#include "memory/heap_check.h"
#include "state/machine.h"

#define CHECK(condition)                                                                                       \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                           \
        }                                                                                                      \
    } while (0)

/* Python objects are stood in for by numbers. alive[n]: how many references to the n-th the heap owns. */
enum { OBJECTS = 1 << 16 };
extern int alive[OBJECTS];
extern int alive_in_all;
extern void (*on_release)(void *python); /* what the release of a Python object does besides, or NULL */

extern const HeapHooks TEST_HOOKS;

Value object_value(Heap *heap, int number); /* a new reference */
int number_of(Value foreign);
Value simple_list(Heap *heap, uint32_t length); /* for the caller to fill */

uint32_t random_below(uint32_t bound);
void random_seed(uint64_t seed);

/* Runs `body` on new heaps, with the first, second, ... allocation failing, until none does; each time all is
 * freed, and every Python object released. */
void with_every_failure(void (*body)(Heap *heap));

#endif
