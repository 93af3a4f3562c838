/* Calls NumPy's loops: see inner_loops.h. */
#include "numpy/inner_loops.h"

#include <string.h>

enum { LONG_ROW = 32, MANY_ROWS = 8 }; /* a row of so many elements is a call of its own; rows that are worth copies */
enum { LONG_REPEATED = 256 }; /* the same, where all rows of a place are copies of one, which is copied once */
enum { GATHERED = 512 }; /* elements that are copied before a call; they stay in the cache next to the processor */

typedef struct Call {
    Loop *loop;
    void *data;
} Call;

/* Runs the innermost axes, from these places on. */
typedef void Run(const Places *p, char *const *from, const Call *call);

/* One axis */

static void run_row(const Places *p, char *const *from, const Call *call) {
    const int inner = p->axes - 1;
    char *at[MOST_PLACES];
    memcpy(at, from, sizeof at); /* a loop may move them */
    call->loop(at, &p->shape[inner], p->strides[inner], call->data);
}

/* Two axes, of which the inner one is short */

typedef union Buffer {
    float narrow[GATHERED];
    double wide[GATHERED];
} Buffer;

#define NUMBER_AT(NUMBER, PLACE) (*(const NUMBER *)(const void *)(PLACE))

/* Sets element j of a row to an expression. */
#define SET_ELEMENT(J, ELEMENT)                                                                                \
    {                                                                                                          \
        const Py_ssize_t j = (J);                                                                              \
        row[j] = (ELEMENT);                                                                                    \
    }

/* Sets rows of elements next to each other: the first one of each, and by statements the others. What these set may take
 * `first`, the row's first one, and `from`, where that is. */
#define SET_ROWS(NUMBER, LENGTH, SET_OTHERS)                                                                   \
    for (Py_ssize_t i = 0; i < rows->count; i++) {                                                             \
        const char *from = rows->from + i * rows->outer;                                                       \
        const NUMBER first = NUMBER_AT(NUMBER, from);                                                          \
        NUMBER *restrict row = to + i * (LENGTH);                                                              \
        row[0] = first;                                                                                        \
        SET_OTHERS                                                                                             \
    }

#define SET_LONG_ROWS(NUMBER, ELEMENT)                                                                         \
    SET_ROWS(NUMBER, rows->length, for (Py_ssize_t k = 1; k < rows->length; k++) SET_ELEMENT(k, ELEMENT))

/* Without a loop for a row, which takes longer than its elements. */
#define SET_SHORT_ROWS(NUMBER, ELEMENT)                                                                        \
    if (rows->length == 2)                                                                                     \
        SET_ROWS(NUMBER, 2, SET_ELEMENT(1, ELEMENT))                                                           \
    else if (rows->length == 3)                                                                                \
        SET_ROWS(NUMBER, 3, SET_ELEMENT(1, ELEMENT) SET_ELEMENT(2, ELEMENT))                                   \
    else if (rows->length == 4)                                                                                \
        SET_ROWS(NUMBER, 4, SET_ELEMENT(1, ELEMENT) SET_ELEMENT(2, ELEMENT) SET_ELEMENT(3, ELEMENT))           \
    else                                                                                                       \
        SET_LONG_ROWS(NUMBER, ELEMENT)

#define COPY_ROWS(STORAGE, NUMBER)                                                                             \
    STORAGE void copy_rows_of_##NUMBER(const Rows *rows, NUMBER *to) {                                          \
        const Py_ssize_t size = sizeof(NUMBER), stride = rows->inner;                                          \
        if (stride == 0) {                                                                                     \
            SET_SHORT_ROWS(NUMBER, first)                                                                      \
        } else if (stride == size) {                                                                           \
            SET_SHORT_ROWS(NUMBER, NUMBER_AT(NUMBER, from + j * size))                                         \
        } else {                                                                                               \
            SET_SHORT_ROWS(NUMBER, NUMBER_AT(NUMBER, from + j * stride))                                       \
        }                                                                                                      \
    }

COPY_ROWS(static, float)
COPY_ROWS(, double)

/* Returns whether a place is a row over both axes, or one number. */
static bool is_one_row(const Places *p, int place) {
    const int inner = p->axes - 1;
    return p->strides[inner - 1][place] == p->strides[inner][place] * p->shape[inner];
}

static void run_short_rows(const Places *p, char *const *from, const Call *call) {
    const int inner = p->axes - 1;
    const Py_ssize_t length = p->shape[inner], all = p->shape[inner - 1], most = GATHERED / length;
    Buffer buffers[MOST_PLACES];
    Py_ssize_t strides[MOST_PLACES];
    for (int k = 0; k < p->count; k++) strides[k] = is_one_row(p, k) ? p->strides[inner][k] : size_of(p->width);
    for (Py_ssize_t row = 0; row < all; row += most) {
        const Py_ssize_t count = all - row < most ? all - row : most, elements = count * length;
        char *at[MOST_PLACES] = {NULL};
        for (int k = 0; k < p->count; k++) {
            const Py_ssize_t outer = p->strides[inner - 1][k];
            at[k] = from[k] + row * outer;
            if (is_one_row(p, k)) continue;
            const Rows rows = {at[k], count, length, outer, p->strides[inner][k]};
            at[k] = (char *)&buffers[k];
            if (row && !outer) continue; /* all rows are the same one */
            if (p->width == FLOAT)
                copy_rows_of_float(&rows, buffers[k].narrow);
            else
                copy_rows_of_double(&rows, buffers[k].wide);
        }
        call->loop(at, &elements, strides, call->data);
    }
}

/* All axes */

/* Runs the innermost `depth` axes for each index of the others. */
static void run_outer(Places *p, int depth, Run *inner, const Call *call) {
    Py_ssize_t index[MOST_AXES] = {0};
    do
        inner(p, p->at, call);
    while (next_index(p, p->axes - depth, index));
}

/* Returns whether rows are so short that more than one of them should be a call. */
static bool are_short(const Places *p) {
    const int inner = p->axes - 1;
    if (inner == 0 || p->shape[inner - 1] < MANY_ROWS || !is_one_row(p, p->count - 1)) return false;
    bool are_copied_once = true;
    for (int k = 0; k < p->count; k++) are_copied_once = are_copied_once && (!p->strides[inner - 1][k] || is_one_row(p, k));
    return p->shape[inner] < (are_copied_once ? LONG_REPEATED : LONG_ROW);
}

void run_loop(Places *p, Loop *loop, void *data) {
    const Call call = {loop, data};
    if (are_short(p))
        run_outer(p, 2, run_short_rows, &call);
    else
        run_outer(p, 1, run_row, &call);
}
