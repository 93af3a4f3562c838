/* What a tape keeps of a step on whole values that C has done: the values, which never change, with their births.
 *
 * In: operands and result of the step. Out: its reversal reads their numbers and the places of these again
 * (reversal/reverse_whole.c, operators/).
 */
#ifndef CK_WHOLE_H
#define CK_WHOLE_H

#include "memory/heap.h"

/* WHOLE_LIFT: the argument of the procedure of j*; operands: that argument and its tangent without derivatives of this j*.
 * WHOLE_EXIT: the exit of j*, of a value under a tag. WHOLE_GRADIENT: *j and its kin; operands: procedure, argument,
 * cotangent. In executables also: WHOLE_RAISE: what a procedure has raised at its argument; WHOLE_STRIP: a raised value
 * without the derivatives of a tag. */
typedef enum WholeKind { WHOLE_LIFT, WHOLE_EXIT, WHOLE_GRADIENT, WHOLE_RAISE, WHOLE_STRIP } WholeKind;

enum { MOST_WHOLE = 3 };

typedef struct Whole {
    WholeKind kind;
    int64_t tag;
    Value operands[MOST_WHOLE]; /* owned, like the result */
    Value result;
    int64_t step; /* of WHOLE_GRADIENT and WHOLE_RAISE: the steps that its run had made */
} Whole;

static inline Whole *whole_create(Heap *heap, WholeKind kind, const Value *operands, int count, Value result) {
    Whole *made = heap_allocate(heap, sizeof(Whole));
    *made = (Whole){.kind = kind, .result = copied(result)};
    for (int i = 0; i < MOST_WHOLE; i++) made->operands[i] = i < count ? copied(operands[i]) : nothing();
    return made;
}

static inline void whole_destroy(Heap *heap, Whole *whole) {
    for (int i = 0; i < MOST_WHOLE; i++) drop(heap, whole->operands[i]);
    drop(heap, whole->result);
    heap_free(heap, whole, sizeof(Whole));
}

#endif
