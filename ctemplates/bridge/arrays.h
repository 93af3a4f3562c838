/* Steps on arrays, in C but for the library's own function: what bridge_arrays.c and bridge_pulls.c share.
 *
 * In: a step whose record is, or is overloaded by, a function of arrays, and operands that are plain: arrays that are
 * not stale, reals, integers, strings, slices, tuples and lists of such; no derivatives. Out: what
 * checkpoint.interp.hybrid.tensors makes of it: the value, on a tape the same origin. Everything else is left to
 * the peer's `perform`.
 */
#ifndef CK_ARRAYS_H
#define CK_ARRAYS_H

#include "bridge/task.h"

/* Python's classes and where their instances keep what; found once. */
typedef struct ArrayClasses {
    PyTypeObject *peer, *machine, *way, *node, *array, *discrete, *memory, *native;
    PyTypeObject *pullback, *pulled, *like, *amount, *scattered, *tape;
    Py_ssize_t machine_owner, machine_tape, machine_steps, machine_births, machine_tags;
    Py_ssize_t array_data, array_memory, discrete_data, discrete_memory;
    Py_ssize_t memory_owner, memory_stale, memory_passing, native_value;
    Py_ssize_t way_plain, way_taped, way_on_arrays, way_on_tape, way_flags, way_value, way_in_place;
    Py_ssize_t way_rules, way_record, way_pulls, tape_bytes;
    Py_ssize_t pullback_form, pullback_natives, pullback_record, pullback_result, pullback_wanted;
    Py_ssize_t pulled_is_simple, pulled_places, pulled_pullback, pulled_results;
    Py_ssize_t like_shape, like_dtype, amount_array, amount_owned, tape_kept;
    PyObject *backends, *defaults, *constant, *idle, *array_of, *way_of, *pulls_of, *pull_bytes;
    PyObject *dtype, *kind, *ask, *base, *shape, *nbytes, *vjps, *refused; /* names */
} ArrayClasses;
const ArrayClasses *array_classes(void); /* NULL: they cannot be found, and an exception is set */

/* What a Way says (checkpoint/ctarget/ways.py). */
enum { OVERLOADS = 1, OF_FIRST = 2, VIEWS = 4, CHANGES = 8, VARIADIC = 16, ANYWAY = 32, UNASKED = 64 };

/* Does the step; false: it is not such a step, and nothing has been done. */
bool array_step(Task *task, const Step *step);

void clean_natives(Task *task);

/* The Python machine of the run, borrowed; NULL: an exception is set. */
PyObject *machine_of(Machine *m);

/* How a step is done; borrowed; NULL: only the peer can tell. */
PyObject *way_of_step(const ArrayClasses *c, const Task *task);

/* What a function of Python has raised becomes the step's failure, which the peer makes. */
void refuse_step(Task *task, const Step *step);

/* Does a step by a function of its way; false: nothing has been done. */
bool data_step(Task *task, const Step *step);

/* The origin of an application, a new reference; NULL: an exception is set. The bytes that it adds to the tape. */
PyObject *array_origin(const ArrayClasses *c, PyObject *way, const Natives *natives, PyObject *result, bool is_number,
                       PyObject *tape, int64_t *bytes);

/* The namespace of the first library's array among these; borrowed. */
PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count);

static inline bool is_library_array(const ArrayClasses *c, PyObject *object) {
    return PyDict_GetItemWithError(c->backends, (PyObject *)Py_TYPE(object)) != NULL;
}

#endif
