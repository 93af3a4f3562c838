/* Many things that do not depend on each other, done in portions by several threads. */
#ifndef CK_PORTIONS_H
#define CK_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Does a range of things, on any thread; returns 0, or why the things that follow are not wanted. */
typedef int DoRange(const void *context, int64_t start, int64_t end);

/* Does so many things, in portions by several threads where these are shared; returns what the first range returned that did not
 * return 0. effort: of each, a tenth of a nanosecond or so. Portions begin at multiples of `together`. */
int do_in_portions(DoRange *range, const void *context, int64_t count, int64_t effort, int64_t together);

/* Returns whether other threads would most likely take part in so much. */
bool are_shared(int64_t count, int64_t effort);

#endif
