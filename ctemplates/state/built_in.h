/* The blocks that every run has, made once (checkpoint/ctarget/code.py). */
#ifndef CK_BUILT_IN_H
#define CK_BUILT_IN_H

#include "program/code.h"

/* entry: where runs begin, in front of the call of a procedure. halt, leave: the return points of the end of a run, and of
 * the exit of j*. unit: the Python object that stands for the cotangent 1. NULL: not made yet. */
typedef struct BuiltIn {
    const Block *entry;
    const ReturnPoint *halt, *leave;
    const void *unit;
} BuiltIn;

extern BuiltIn built_in;

#endif
