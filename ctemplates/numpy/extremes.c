/* The largest magnitude among numbers: see extremes.h. */
#include "numpy/extremes.h"

#include <string.h>

enum { MOST_AXES_HERE = 8 };

/* Without their signs doubles are ordered as integers of the same bits are, with those of NaN behind all numbers. */
static inline int64_t magnitude_at(const char *place) {
    int64_t bits;
    memcpy(&bits, place, sizeof bits);
    return bits & INT64_MAX;
}

static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t peak_of_row(const char *row, Py_ssize_t count, Py_ssize_t stride) {
    int64_t even = 0, odd = 0;
    Py_ssize_t i = 0;
    for (; i + 2 <= count; i += 2, row += 2 * stride) {
        even = greater(even, magnitude_at(row));
        odd = greater(odd, magnitude_at(row + stride));
    }
    return greater(greater(even, odd), i < count ? magnitude_at(row) : 0);
}

/* Returns the number of elements at the end of an array's shape that lie in one row, and that row's stride. */
static Py_ssize_t joined(const NumpyArray *array, int *axes, Py_ssize_t *stride) {
    Py_ssize_t count = array->shape[*axes - 1];
    *stride = array->strides[--*axes];
    for (; *axes && array->strides[*axes - 1] == count * *stride; --*axes) count *= array->shape[*axes - 1];
    return count;
}

bool find_peak(PyObject *object, double *found) {
    if (!is_numpy(object) || dtype_of(object)->letter != 'd' || dtype_of(object)->order != '=') return false;
    const NumpyArray *array = numpy_of(object);
    if (array->axes < 1 || array->axes > MOST_AXES_HERE || !count_of(object)) return false;
    int outer = array->axes;
    Py_ssize_t stride, index[MOST_AXES_HERE] = {0};
    const Py_ssize_t count = joined(array, &outer, &stride);
    const char *row = array->data;
    int64_t peak = 0;
    for (int axis = 0; axis >= 0;) {
        peak = greater(peak, peak_of_row(row, count, stride));
        for (axis = outer - 1; axis >= 0; axis--) {
            row += array->strides[axis];
            if (++index[axis] < array->shape[axis]) break;
            row -= array->shape[axis] * array->strides[axis];
            index[axis] = 0;
        }
    }
    memcpy(found, &peak, sizeof peak);
    return true;
}
