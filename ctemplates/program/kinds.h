/* Values: 16 bytes, a tag and a payload. (Also read by cffi.)
 *
 * The low byte of a tag is the kind. Kinds from PAIR on are *counted*: the payload is an Object with a reference count.
 * The tag of a real is 0, so (a.tag | b.tag) == 0 tests for two reals.
 *
 *     REAL        real                             INTEGER     integer (a larger one is FOREIGN)
 *     BOOLEAN     integer, 0 or 1                  NOTHING     null; also the empty environment
 *     NODE        real, on the tape of one step (step_tape.h); the upper bits of the tag are its index there
 *     PROCEDURE   a closure without an environment; the upper bits of the tag are its Procedure
 *     PAIR        Cells of 2                       RECORD      Cells: the layout (FOREIGN; NOTHING: that of a plain
 *                                                              tuple), then the fields
 *     LIST        List (lists.h)                   DICTIONARY  Dictionary (dictionary.h)
 *     CLOSURE     its environment's Cells; the upper bits of the tag are its Procedure
 *     ENVIRONMENT Cells: captured values           RANGE       Cells of 3 integers: start, stop, step
 *     DUAL        Cells of 2: primal, tangent; `birth` is its tag. Also the accumulator of a dual
 *     FOREIGN     Foreign (heap.h): any other Python object
 *     INSTANCE    Instance (instances.h): of a class, with attributes that may change
 *
 * What always holds: values are immutable except LIST, DICTIONARY and INSTANCE, which may be reached from themselves. A CLOSURE's payload is its
 * environment itself: the closures of one group share it.
 */
#ifndef CK_KINDS_H
#define CK_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Kind {
    REAL = 0,
    INTEGER = 1,
    BOOLEAN = 2,
    NOTHING = 3,
    NODE = 4,
    PROCEDURE = 5,
    PAIR = 8,
    RECORD = 9,
    LIST = 10,
    DICTIONARY = 11,
    CLOSURE = 12,
    ENVIRONMENT = 13,
    DUAL = 14,
    RANGE = 15,
    FOREIGN = 16,
    INSTANCE = 17
} Kind;

/* Integers of at most this size are equal to reals. */
#define LARGEST_EXACT (INT64_C(1) << 53)

/* The fields of a dictionary's keys (keys.c): an integer in [-FIRST_INTERNED, FIRST_INTERNED) is its own. */
#define FIRST_INTERNED (INT64_C(1) << 62)

typedef struct Object Object;

typedef struct Value {
    uint64_t tag;
    union {
        double real;
        int64_t integer;
        Object *object;
    };
} Value;

#endif
