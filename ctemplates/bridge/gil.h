/* Python's global interpreter lock, for files that do not include Python.h. */
#ifndef CK_GIL_H
#define CK_GIL_H

/* Takes the lock in whatever thread this is; gives it back. */
void *python_lock(void);
void python_unlock(void *lock);

void python_release(void *python); /* gives a reference up; takes the lock itself */

#endif
