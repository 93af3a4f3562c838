/* Runs chains tile by tile: see chain_tiles.h. */
#include "by_name/chain_tiles.h"

#include <string.h>

#include "numpy/inner_loops.h"

enum { TILE = 512, MOST_SETTLED = 8192 }; /* elements: of a tile; of a source that is put in a row at once for all tiles */
enum { IN_THREADS = 10000 };              /* elements of the result, from which on the GIL is released */

/* The rows at hand, and where along the axes outside of them. */
typedef struct Tile {
    Py_ssize_t first, rows, elements, index[ALL_AXES], outside; /* the last one counts the indices along those axes */
    bool is_first; /* of tiles that share what is kept */
    char *at[MOST_OPERANDS + MOST_VALUES];
    Py_ssize_t strides[MOST_OPERANDS + MOST_VALUES];
} Tile;

/* Returns whether what a source has in a tile has to be put in a row. */
static bool is_copied(const Chain *c, const Source *s) {
    const int row = c->axes - 2, inner = c->axes - 1;
    if (s->index && (s->steps[row] || s->steps[inner])) return true;
    return c->shape[inner] != 1 && s->strides[row] != s->strides[inner] * c->shape[inner];
}

static bool is_same_along_rows(const Chain *c, const Source *s) { return !s->strides[c->axes - 2] && !s->steps[c->axes - 2]; }

static bool is_same_outside(const Chain *c, const Source *s) {
    bool is_same = true;
    for (int i = 0; i < c->axes - 2; i++) is_same = is_same && !s->strides[i] && !s->steps[i];
    return is_same;
}

/* Chooses in which order tiles are run, so that few sources are copied again. */
static void choose_order(Chain *c) {
    int outside = 0, along_rows = 0;
    for (int k = 0; k < c->sources; k++) {
        if (!is_copied(c, &c->source[k])) continue;
        outside += is_same_outside(c, &c->source[k]);
        along_rows += is_same_along_rows(c, &c->source[k]);
    }
    c->goes_outside = outside > along_rows;
    for (int k = 0; k < c->sources; k++)
        c->source[k].is_kept = c->goes_outside ? is_same_outside(c, &c->source[k]) : is_same_along_rows(c, &c->source[k]);
}

/* Tiles */

/* Returns which place of an array an index names; -1: none. */
static inline Py_ssize_t place_of(const Source *s, const char *index) {
    const int64_t given = *(const int64_t *)(const void *)index, place = given < 0 ? given + s->length : given;
    return place >= 0 && place < s->length ? (Py_ssize_t)place : -1;
}

/* Finds how many bytes from the first one the places are that an index names, from one to the next `step` bytes apart. */
static bool find_offsets(const Source *s, const char *index, Py_ssize_t step, Py_ssize_t count, int64_t *to) {
    bool within = true;
    for (Py_ssize_t i = 0; i < count; i++, index += step) {
        const Py_ssize_t place = place_of(s, index);
        within &= place >= 0;
        to[i] = place * s->step;
    }
    return within;
}

#define DOUBLE_AT(place) (*(const double *)(const void *)(place))

/* Copies rows of so many elements, of which each row has an offset. */
#define TAKE_ROWS(LENGTH, TAKE_ROW)                                                                            \
    for (Py_ssize_t i = 0; i < rows->count; i++, from += rows->outer) {                                        \
        const char *own = from + offsets[i];                                                                   \
        double *restrict row = to + i * (LENGTH);                                                              \
        TAKE_ROW;                                                                                              \
    }

static void take_rows(const Rows *rows, const int64_t *offsets, double *to) {
    const char *from = rows->from;
    if (rows->length == 1) {
        TAKE_ROWS(1, *row = DOUBLE_AT(own))
    } else if (rows->length == 3 && rows->inner == sizeof(double)) {
        TAKE_ROWS(3, memcpy(row, own, 3 * sizeof(double))) /* without a loop for a row */
    } else {
        const Py_ssize_t inner = rows->inner;
        TAKE_ROWS(rows->length, for (Py_ssize_t j = 0; j < rows->length; j++) row[j] = DOUBLE_AT(own + j * inner))
    }
}

/* Copies rows next to each other, of which each one is at a place that an index names, `step` bytes from one to the next. */
static bool gather_rows(const Source *s, const Rows *rows, const char *index, Py_ssize_t step, double *to) {
    int64_t offsets[TILE];
    Rows some = *rows;
    for (Py_ssize_t first = 0; first < rows->count; first += TILE) {
        some.count = rows->count - first < TILE ? rows->count - first : TILE;
        some.from = rows->from + first * rows->outer;
        if (!find_offsets(s, index + first * step, step, some.count, offsets)) return false;
        take_rows(&some, offsets, to + first * rows->length);
    }
    return true;
}

