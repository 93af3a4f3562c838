/* What Python does with a raised value on its way to a handler. */
#ifndef CK_RAISED_H
#define CK_RAISED_H

#include "state/machine.h"

/* What machine_unwind (unwind.c) leaves to Python. The k-th exit of a j* that a raised value passes: it loses its
 * tangents; false: Python failed, and the value is gone. Where there is no handler: the helper makes the error. Both
 * consume the value. */
bool foreign_strip(Machine *machine, uint32_t k, int64_t tag, Value *raised);

void foreign_uncaught(Machine *machine, Value raised);

#endif
