/* Native steps of derivatives: see natives_derive.h. */
#include "natives/natives_derive.h"

#include <stdatomic.h>

#include "derivatives/forward.h"

static _Atomic int64_t base = 10000; /* as of Bisection (checkpoint/driver/schedule.py) */

int64_t base_steps(void) { return atomic_load_explicit(&base, memory_order_relaxed); }
void set_base_steps(int64_t steps) { atomic_store_explicit(&base, steps, memory_order_relaxed); }

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
    return m->heap->hooks->gradient(m, operands, base_steps(), result);
}

/* The fourth operand says which cotangents are read: without arrays all are there. */
NATIVE(native_gradient) {
    (void)count;
    *note = NO_NOTE;
    return m->heap->hooks->gradient(m, operands, base_steps(), result);
}
