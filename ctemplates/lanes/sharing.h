/* What all lanes of vmap share: which of the copies that the step py.lanes (checkpoint/prims/lanes.py) has made are of
 * constants, so that no lane need have cotangents for them.
 */
#ifndef CK_SHARING_H
#define CK_SHARING_H

#include "state/machine.h"

/* Marks the copies of constants. operands: those of the step, a function and its arguments first; lanes: its value, a
 * tuple with copies of these. */
void share_constants(const Value *operands, Value lanes);

#endif
