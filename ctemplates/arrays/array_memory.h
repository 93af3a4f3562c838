/* Counts the bytes of NumPy arrays that were allocated during some work of a thread, and are still alive.
 *
 * In: `begin` or `resume`, and after it `suspend` or `end`, in the same thread and context, properly nested. (If they
 * are not nested, the ended handler is not put back; in another context, the counter stays in the one where it began,
 * and does no harm.) Out: at any time the bytes, exactly those that NumPy requested: an array's nbytes, whoever owns
 * it; at least 1 for an empty one. A view counts nothing; an array that grows counts anew. Earlier arrays count
 * nothing, nor do those whose data NumPy did not allocate. Temporaries of NumPy count while they exist: a scalar
 * operand as an array, the workspace of a sort.
 *
 * How: a handler of NumPy's (NEP 49) in its context variable, so other threads and contexts are not affected. Each
 * block belongs to the handler that was current at `begin`, as if nothing counted: NumPy's cache of small blocks and
 * tracemalloc work as before, and an array may be freed at any time and place, also after `end` and at the
 * interpreter's exit. Nested counters both count.
 *
 * A sweep begins at its start; if it returns to Python in between, it suspends before and resumes after (what is alive
 * stays counted); it reads `live` for each report, and ends when it ends or fails. All functions but those of live and
 * peak take the GIL themselves, and leave Python's current exception as it is.
 */
#ifndef CK_ARRAY_MEMORY_H
#define CK_ARRAY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct ArrayMemory ArrayMemory;

/* Starts counting. NULL: counting is impossible, since NumPy has not been imported yet, its interface is not known, or
 * memory ran out; everything below accepts NULL, and returns 0. */
ArrayMemory *array_memory_begin(void);
void array_memory_suspend(ArrayMemory *memory); /* arrays made from here on do not count */
void array_memory_resume(ArrayMemory *memory);
void array_memory_end(ArrayMemory *memory); /* suspends, if need be; the counter may then be freed */

/* Has a function called before each large block that NumPy takes, with its bytes; in any thread. It returns memory that
 * the process keeps to the system. */
void array_memory_before_large(ArrayMemory *memory, void (*make_room)(void *context, size_t bytes), void *context);

int64_t array_memory_live(const ArrayMemory *memory); /* bytes; in any thread, with the GIL or without */
int64_t array_memory_peak(const ArrayMemory *memory); /* the most since begin, or since it was begun again */
void array_memory_begin_peak(ArrayMemory *memory);
int64_t array_memory_step_peak(ArrayMemory *memory); /* the most since it was called last; begins again */

#endif
