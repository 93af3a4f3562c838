/* The table of scalar primitives, made of scalars.def, which the build writes (checkpoint/scalars/c_text.py).
 *
 * In: a record's name, then doubles or numbers. Out: values and partials.
 *
 * What always holds: a definition has an entry for records that accept reals alone, one for records that accept
 * integers beside them and, where it is defined on integers, one for those. Partials of numbers work on a small
 * stack, so that the order in which operands are computed is that of the definition.
 */
#include "scalars/scalars.h"

#include <math.h>
#include <string.h>

#include "scalars/duals.h"
#include "scalars/scalar_functions.h"

/* Values, and partials of doubles */

#define PARTIAL_1(name, expression)                       \
    static double name(const double *operands, double r) { \
        const double x = operands[0];                     \
        (void)x, (void)r;                                 \
        return expression;                                \
    }
#define PARTIAL_2(name, expression)                        \
    static double name(const double *operands, double r) { \
        const double x = operands[0], y = operands[1];     \
        (void)x, (void)y, (void)r;                         \
        return expression;                                 \
    }
#define UNARY(id, singular, expression, refused, by_x, ...)     \
    static bool ieee_##id(const double *operands, double *z) {  \
        const double x = operands[0];                           \
        *z = expression;                                        \
        return true;                                            \
    }                                                           \
    static bool value_##id(const double *operands, double *z) { \
        const double x = operands[0], r = expression;           \
        *z = r;                                                 \
        return !(refused);                                      \
    }                                                           \
    PARTIAL_1(by_x_##id, by_x)
#define BINARY(id, singular, expression, refused, by_x, by_y, ...)          \
    static bool ieee_##id(const double *operands, double *z) {              \
        const double x = operands[0], y = operands[1];                      \
        *z = expression;                                                    \
        return true;                                                        \
    }                                                                       \
    static bool value_##id(const double *operands, double *z) {             \
        const double x = operands[0], y = operands[1], r = expression;      \
        *z = r;                                                             \
        return !(refused);                                                  \
    }                                                                       \
    PARTIAL_2(by_x_##id, by_x)                                              \
    PARTIAL_2(by_y_##id, by_y)
#define PREDICATE(id, arity, expression)                          \
    static bool value_##id(const double *operands, double *z) {   \
        const double x = operands[0], y = operands[(arity)-1];    \
        (void)y;                                                  \
        *z = (expression) ? 1.0 : 0.0;                            \
        return true;                                              \
    }
#include "scalars/scalars.def"
#undef UNARY
#undef BINARY
#undef PREDICATE
#undef PARTIAL_1
#undef PARTIAL_2

/* The numbers of the definitions */

#define UNARY(id, ...) AT_##id##_reals, AT_##id##_beside_integers,
#define BINARY(id, ...) AT_##id##_reals, AT_##id##_beside_integers,
#define PREDICATE(id, ...) AT_##id##_reals, AT_##id##_beside_integers,
#define INTEGERS(id, ...) AT_##id##_integers,
enum {
#include "scalars/scalars.def"
    AT_END
};
#undef INTEGERS
#undef UNARY
#undef BINARY
#undef PREDICATE

/* Partials of numbers */

enum { DEEPEST_PARTIAL = 8 };

typedef struct Terms {
    Numbers *numbers;
    uint32_t count;
    Value terms[DEEPEST_PARTIAL];
} Terms;

static void term(Terms *t, Value number) { t->terms[t->count++] = number; }

/* Replaces the last terms by a scalar's value on them. */
static void combine(Terms *t, uint16_t scalar, uint32_t arity) {
    Value *operands = t->terms + t->count - arity, result;
    t->numbers->apply(t->numbers, &SCALARS[scalar], operands, &result);
    for (uint32_t i = 0; i < arity; i++) drop(t->numbers->heap, operands[i]);
    t->count -= arity;
    term(t, result);
}

#define REAL_X number_real(operands[0])
#define REAL_Y number_real(operands[1])
#define REAL_Z number_real(z)
#define X term(&t, copied(operands[0]))
#define Y term(&t, copied(operands[1]))
#define Z term(&t, copied(z))
#define CONSTANT(c) term(&t, of_real(c))
#define EITHER(condition, then, otherwise) ((condition) ? (then) : (otherwise))
#define OF_1(id, a) ((a), combine(&t, AT_##id##_reals, 1))
#define OF_2(id, a, b) ((a), (b), combine(&t, AT_##id##_reals, 2))

#define PARTIAL(name, expression)                                                            \
    static void name(struct Numbers *numbers, const Value *operands, Value z, Value *result) { \
        Terms t = {.numbers = numbers};                                                      \
        (void)operands, (void)z;                                                             \
        expression;                                                                          \
        *result = t.terms[0];                                                                \
    }
#define UNARY(id, singular, expression, refused, by_x, slope_x, numbers_by_x) \
    PARTIAL(numbers_by_x_##id, numbers_by_x)                                  \
    static const Slope slopes_##id[2] = {slope_x, SLOPE_ANY};
#define BINARY(id, singular, expression, refused, by_x, by_y, slope_x, slope_y, numbers_by_x, numbers_by_y) \
    PARTIAL(numbers_by_x_##id, numbers_by_x)                                                                \
    PARTIAL(numbers_by_y_##id, numbers_by_y)                                                                \
    static const Slope slopes_##id[2] = {slope_x, slope_y};
#define PREDICATE(id, arity, expression)
#include "scalars/scalars.def"
#undef UNARY
#undef BINARY
#undef PREDICATE

/* On integers alone */

#define OPERANDS_UNARY(with) 1
#define OPERANDS_BINARY(with) 2
#define OPERANDS_PREDICATE(with) (with)
#define INTEGERS(id, kind, with, given, result)                              \
    static bool integers_##id(const int64_t *operands, Value *value) {        \
        const int64_t x = operands[0], y = operands[OPERANDS_##kind(with)-1]; \
        int64_t z = 0;                                                       \
        (void)x, (void)y;                                                    \
        if (!(given)) return false;                                          \
        (void)z;                                                             \
        *value = result;                                                     \
        return true;                                                         \
    }
#include "scalars/scalars.def"
#undef INTEGERS

/* The table */

#define UNARY_ENTRY(id, is_singular, beside, on_integers)                                      \
    {.name = #id, .arity = 1, .singular = is_singular, .takes_integers = beside,               \
        .value = value_##id, .ieee = ieee_##id, .partials = {by_x_##id}, .slopes = slopes_##id, \
        .integers = on_integers, .partials_of_numbers = {numbers_by_x_##id}},
#define BINARY_ENTRY(id, is_singular, beside, on_integers)                                     \
    {.name = #id, .arity = 2, .singular = is_singular, .takes_integers = beside,               \
        .value = value_##id, .ieee = ieee_##id, .partials = {by_x_##id, by_y_##id},            \
        .slopes = slopes_##id,                                                                 \
        .integers = on_integers, .partials_of_numbers = {numbers_by_x_##id, numbers_by_y_##id}},
#define PREDICATE_ENTRY(id, operands, beside, on_integers)                                     \
    {.name = #id, .arity = operands, .is_predicate = true, .takes_integers = beside,                  \
        .value = value_##id, .ieee = value_##id, .integers = on_integers},
#define UNARY(id, singular, ...) UNARY_ENTRY(id, singular, false, NULL) UNARY_ENTRY(id, singular, true, NULL)
#define BINARY(id, singular, ...) BINARY_ENTRY(id, singular, false, NULL) BINARY_ENTRY(id, singular, true, NULL)
#define PREDICATE(id, arity, ...) PREDICATE_ENTRY(id, arity, false, NULL) PREDICATE_ENTRY(id, arity, true, NULL)
#define INTEGERS(id, kind, with, ...) kind##_ENTRY(id, with, true, integers_##id)
const Scalar SCALARS[] = {
#include "scalars/scalars.def"
};
#undef UNARY
#undef BINARY
#undef PREDICATE
#undef INTEGERS

const uint16_t SCALAR_COUNT = AT_END;
const Scalar *const SCALAR_ADD = &SCALARS[AT_add_reals], *const SCALAR_MULTIPLY = &SCALARS[AT_multiply_reals];

static const struct Name {
    const char *record;
    uint16_t number;
} NAMES[] = {
#define NAME(id, record, takes) {record, AT_##id##_##takes},
#include "scalars/scalars.def"
#undef NAME
};

uint16_t scalar_number(const char *name) {
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i].record, name) == 0) return NAMES[i].number;
    return NO_SCALAR;
}
