/* Calls of Python about a raised value, for unwinding. */
#ifndef CK_RAISED_H
#define CK_RAISED_H

#include "state/machine.h"

/* foreign_strip: strips a raised value of its tangents at the k-th exit of a j*; false: Python failed, and the value
 * has been dropped. The other makes the error when there is no handler, by the helper. Both consume the value. */
bool foreign_strip(Machine *machine, uint32_t k, int64_t tag, Value *raised);

void foreign_uncaught(Machine *machine, Value raised);

#endif
