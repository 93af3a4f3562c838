/* Single elements of arrays in translated code: part of translated.h, whose vocabulary it needs. See state/element_sums.h. */
#ifndef CK_UNIT_ELEMENT_WORDS_H
#define CK_UNIT_ELEMENT_WORDS_H

#include "state/element_sums.h"

/* Handles */

OUTLINED bool open_scalar(const Machine *m, Value v, double *x) {
    const ElementHooks *hooks = m->heap->hooks->elements;
    return kind_of(v) == FOREIGN && hooks && hooks->open_scalar(v, x);
}
OUTLINED bool open_array(Machine *m, Value v, int axes, int64_t steps, ElementView *view) {
    const ElementHooks *hooks = m->heap->hooks->elements;
    return kind_of(v) == FOREIGN && hooks && hooks->open_array(m, v, axes, steps, view);
}
OUTLINED bool is_whole_row(const Machine *m, Value v) {
    return kind_of(v) == FOREIGN && m->heap->hooks->elements && m->heap->hooks->elements->is_whole_row(v);
}
OUTLINED bool is_truth_row(const Machine *m, Value v) {
    return kind_of(v) == FOREIGN && m->heap->hooks->elements && m->heap->hooks->elements->is_truth_row(v);
}
INLINE bool whole_at(Machine *m, Value v, int64_t index, int64_t *whole) {
    return m->heap->hooks->elements->whole_at(m, v, index, 1, whole);
}
/* The same of an integer of 64 bits, with which NumPy computes as with others. */
INLINE bool wide_at(Machine *m, Value v, int64_t index, int64_t *whole) {
    return m->heap->hooks->elements->whole_at(m, v, index, sizeof *whole, whole);
}
INLINE bool truth_at(Machine *m, Value v, int64_t index, bool *truth) {
    int64_t whole;
    const bool found = whole_at(m, v, index, &whole);
    if (found) *truth = whole != 0;
    return found;
}
OUTLINED Value of_scalar(Machine *m, double x) { return m->heap->hooks->elements->scalar(m, x); }

INLINE bool same_element(double a, double b) { return same_real(a, b); }

/* Elements, by an index as in Python. */
INLINE bool position(int64_t index, int64_t size, int64_t *at) {
    *at = index < 0 ? index + size : index;
    return *at >= 0 && *at < size;
}
INLINE double double_at(int64_t data, int64_t offset) { return *(const double *)(intptr_t)(data + offset); }

INLINE void set_double(int64_t data, int64_t offset, double x) { *(double *)(intptr_t)(data + offset) = x; }

/* Changes: `changed` consumes a handle, and returns the one after the step of this number. */
INLINE bool may_set(const Machine *m, Value v) { return m->heap->hooks->elements->may_set(m, v); }
INLINE bool share(const Machine *m, Value a, Value b) { return m->heap->hooks->elements->share(a, b); }
INLINE Value changed(Machine *m, Value v, int64_t steps, int64_t data) {
    return m->heap->hooks->elements->changed(m, v, steps, data);
}
OUTLINED void put_back(Cotangent *c, ElementView view, int64_t row, int64_t column, double old) {
    const int64_t at[ELEMENT_AXES] = {row, column};
    c->heap->hooks->elements->put_back(c, &view, at, old);
}

/* Returns whether NumPy gives this result of two operands without a warning, and a library that warns of all does, too. */
INLINE bool is_silent(double result, double x, double y) {
    return isnormal(result) || (result == 0.0 && (x == 0.0 || y == 0.0));
}

/* NumPy's own functions of one or two doubles, by its loops, each of which is found once for each place of the text. */
INLINE bool numpy_value(const Heap *heap, ElementLoop *loop, const char *name, int operands, double x, double y,
                        double *value) {
    const bool is_known = __atomic_load_n(&loop->run, __ATOMIC_ACQUIRE) != NULL;
    if (UNLIKELY(!is_known) && !heap->hooks->elements->find_loop(name, operands, loop)) return false;
    char *places[] = {(char *)&x, operands == 1 ? (char *)value : (char *)&y, (char *)value};
    const intptr_t count = 1, steps[] = {sizeof x, sizeof x, sizeof x};
    loop->run(places, &count, steps, loop->data);
    return true;
}
#define NUMPY_VALUE(HEAP, NAME, OPERANDS, X, Y, VALUE)                                                         \
    (__extension__({                                                                                           \
        static ElementLoop found_loop;                                                                         \
        numpy_value(HEAP, &found_loop, NAME, OPERANDS, X, Y, VALUE);                                           \
    }))
