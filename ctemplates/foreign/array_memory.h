/* How many bytes of NumPy arrays' data came into being in a segment of a thread's work, and are still alive.
 *
 * In: `begin` or `resume`, and after it `suspend` or `end`, in the same thread and context, in the order of brackets.
 * (Where the order is another one, what ends is not put back; where the context is, the counter stays in the one
 * where it began, and does no harm.) Out: at any time the bytes, exactly those that NumPy asked for: an array's
 * nbytes, whoever holds it; at least 1 for an empty one. A view has none; an array that grows counts anew. Arrays that
 * were there before count nothing, nor do those whose data NumPy did not allocate. What NumPy makes for a moment
 * counts for that moment: a scalar operand as an array of its own, what a sort needs.
 *
 * How: a handler of NumPy's (NEP 49) in the context variable that it has for that, so other threads and contexts
 * are not affected. Each block is that of the handler which was current at `begin`, as if nothing counted: NumPy's
 * cache of small blocks and tracemalloc go on as before, and an array may be freed whenever and wherever, also after
 * `end` and at the interpreter's exit. A counter within a counter counts in both.
 *
 * For a sweep: begin where it starts; if it returns to Python in its midst, suspend before and resume after (what
 * is alive stays counted while suspended); read live for each report; end where it ends, also where it failed.
 * All but live and peak take the GIL themselves, and leave Python's present exception as it is.
 */
#ifndef CK_ARRAY_MEMORY_H
#define CK_ARRAY_MEMORY_H

#include <stdint.h>

typedef struct ArrayMemory ArrayMemory;

/* Counts from here on. NULL: there is nothing to count with, since NumPy has not been imported yet, is one whose
 * interface is not known, or memory ended; everything below takes NULL, and tells 0. */
ArrayMemory *array_memory_begin(void);
void array_memory_suspend(ArrayMemory *memory); /* arrays that come into being now do not count */
void array_memory_resume(ArrayMemory *memory);
void array_memory_end(ArrayMemory *memory); /* suspends, if need be; the counter may then be freed */

int64_t array_memory_live(const ArrayMemory *memory); /* bytes; in any thread, with the GIL or without */
int64_t array_memory_peak(const ArrayMemory *memory); /* the most since begin */

#endif
