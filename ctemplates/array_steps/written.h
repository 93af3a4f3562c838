/* What steps that set elements of an array have in common: element_steps.c, view_steps.c.
 *
 * What always holds: a step sets the elements of the first operand, if the run has made it since its last state, or of a copy.
 * On a tape its origin has what was there before, if no copy was made, and the reversal puts that back.
 */
#ifndef CK_WRITTEN_H
#define CK_WRITTEN_H

#include "array_steps/application.h"
#include "array_steps/pull.h"

enum { WRITTEN_ARRAY }; /* the position of the operand that is changed */

/* Returns whether the first operand is an array that the run may change a copy of, which C makes: NumPy's would be laid out
 * in the same way. */
bool may_copy(const Application *a);

/* Takes a copy in the place of the first operand's elements, which a state of the run may hold; false: an exception is set. */
bool take_copy(Application *a);

/* Takes what the origins of these steps have in common. old: what is put back, used up; content: the position of what is
 * written. */
void fill_origin(const Application *a, PyObject *made, PyObject *index, PyObject *old, int content);

/* Notes whether the reversal of the tape will put elements back. */
void make_transient(const Application *a, bool in_place);

/* Returns whether the tape is kept, so that what is put back must be set again later. */
bool is_kept(const ArrayClasses *c, const Cotangent *cotangent);

/* Returns the array of an accumulator, if it belongs to the sweep alone; borrowed. */
PyObject *own_array(const ArrayClasses *c, const Value *accumulator);

#endif
