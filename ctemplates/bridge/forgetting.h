/* Forgetting Python's current exception where C has another way to go on.
 *
 * What always holds: whatever ends a run is not lost. The handler of a signal runs at the beginning of any function of Python,
 * also of one that C calls and whose failure means nothing but that C cannot take a step: Ctrl-C would disappear there.
 */
#ifndef CK_FORGETTING_H
#define CK_FORGETTING_H

/* Clears Python's current exception, if there is one. One that ends programs (KeyboardInterrupt, SystemExit: no Exception)
 * is raised again where the main thread next executes Python's code. The GIL is held. */
void forget_exception(void);

#endif