/* The same in a reversal, where such a loop is known to exist. */
#define NUMPY_FUNCTION(HEAP, NAME, OPERANDS, X, Y)                                                             \
    (__extension__({                                                                                           \
        double found_value = NAN;                                                                              \
        NUMPY_VALUE(HEAP, NAME, OPERANDS, X, Y, &found_value);                                                 \
        found_value;                                                                                           \
    }))
INLINE double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x; }

/* Cotangents of scalars: -0.0 where nothing was added. */
INLINE bool is_accumulator(Value v) { return v.tag == REAL || kind_of(v) == FOREIGN; }
OUTLINED double taken_scalar(Cotangent *c, Value accumulator) {
    if (accumulator.tag == REAL) return -0.0;
    return c->heap->hooks->elements->take_scalar(c, accumulator);
}
OUTLINED Value scalar_accumulator(Cotangent *c, double x) {
    return same_real(x, -0.0) ? of_real(0.0) : c->heap->hooks->elements->scalar_accumulator(c, x);
}

/* Cotangents of arrays */

INLINE ElementSums no_sums(void) { return (ElementSums){.whole = {.tag = REAL}}; }
OUTLINED ElementSums taken_sums(Cotangent *c, Value accumulator) {
    ElementSums sums = no_sums();
    sums.whole = accumulator;
    if (accumulator.tag != REAL) c->heap->hooks->elements->open_sums(&sums);
    return sums;
}
/* Returns the accumulator of a location, and leaves nothing. */
OUTLINED Value sums_accumulator(Cotangent *c, ElementSums *sums) {
    if (sums->count) c->heap->hooks->elements->fold(c, sums);
    const Value whole = sums->whole;
    *sums = no_sums();
    return whole;
}
OUTLINED void give_apart(Cotangent *c, ElementSums *sums, int64_t at, double cotangent, int32_t axes, int64_t rows,
                         int64_t columns) {
    for (int32_t i = 0; i < sums->count; i++) {
        if (sums->few[i].at != at) continue;
        sums->few[i].sum += cotangent;
        return;
    }
    sums->axes = axes;
    sums->sizes[0] = rows;
    sums->sizes[1] = columns;
    sums->few[sums->count++] = (ElementSum){at, 0.0 + cotangent};
    if (sums->count == FEW_SUMS || sums->whole.tag != REAL) c->heap->hooks->elements->fold(c, sums);
}
INLINE void give_element(Cotangent *c, ElementSums *sums, int64_t at, double cotangent, int32_t axes, int64_t rows,
                         int64_t columns) {
    if (LIKELY(sums->reals))
        sums->reals[at] += cotangent;
    else
        give_apart(c, sums, at, cotangent, axes, rows, columns);
}
/* Takes what an element has received; -0.0: the location has received nothing. */
OUTLINED double taken_element(Cotangent *c, ElementSums *sums, int64_t at) {
    if (sums->reals) {
        const double received = sums->reals[at];
        sums->reals[at] = 0.0;
        return received;
    }
    if (sums->whole.tag != REAL) return c->heap->hooks->elements->take_element(c, sums, at);
    for (int32_t i = 0; i < sums->count; i++) {
        if (sums->few[i].at != at) continue;
        const double received = sums->few[i].sum;
        sums->few[i].sum = 0.0;
        return received;
    }
    return sums->count ? 0.0 : -0.0;
}
/* Moves what another location's accumulator has to this one's. */
OUTLINED void join_sums(Cotangent *c, ElementSums *sums, ElementSums other) {
    if (other.whole.tag != REAL && sums->whole.tag == REAL) {
        const ElementSums own = *sums;
        *sums = other;
        other = own;
    }
    if (other.whole.tag != REAL) {
        sums->whole = accumulator_sum(c->heap, sums->whole, other.whole);
        c->heap->hooks->elements->open_sums(sums);
    }
    for (int32_t i = 0; i < other.count; i++)
        give_element(c, sums, other.few[i].at, other.few[i].sum, other.axes, other.sizes[0], other.sizes[1]);
}

/* Cotangents of fields */

OUTLINED void give_scalar(Cotangent *c, uint64_t birth, int64_t field, double x) {
    if (birth && !same_real(x, -0.0)) cotangent_give(c, birth, field, scalar_accumulator(c, x));
}
/* Moves what an array's location has received to the field that it was read from. */
OUTLINED void give_sums(Cotangent *c, uint64_t birth, int64_t field, ElementSums *sums) {
    if (!sums->count && sums->whole.tag == REAL) return;
    if (!birth) {
        drop(c->heap, sums->whole);
        *sums = no_sums();
        return;
    }
    ElementSums whole = taken_sums(c, cotangent_take(c, birth, field));
    join_sums(c, &whole, *sums);
    *sums = no_sums();
    cotangent_give(c, birth, field, sums_accumulator(c, &whole));
}

#endif
