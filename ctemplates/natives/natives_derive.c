/* Native steps of derivatives: see natives_derive.h. */
#include "natives/natives_derive.h"

#include "derivatives/forward.h"

/* BASE: the steps that Bisection tapes at once (checkpoint/driver/schedule.py). */
enum { BASE = 10000 };

NATIVE(native_exit) {
    (void)count;
    *note = NO_NOTE;
    return split_value(m, operands[0], operands[1], result);
}

NATIVE(native_reverse) {
    (void)count;
    *note = NO_NOTE;
    return m->heap->hooks->gradient(m, operands, INT64_MAX, result);
}

NATIVE(native_checkpoint_reverse) {
    (void)count;
    *note = NO_NOTE;
    return m->heap->hooks->gradient(m, operands, BASE, result);
}

/* The fourth operand says which cotangents are read: without arrays all are there. */
NATIVE(native_gradient) {
    (void)count;
    *note = NO_NOTE;
    return m->heap->hooks->gradient(m, operands, BASE, result);
}
