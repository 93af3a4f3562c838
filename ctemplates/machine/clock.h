/* The length of one call from Python, which checks for an interruption between two: so many steps, or so much time.
 *
 * Steps take from less than a nanosecond to seconds. A call of more than SLICE steps reads the clock after each SLICE of them, and
 * ends when CALL_MICROSECONDS have passed; a sweep reads it after up to LONG_SLICE, where they are that fast.
 */
#ifndef CK_CLOCK_H
#define CK_CLOCK_H

#include <stdint.h>

enum { SLICE = 1000000, LONG_SLICE = 4 * SLICE, CALL_MICROSECONDS = 10000 };

int64_t clock_microseconds(void); /* since some moment; it takes 50 ns to find out */

#endif
