/* The flags of a StepPlan (checkpoint/ctarget/plans.py) for arrays. (Also read by cffi.)
 *
 *     OVERLOADS   the step is one on arrays only if an operand is an array
 *     OF_FIRST    only if the first one is
 *     VIEWS       the result may share the elements of an operand
 *     CHANGES     it changes the first operand
 *     VARIADIC    it takes any number of operands: its last rule serves all further ones
 *     ANYWAY      no function of arrays performs it, or C does not handle the results of that function
 *     UNASKED     the plan for arrays has not been made yet
 *     ITEMS       the result is the items of the first operand along the second, an axis; of a row of reals, C makes them
 *     ENTERS      it enters a lane of vmap
 *     SHARES      it makes what all lanes share
 *     JOINS       the result is the second operand along a new axis; of a list of reals, C makes it
 */
#ifndef CK_PLAN_FLAGS_H
#define CK_PLAN_FLAGS_H

enum { OVERLOADS = 1, OF_FIRST = 2, VIEWS = 4, CHANGES = 8, VARIADIC = 16, ANYWAY = 32, UNASKED = 64, ITEMS = 128, JOINS = 256, ENTERS = 512, SHARES = 1024 };

/* The bit of the result, among those that say which operands a rule reads. */
enum { RESULT_BIT = 62 };

/* Of a step on arrays that is done in C (array_steps.h); as many as any record has, so that Python tapes none of them. */
enum { MOST_OPERANDS = 12 };

/* Of the tuples and lists in the operands of a step that C tapes (array_steps/operand_parts.h). */
enum { MOST_BIRTHS = 64 };

#endif
