/* The run that values are converted for. */
#ifndef CK_SIDE_H
#define CK_SIDE_H

#include <stdint.h>

/* The owner of mutable containers in C and in Python, and the registers that imported closures need. */
typedef struct Side {
    uint64_t run;       /* the epoch of what belongs, in Python, to `owner`; NOBODY: there is no run */
    void *owner;        /* PyObject *, borrowed; NULL: there is none */
    uint32_t registers; /* raised to the most that the procedure of an imported closure needs */
} Side;

#endif
