/* Copies of values with other numbers: what enters a run, what leaves it, and tangents.
 *
 * In: a value that a walk of places.h has not refused, and its new numbers, in the order of that walk. Out: a new value,
 * whose objects have births from `births` on, in preorder; what holds no number is copied too, but for atoms.
 */
#ifndef CK_COPYING_H
#define CK_COPYING_H

#include "derivatives/places.h"

typedef struct Copying {
    Heap *heap;
    int64_t births;       /* that of the next object */
    const Value *numbers; /* the next one; each is moved into the copy */
    Sharing sharing;
    bool tangent; /* atoms become null */
    bool freezes; /* no list in the copy can be changed; else those that could, and those of tangents */
    Seen seen;
} Copying;

/* Returns the copy, with one reference. */
Value copy_of(Copying *c, Value value);

#endif
