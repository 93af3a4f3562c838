/* Python's global interpreter lock, for files that do not include Python.h. */
#ifndef CK_GIL_H
#define CK_GIL_H

/* Acquires the lock, in any thread; releases it. */
void *python_lock(void);
void python_unlock(void *lock);

void python_release(void *python); /* drops a reference; acquires the lock itself */

#endif
