/* The resident memory of the process, as Linux counts it; elsewhere it is not known.
 *
 * The system may count some pages late, up to a few hundred KiB for each thread. What malloc has free is resident, too, until it
 * is returned.
 */
#ifndef CK_RESIDENT_H
#define CK_RESIDENT_H

#include <stdint.h>

typedef struct Resident {
    int file; /* -1: it cannot be read */
} Resident;

Resident resident_open(void);
void resident_close(Resident resident);
int64_t resident_bytes(Resident resident); /* -1: unknown. About a microsecond */
void resident_return_free(void); /* returns what malloc has free to the system, where malloc can */
int64_t resident_malloced(void); /* what malloc has given out; 0: unknown. About two microseconds */

#endif
