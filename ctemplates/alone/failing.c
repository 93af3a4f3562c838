/* What a program raises where a step fails, and what it says: see failing.h. */
#include "alone/failing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "alone/things.h"
#include "alone/writing.h"
#include "derivatives/places.h"



Raise raise;

void print_error(const TextPlace *place, const char *message) {
    fflush(stdout);
    fprintf(stderr, "%s: error: %s\n%s\n", place->where, message, place->excerpt);
}

void end_run(const TextPlace *place, const char *message) {
    print_error(place, message);
    exit(EXIT_FAILURE);
}

Value failure_of(Heap *heap, const char *name, const Value *operands, uint32_t count, const char *message) {
    Buffer text = {NULL, 0, 0};
    buffer_format(&text, "(%s", name);
    for (uint32_t i = 0; i < count; i++) {
        buffer_put(&text, " ");
        write_value(&text, operands[i], SHOWN_CHARACTERS);
    }
    buffer_format(&text, "): %s", message);
    return new_failure(heap, text.text);
}

/* The formats are the program's texts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

bool call_fails(Buffer *message, Value called, uint32_t count) {
    const Kind kind = kind_of(called);
    if (kind != CLOSURE && kind != PROCEDURE) {
        buffer_put(message, TEXTS.no_procedure);
        return true;
    }
    const uint32_t arity = procedure_of(called)->arity;
    if (arity == count) return false;
    if (arity == 1) buffer_format(message, TEXTS.one_argument, count);
    else buffer_format(message, TEXTS.arguments, arity, count);
    return true;
}

/* Shapes */

typedef struct Way { /* from a value to a part */
    const struct Way *before;
    const char *name;
} Way;

static const char *described(Value v) {
    switch (kind_of(v)) {
    case BOOLEAN: return TEXTS.described[DESCRIBED_BOOLEAN];
    case NOTHING: return TEXTS.described[DESCRIBED_NULL];
    case PAIR: return TEXTS.described[DESCRIBED_PAIR];
    case PROCEDURE:
    case CLOSURE: return TEXTS.described[DESCRIBED_PROCEDURE];
    case LIST: return TEXTS.described[DESCRIBED_REFERENCE];
    case RECORD: return TEXTS.described[is_opaque(v) ? DESCRIBED_OPAQUE : DESCRIBED_SUM];
    case FOREIGN:
        switch (thing_in(v)->kind) {
        case TEXT: return TEXTS.described[DESCRIBED_TEXT];
        case SYMBOL: return TEXTS.described[DESCRIBED_SYMBOL];
        case FAILURE: return TEXTS.described[DESCRIBED_FAILURE];
        case CAPSULE: break; /* programs that have these take no derivatives */
        }
        return "";
    default: return TEXTS.described[DESCRIBED_REAL];
    }
}

static void write_path(Buffer *place, const Way *path) {
    if (!path) return;
    write_path(place, path->before);
    buffer_put(place, path->before ? TEXTS.between : TEXTS.at);
    buffer_put(place, path->name);
}

static bool differs(Buffer *message, const char *what, const char *expected, Value tangent, const Way *path) {
    Buffer place = {NULL, 0, 0};
    buffer_put(&place, "");
    write_path(&place, path);
    buffer_format(message, TEXTS.mismatch, what, place.text, expected, described(tangent));
    buffer_end(&place);
    return true;
}

static bool is_number(Value v) { return kind_of(v) == REAL || kind_of(v) == DUAL; }

static bool has_parts(Value v) { return kind_of(v) == PAIR || kind_of(v) == LIST || is_tagged(v); }

/* What is compared: a tangent, or cotangent, with the shape of its value's. */
typedef struct Comparison {
    Heap *heap;
    Buffer *message;
    const char *what;
} Comparison;

static bool has_opaque(Value v) { return is_opaque(v) || kind_of(v) == PROCEDURE || kind_of(v) == CLOSURE; }

/* Compares what stands for a procedure. */
static bool opaque_differs(const Comparison *c, Value value, Value tangent, const Way *path) {
    const uint32_t count = numbers_held(c->heap, value);
    if (is_opaque(tangent) && tangent.object->length == count + 1) return false;
    Buffer expected = {NULL, 0, 0};
    if (count == 1) buffer_put(&expected, TEXTS.one_real);
    else buffer_format(&expected, TEXTS.reals, count);
    differs(c->message, c->what, expected.text, tangent, path);
    buffer_end(&expected);
    return true;
}

static bool compare(const Comparison *c, Value value, Value tangent, const Way *path);

/* Compares the parts of a pair, a reference, or a value of a sum. */
static bool parts_differ(const Comparison *c, Value value, Value tangent, const Way *path) {
    uint32_t count = 0;
    const char *const of_pair[] = {TEXTS.car, TEXTS.cdr}, *const *names = kind_of(value) == PAIR ? of_pair : TEXTS.elements;
    const Value *parts = all_parts_of(value, &count), *others = all_parts_of(tangent, &count);
    for (uint32_t i = 0; i < count; i++) {
        const Way to = {path, names[i]};
        if (compare(c, parts[i], others[i], &to)) return true;
    }
    return false;
}

static bool compare(const Comparison *c, Value value, Value tangent, const Way *path) {
    const char *expected = TEXTS.nothing;
    bool is_like = kind_of(tangent) == NOTHING;
    if (has_opaque(value)) return opaque_differs(c, value, tangent, path);
    if (is_number(value)) {
        expected = TEXTS.described[DESCRIBED_REAL];
        is_like = is_number(tangent);
    } else if (has_parts(value)) {
        expected = described(value);
        is_like = kind_of(tangent) == kind_of(value) && !is_opaque(tangent);
    }
    if (!is_like) return differs(c->message, c->what, expected, tangent, path);
    return has_parts(value) && parts_differ(c, value, tangent, path);
}

#pragma GCC diagnostic pop

bool tangent_differs(Heap *heap, Buffer *message, const char *what, Value value, Value tangent) {
    const Comparison comparison = {heap, message, what};
    return compare(&comparison, value, tangent, NULL);
}

void note_mismatch(Heap *heap, Value value, Value cotangent) {
    buffer_end(&raise.mismatch);
    tangent_differs(heap, &raise.mismatch, TEXTS.cotangent, value, cotangent);
}

/* Scalars */

static RealClass class_of(double x) {
    if (isnan(x)) return IS_NAN;
    if (isinf(x)) return x < 0.0 ? IS_MINUS_INFINITY : IS_INFINITY;
    if (x == 0.0) return IS_ZERO;
    if (floor(x) == x) return x < 0.0 ? IS_NEGATIVE_WHOLE : IS_POSITIVE_WHOLE;
    return x < 0.0 ? IS_NEGATIVE : IS_POSITIVE;
}

const char *scalar_failure(const Operation *operation, const Value *operands, uint32_t count) {
    uint32_t place = 0;
    double real;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_number(operands[i]) || !real_in(operands[i], &real)) return operation->refused[i];
        place = place * REAL_CLASSES + class_of(real);
    }
    return operation->failures[place];
}
