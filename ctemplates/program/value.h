/* Operations on values (kinds.h): tags, payloads, construction. */
#ifndef CK_VALUE_H
#define CK_VALUE_H

#include "program/code.h"
#include "program/opcodes.h"

/* The header of every counted object. `kind` is ENVIRONMENT for what a CLOSURE refers to. constant: no cotangent of a real
 * among its own fields is wanted in this heap's sweeps; only what never changes has it, and not having it is never wrong. */
struct Object {
    uint32_t count;
    uint32_t length; /* of Cells: how many */
    uint64_t birth : 48;
    uint64_t kind : 8;
    uint64_t constant : 1;
    uint64_t size_class : 7;
};

#define LARGEST_BIRTH ((UINT64_C(1) << 48) - 1)

typedef struct Cells {
    Object head;
    Value cells[];
} Cells;

/* __builtin_expect alone says "in one of ten cases", for which compilers keep what is live across a rare call on the
 * stack. Translated code, whose loops have many such calls, says one of a hundred (machine/translated.h). */
#ifndef PREDICT
#define PREDICT(x, value) __builtin_expect(!!(x), value)
#endif
#define UNLIKELY(x) PREDICT(x, 0)
#define LIKELY(x) PREDICT(x, 1)

static inline Kind kind_of(Value v) { return (Kind)(v.tag & 0xff); }
static inline bool is_counted(Value v) { return (v.tag & 0xff) >= PAIR; }
static inline uint64_t upper(Value v) { return v.tag >> 8; }
enum { AT_ONCE = 8 };
/* Returns whether none of AT_ONCE values is counted: kinds that are not are below PAIR, a power of two. */
static inline bool are_uncounted(const Value *values) {
    uint64_t tags = 0;
    for (int i = 0; i < AT_ONCE; i++) tags |= values[i].tag;
    return (tags & 0xff) < PAIR;
}
static inline Value *cells_of(Value v) { return ((Cells *)v.object)->cells; }

static inline bool is_exact(int64_t x) { return x <= LARGEST_EXACT && x >= -LARGEST_EXACT; }

/* Stores the primal of a number as a real; false: the value is not a number that C knows. */
static inline bool real_in(Value v, double *real) {
    while (kind_of(v) == DUAL) v = cells_of(v)[0];
    *real = v.real;
    return kind_of(v) == REAL;
}

/* Returns the birth under which the reals of an object have their accumulators; 0: what they receive is nobody's. */
static inline uint64_t birth_to_give(const Object *object) { return object->constant ? 0 : object->birth; }
/* The same of one field, by what was found in it: an integer that is read as a real gives nothing. */
static inline uint64_t birth_to_note(const Object *object, Value found) {
    return found.tag - INTEGER > NOTHING - INTEGER ? birth_to_give(object) : 0;
}

/* Words are moved one by one: a load of 16 bytes stalls on two stores of 8 that it covers. */
static inline Value load(const Value *from) { return (Value){.tag = from->tag, .integer = from->integer}; }
static inline void store(Value *to, Value v) {
    to->tag = v.tag;
    to->integer = v.integer;
}

static inline Value of_real(double x) { return (Value){.tag = REAL, .real = x}; }
/* Stores reals in a row as values, each by one store: its tag is 0. */
static inline void store_reals(Value *to, const double *reals, size_t count) {
    typedef double Words __attribute__((vector_size(sizeof(Value))));
    _Static_assert(REAL == 0, "the words of a real are 0.0 and the real");
    for (size_t i = 0; i < count; i++) {
        const Words words = {0.0, reals[i]};
        __builtin_memcpy(to + i, &words, sizeof words);
    }
}
static inline Value of_integer(int64_t i) { return (Value){.tag = INTEGER, .integer = i}; }
static inline Value of_boolean(bool b) { return (Value){.tag = BOOLEAN, .integer = b}; }
static inline Value nothing(void) { return (Value){.tag = NOTHING, .integer = 0}; }
static inline const Procedure *procedure_of(Value closure) {
    return (const Procedure *)(uintptr_t)upper(closure);
}
static inline Value of_procedure(Kind kind, const Procedure *procedure, Object *environment) {
    return (Value){.tag = (uint64_t)(uintptr_t)procedure << 8 | (uint64_t)kind, .object = environment};
}
static inline Value of_object(Kind kind, void *object) {
    return (Value){.tag = (uint64_t)kind, .object = (Object *)object};
}

#endif
