/* Raised values that carry derivatives, where they leave a run within a step, or a j*.
 *
 * What a procedure raises at its argument is a function of these: (handle (f x) (e) e). So its reversal is a gradient of
 * that, and its derivatives forward are those of the numbers that it is made of.
 */
#ifndef CK_RAISING_H
#define CK_RAISING_H

#include "operators/components.h"
#include "state/cotangent.h"
#include "state/whole.h"

/* Of HeapHooks: makes what the run within the machine's step has raised a value of the run around, whose numbers have
 * their own tags again. */
void raised_within(Machine *m, const Tags *own, const Tags *around);

/* Adds to a part, if there is one, by what the value that its step raises is reversed. */
void note_raised(Machine *m, const Value *operands);

/* Reverses it (HeapHooks.reverse_gradient). */
bool reverse_raised(Cotangent *c, const Whole *whole, Value *received, const Register *at);

/* Removes the derivatives of a tag from a raised value that leaves its j*, the k-th one. */
void strip_raised(Machine *m, uint32_t k, int64_t tag, Value *raised);

/* Reverses that: `received` of the value without, `stripped` of the one with the derivatives, if these are numbers. */
void reverse_strip(Cotangent *c, const Whole *whole, Value *received, Value *stripped);

#endif
