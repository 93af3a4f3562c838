/* Additions at many indices along an axis: see scattering.h. */
#include "numpy/scattering.h"

#include "numpy/elements.h"

enum { MOST_AXES_HERE = 8 };

/* What is added, and where to. */
typedef struct Scatter {
    const NumpyArray *whole, *index, *added;
    int axis, behind; /* of the array: that of the indices; of what is added: the first one behind those of the indices */
    Py_ssize_t width; /* elements of an array behind the axis, and of what is added behind the indices */
} Scatter;

static bool is_of_integers(PyObject *array) {
    return is_numpy(array) && dtype_of(array)->kind == 'i' && dtype_of(array)->size == sizeof(int64_t) && is_plain_row(array);
}

/* Returns whether what is added has the axes of the array, those of the indices in place of one, and is in a row behind them. */
static bool fits(Scatter *s) {
    const NumpyArray *whole = s->whole, *index = s->index, *added = s->added;
    const int others = index->axes - 1;
    if (s->axis < 0 || s->axis >= whole->axes || index->axes < 1) return false;
    if (added->axes != whole->axes + others || added->axes > MOST_AXES_HERE) return false;
    s->behind = s->axis + index->axes;
    for (int i = 0; i < s->axis; i++)
        if (added->shape[i] != whole->shape[i]) return false;
    for (int i = 0; i < index->axes; i++)
        if (added->shape[s->axis + i] != index->shape[i]) return false;
    s->width = 1;
    for (int i = added->axes - 1; i >= s->behind; i--) {
        const bool is_row = added->shape[i] == 1 || added->strides[i] == s->width * (Py_ssize_t)sizeof(double);
        if (added->shape[i] != whole->shape[i - others] || !is_row) return false;
        s->width *= added->shape[i];
    }
    return true;
}

static const int64_t *indices_of(const Scatter *s) { return (const int64_t *)(const void *)s->index->data; }

static bool are_within(const Scatter *s, Py_ssize_t count) {
    const int64_t *index = indices_of(s);
    const Py_ssize_t length = s->whole->shape[s->axis];
    bool within = true;
    for (Py_ssize_t i = 0; i < count; i++) within &= index[i] >= -length && index[i] < length;
    return within;
}

/* Moves to the next place along some axes of what is added, the last one first; false: there is none. */
static bool next_place(const NumpyArray *added, int first, int end, Py_ssize_t *at, const char **place) {
    for (int i = end - 1; i >= first; i--) {
        *place += added->strides[i];
        if (++at[i] < added->shape[i]) return true;
        *place -= added->shape[i] * added->strides[i];
        at[i] = 0;
    }
    return false;
}

/* Adds all, or only looks whether there is a NaN; returns whether there is one. */
static inline bool visit(const Scatter *s, bool adds) {
    const NumpyArray *added = s->added;
    const int last = s->behind - 1;
    const Py_ssize_t length = s->whole->shape[s->axis], stride = added->strides[last];
    double *to = (double *)(void *)s->whole->data;
    Py_ssize_t at[MOST_AXES_HERE] = {0};
    const char *block = added->data;
    bool has_nan = false;
    do {
        const int64_t *index = indices_of(s);
        const char *row = block;
        do {
            const char *place = row;
            for (Py_ssize_t i = 0; i < added->shape[last]; i++, place += stride, index++) {
                const double *from = (const double *)(const void *)place;
                double *target = adds ? to + (*index < 0 ? *index + length : *index) * s->width : NULL;
                for (Py_ssize_t k = 0; k < s->width; k++) {
                    if (adds)
                        target[k] += from[k];
                    else
                        has_nan |= from[k] != from[k];
                }
            }
        } while (next_place(added, s->axis, last, at, &row));
        to += length * s->width;
    } while (next_place(added, 0, s->axis, at, &block));
    return has_nan;
}

bool add_at(PyObject *whole, PyObject *index, PyObject *added, int axis) {
    if (!is_array_of_doubles(whole) || !is_plain_row(whole) || !is_of_integers(index) || !is_array_of_doubles(added)) return false;
    Scatter s = {.whole = numpy_of(whole), .index = numpy_of(index), .added = numpy_of(added), .axis = axis};
    if (!(s.whole->flags & WRITEABLE) || !fits(&s) || !are_within(&s, count_of(index))) return false;
    if (!count_of(added)) return true;
    if (visit(&s, false)) return false;
    visit(&s, true);
    return true;
}

/* Indices */

bool names_each_once(PyObject *index, Py_ssize_t length) {
    if (!is_of_integers(index)) return false;
    const Py_ssize_t count = count_of(index);
    const int64_t *places = (const int64_t *)(const void *)numpy_of(index)->data;
    char *named = count <= length ? PyMem_Calloc((size_t)length + 1, 1) : NULL;
    bool once = named != NULL;
    for (Py_ssize_t i = 0; once && i < count; i++) {
        const int64_t place = places[i] < 0 ? places[i] + length : places[i];
        once = place >= 0 && place < length && !named[place];
        if (once) named[place] = 1;
    }
    PyMem_Free(named);
    return once;
}
