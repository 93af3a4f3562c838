/* What steps ask of an array of any library: shape, dtype, kind of elements, whose elements it has.
 *
 * NumPy's arrays are read as its binary interface lays them out, all others by their attributes and by the functions of
 * checkpoint.ad.array_library. A form is also what a Like has: shape and dtype without elements.
 */
#ifndef CK_FORMS_H
#define CK_FORMS_H

#include "arrays/array_classes.h"

/* Return whether two arrays, or Likes, agree in it; false, without an exception, if one has none. */
bool same_shape(const ArrayClasses *c, PyObject *x, PyObject *y);
bool same_dtype(const ArrayClasses *c, PyObject *x, PyObject *y);

static inline bool same_form(const ArrayClasses *c, PyObject *x, PyObject *y) {
    return same_shape(c, x, y) && same_dtype(c, x, y);
}

/* The shapes and dtypes of arrays that stay as they are meanwhile: a library is asked for each of them once. All 0 at
 * first. */
enum { MOST_NOTED = 4 };
typedef struct Forms {
    struct NotedForm {
        const PyObject *array; /* not owned */
        PyObject *shape, *dtype;
    } noted[MOST_NOTED];
    int count;
} Forms;

void forms_end(Forms *forms); /* releases its references */
void forms_note(const ArrayClasses *c, Forms *forms, const PyObject *array, PyObject *like); /* which has its form */

/* Do the same as same_form, same_dtype and axes_of, for arrays that may be noted; `new_array` is not. */
bool same_noted_form(const ArrayClasses *c, Forms *forms, PyObject *x, PyObject *y);
bool has_noted_dtype(const ArrayClasses *c, Forms *forms, PyObject *new_array, PyObject *y);
Py_ssize_t noted_axes(const ArrayClasses *c, Forms *forms, PyObject *array);

enum { MOST_AXES = 64 };

/* Stores the shape of an array or a Like, and returns the number of its axes; -1, without an exception: it has none, or
 * more axes than MOST_AXES. */
int read_shape(const ArrayClasses *c, PyObject *array, Py_ssize_t shape[MOST_AXES]);

/* Returns the shape of an array or a Like as a tuple, a new reference; NULL with an exception. */
PyObject *shape_as_tuple(const ArrayClasses *c, PyObject *array);

/* Returns the number of axes of an array or a Like; -1: an exception is set. */
Py_ssize_t axes_of(const ArrayClasses *c, PyObject *array);

/* Returns NumPy's letter for the kind of an array's elements; 0: an exception is set, or it has none. */
Py_UCS4 kind_of_elements(const ArrayClasses *c, PyObject *array);

/* Returns the object that holds the elements of an array, a new reference; NULL with an exception. */
PyObject *holder_of(const ArrayClasses *c, PyObject *array);
bool holds(const ArrayClasses *c, PyObject *whole, PyObject *data); /* whether an object holds the elements of an array */

/* Returns the storage of an array, a new reference, if its library counts arrays by storage (storage_table.h); NULL: it
 * does not, or an exception is set. storage_bytes: those of one; -1 with an exception. */
PyObject *storage_of(const ArrayClasses *c, PyObject *array);
int64_t storage_bytes(const ArrayClasses *c, PyObject *array, PyObject *storage);

/* Returns whether an array may show the elements of another one. */
bool is_view(const ArrayClasses *c, PyObject *array);

#endif