/* Copies rows whose elements each have a place that an index names. */
static bool gather_elements(const Source *s, const Rows *rows, const char *index, Py_ssize_t outer, Py_ssize_t inner,
                            double *to) {
    for (Py_ssize_t i = 0; i < rows->count; i++) {
        const Rows own = {rows->from + i * rows->outer, rows->length, 1, rows->inner, 0};
        if (!gather_rows(s, &own, index + i * outer, inner, to + i * rows->length)) return false;
    }
    return true;
}

/* Copies rows of a source next to each other; false: an index is out of bounds. */
static bool copy_source(const Chain *c, const Source *s, const Rows *rows, const char *index, double *to) {
    const Py_ssize_t outer = s->steps[c->axes - 2], inner = s->steps[c->axes - 1];
    if (s->has_offsets) {
        take_rows(rows, (const int64_t *)(const void *)index, to);
        return true;
    }
    if (index && inner) return gather_elements(s, rows, index, outer, inner, to);
    if (index && outer) return gather_rows(s, rows, index, outer, to);
    copy_rows_of_double(rows, to);
    return true;
}

/* Finds where a tile has the elements of a source, which are copied if they do not lie in a row; false: an index is out of
 * bounds. */
static bool find_source(const Chain *c, Tile *t, int place) {
    const Source *s = &c->source[place];
    const int row = c->axes - 2, inner = c->axes - 1;
    const Py_ssize_t length = c->shape[inner], outer = s->strides[row];
    const char *from = s->at + t->first * outer, *index = s->index ? s->index + t->first * s->steps[row] : NULL;
    double *buffer = c->buffers + (Py_ssize_t)TILE * place;
    for (int i = 0; i < row; i++) {
        from += t->index[i] * s->strides[i];
        if (index) index += t->index[i] * s->steps[i];
    }
    if (index && !s->steps[row] && !s->steps[inner]) {
        const Py_ssize_t own = place_of(s, index);
        if (own < 0) return false;
        from += own * s->step;
    }
    const bool copied = is_copied(c, s);
    t->at[place] = copied ? (char *)buffer : (char *)from;
    t->strides[place] = copied ? (Py_ssize_t)sizeof(double) : length == 1 ? outer : s->strides[inner];
    const Rows rows = {from, t->rows, length, outer, s->strides[inner]};
    return !copied || (s->is_kept && !t->is_first) || copy_source(c, s, &rows, index, buffer);
}

static void run_operation(const Operation *o, const Tile *t, char *to) {
    char *at[] = {t->at[o->first], o->is_of_one ? to : t->at[o->second], to}; /* a loop may move them */
    const Py_ssize_t size = sizeof(double), strides[] = {t->strides[o->first], o->is_of_one ? size : t->strides[o->second], size};
    o->loop(at, &t->elements, strides, o->data);
}

/* Runs all operations on a tile, and writes its elements to a place of the result; false: there is a NaN, or an index is out of
 * bounds. */
static bool run_tile(const Chain *c, Tile *t, char *to) {
    for (int k = 0; k < c->sources; k++)
        if (!find_source(c, t, k)) return false;
    for (int i = 0; i < c->count; i++) {
        const Operation *o = &c->operation[i];
        run_operation(o, t, i == c->count - 1 ? to : t->at[o->to]);
    }
    return !has_nan_among((const double *)(const void *)to, t->elements);
}

/* Runs the tile that begins with a row. */
static bool run_from(const Chain *c, Tile *t, Py_ssize_t first) {
    const Py_ssize_t length = c->shape[c->axes - 1], all = c->shape[c->axes - 2], most = TILE / length;
    t->first = first;
    t->rows = all - first < most ? all - first : most;
    t->elements = t->rows * length;
    t->is_first = c->goes_outside ? !t->outside : !first;
    return run_tile(c, t, c->to + (t->outside * all + first) * length * (Py_ssize_t)sizeof(double));
}

static bool run_along_rows(const Chain *c, Tile *t) {
    const Py_ssize_t most = TILE / c->shape[c->axes - 1];
    for (Py_ssize_t first = 0; first < c->shape[c->axes - 2]; first += most)
        if (!run_from(c, t, first)) return false;
    return true;
}

