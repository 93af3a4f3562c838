/* Native steps of derivatives. */
#ifndef CK_NATIVES_DERIVE_H
#define CK_NATIVES_DERIVE_H

#include "natives/native.h"

NATIVE(native_exit);
NATIVE(native_reverse);
NATIVE(native_checkpoint_reverse);
NATIVE(native_gradient);

#endif
