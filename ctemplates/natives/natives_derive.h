/* Native steps of derivatives. */
#ifndef CK_NATIVES_DERIVE_H
#define CK_NATIVES_DERIVE_H

#include "natives/native.h"

/* The steps that Bisection tapes at once within steps: 10,000 unless set (CHECKPOINT_BASE). */
int64_t base_steps(void);
void set_base_steps(int64_t steps);

NATIVE(native_exit);
NATIVE(native_reverse);
NATIVE(native_checkpoint_reverse);
NATIVE(native_gradient);

#endif
