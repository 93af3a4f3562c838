/* Calls of Python about a raised value, for unwinding. */
#ifndef CK_RAISED_H
#define CK_RAISED_H

#include "state/machine.h"

/* foreign_strip: a raised value passes the k-th exit of a j*, and loses its
 * tangents; false: Python failed, and the value is gone. Where there is no handler: the helper makes the error. Both
 * consume the value. */
bool foreign_strip(Machine *machine, uint32_t k, int64_t tag, Value *raised);

void foreign_uncaught(Machine *machine, Value raised);

#endif