/* Moves to the next index along the axes outside of tiles; false: there is none, and it is at the first one again. */
static bool next_outside(const Chain *c, Tile *t) {
    t->outside++;
    for (int i = c->axes - 3; i >= 0; i--) {
        if (++t->index[i] < c->shape[i]) return true;
        t->index[i] = 0;
    }
    t->outside = 0;
    return false;
}

static bool run_tiles(const Chain *c) {
    Tile t = {0};
    for (int k = c->sources; k < c->sources + c->values; k++) {
        t.at[k] = (char *)(c->buffers + (Py_ssize_t)TILE * k);
        t.strides[k] = sizeof(double);
    }
    const Py_ssize_t all = c->shape[c->axes - 2], most = TILE / c->shape[c->axes - 1];
    for (Py_ssize_t first = 0; first < (c->goes_outside ? all : 1); first += most)
        do
            if (!(c->goes_outside ? run_from(c, &t, first) : run_along_rows(c, &t))) return false;
        while (next_outside(c, &t));
    return true;
}

/* What is the same along all axes outside of tiles */

typedef enum Settling { LEFT_TO_TILES, WHOLE, OFFSETS } Settling;

/* Returns what of a source is found once for all tiles. */
static Settling settling(const Chain *c, const Source *s) {
    const int row = c->axes - 2, inner = c->axes - 1;
    if (c->axes == 2 || !is_copied(c, s) || (s->index && !s->steps[row] && !s->steps[inner])) return LEFT_TO_TILES;
    if (is_same_outside(c, s)) return c->shape[row] * c->shape[inner] <= MOST_SETTLED ? WHOLE : LEFT_TO_TILES;
    bool has_offsets = s->index && !s->steps[inner] && c->shape[row] <= MOST_SETTLED;
    for (int i = 0; i < row; i++) has_offsets = has_offsets && !s->steps[i];
    return has_offsets ? OFFSETS : LEFT_TO_TILES;
}

/* Returns how many words that takes. */
static Py_ssize_t settled(const Chain *c, const Source *s) {
    const Settling found = settling(c, s);
    return found == LEFT_TO_TILES ? 0 : c->shape[c->axes - 2] * (found == WHOLE ? c->shape[c->axes - 1] : 1);
}

static bool settle_whole(const Chain *c, Source *s, double *to) {
    const int row = c->axes - 2, inner = c->axes - 1;
    const Rows rows = {s->at, c->shape[row], c->shape[inner], s->strides[row], s->strides[inner]};
    if (!copy_source(c, s, &rows, s->index, to)) return false;
    s->at = (const char *)to;
    s->index = NULL;
    s->steps[row] = s->steps[inner] = 0;
    s->strides[row] = c->shape[inner] * (Py_ssize_t)sizeof(double);
    s->strides[inner] = sizeof(double);
    return true;
}

static bool settle_offsets(const Chain *c, Source *s, double *to) {
    const int row = c->axes - 2;
    int64_t *offsets = (int64_t *)(void *)to;
    if (!find_offsets(s, s->index, s->steps[row], c->shape[row], offsets)) return false;
    s->index = (const char *)offsets;
    s->steps[row] = sizeof *offsets;
    s->has_offsets = true;
    return true;
}

static bool settle_sources(Chain *c) {
    double *to = c->buffers + (Py_ssize_t)TILE * (c->sources + c->values);
    for (int k = 0; k < c->sources; k++) {
        Source *s = &c->source[k];
        const Settling found = settling(c, s);
        const Py_ssize_t count = settled(c, s);
        if (found == WHOLE && !settle_whole(c, s, to)) return false;
        if (found == OFFSETS && !settle_offsets(c, s, to)) return false;
        to += count;
    }
    choose_order(c);
    return true;
}

bool run_chain(Chain *c) {
    Py_ssize_t elements = 1, buffered = (Py_ssize_t)TILE * (c->sources + c->values);
    for (int i = 0; i < c->axes; i++) elements *= c->shape[i];
    for (int k = 0; k < c->sources; k++) buffered += settled(c, &c->source[k]);
    c->buffers = PyMem_RawMalloc((size_t)buffered * sizeof(double));
    if (!c->buffers) return false;
    PyThreadState *state = elements < IN_THREADS ? NULL : PyEval_SaveThread();
    const bool done = settle_sources(c) && run_tiles(c);
    if (state) PyEval_RestoreThread(state);
    PyMem_RawFree(c->buffers);
    return done;
}
