/* Python's current exception: taken, to be raised elsewhere, or forgotten, where C has another way to go on.
 *
 * What always holds: what ends a run is not lost. The handler of a signal runs at the beginning of any function of Python, also
 * of one that C calls and whose failure means only that C cannot take a step: Ctrl-C would disappear there. The GIL is held.
 */
#ifndef CK_EXCEPTIONS_H
#define CK_EXCEPTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Returns Python's current exception, a new reference, and clears it. */
PyObject *take_exception(void);

/* Clears Python's current exception, if there is one. One that ends programs (KeyboardInterrupt, SystemExit: no Exception)
 * is raised again where the main thread next executes Python's code. */
void forget_exception(void);

#endif
