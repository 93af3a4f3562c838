/* The cotangent of the value of an inner run, as the operand of *j gives it.
 *
 * It has the shape of the value, or is the object that stands for 1, where the value is one number. Where several paths
 * lead to one number, what the paths give is added, the last path first.
 */
#ifndef CK_SEEDS_H
#define CK_SEEDS_H

#include "operators/inner.h"

typedef struct Seeds {
    Value cotangent;
    bool is_one; /* it stands for 1 */
    Locations value; /* the numbers of the value, once each */
    Locations paths, cotangents; /* the same for each path, with the numbers of the cotangent */
} Seeds;

void seeds_begin(Seeds *seeds, Heap *heap);
void seeds_end(Seeds *seeds);

/* Adds the tags of the cotangent's numbers. false: it is refused. */
bool seeds_open(Seeds *seeds, Heap *heap, Value cotangent, Tags *tags);

/* Finds the numbers of the value; false: it is refused, or the cotangent has another shape. */
bool seeds_match(Seeds *seeds, Value value, Register at);

/* Gives the cotangent to the run. tags: of the cotangent's numbers. received: NULL, or, of a run with one tag more, the
 * components at these tags of what each number of the value has received. */
void seeds_give(const Seeds *seeds, Inner *run, const Tags *tags, const double *received);

#endif
