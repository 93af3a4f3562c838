/* A program as `checkpoint compile` writes it in C: blocks as code.h has them, and what is said when something fails.
 *
 * checkpoint/ctarget/alone/ makes all of it. Texts are those of the records of primitives: nothing here knows one.
 */
#ifndef CK_PROGRAM_H
#define CK_PROGRAM_H

#include "program/code.h"

/* A place in a text: "FILE:LINE:COLUMN", and its line with the place underlined. */
typedef struct TextPlace {
    const char *where, *excerpt;
} TextPlace;

/* How a step is done whose operands no instruction takes. */
typedef enum Doing {
    DOES_NOTHING_ELSE, /* it is always done by an instruction */
    DOES_SCALAR,       /* it fails */
    DOES_DATA,         /* likewise */
    DOES_ASSIGN,       /* likewise, of what is no reference; the run ends at one that came in from outside */
    DOES_SYMBOL_TEST,
    DOES_OTHER_TEST, /* of a kind that no thing is of */
    DOES_SAME,
    DOES_READ_REAL,
    DOES_WRITE_REAL,
    DOES_WRITE,
    DOES_GRADIENT, /* it has failed */
    DOES_PRIMOPS,
    DOES_INTERRUPT,
    DOES_CONTROL /* j*, resume, `if` */
} Doing;

/* The classes of reals by which a scalar function says why it fails. */
typedef enum RealClass {
    IS_NAN,
    IS_MINUS_INFINITY,
    IS_NEGATIVE,
    IS_NEGATIVE_WHOLE,
    IS_ZERO,
    IS_POSITIVE,
    IS_POSITIVE_WHOLE,
    IS_INFINITY,
    REAL_CLASSES
} RealClass;

/* refused: by operand, what is said of one of another kind. failures: of a scalar, what is said of reals of these classes,
 * that of the first operand times REAL_CLASSES and that of the second; NULL where it does not fail. */
typedef struct Operation {
    const char *name;
    Doing doing;
    const char *const *refused;
    const char *const *failures;
} Operation;

typedef struct StepFacts {
    const Operation *operation; /* NULL: no primitive */
    const TextPlace *place;
} StepFacts;

typedef struct BlockFacts { /* of Block.python */
    const StepFacts *steps;
    StepFacts end;
} BlockFacts;

typedef struct ProcedureFacts { /* of Procedure.lambda */
    const char *name;
    bool resumes; /* it is the primitive `resume` */
} ProcedureFacts;

typedef enum ThingKind { TEXT, SYMBOL, FAILURE, CAPSULE } ThingKind;

/* What a FOREIGN refers to. A CAPSULE has no text, and is the first part of a Capsule (things.h). */
typedef struct Thing {
    ThingKind kind;
    const char *text;
    void (*release)(void *thing); /* NULL: it is a constant */
} Thing;

/* A constant of a block: a thing, or a pair of constants; others as they are. */
typedef struct Constant {
    const Thing *thing;
    const struct Constant *parts;
    Value value;
} Constant;

/* Texts with places for what they are about, as printf has them. described: by DescribedKind what tells a value from what
 * was expected. */
typedef enum DescribedKind {
    DESCRIBED_REAL,
    DESCRIBED_BOOLEAN,
    DESCRIBED_NULL,
    DESCRIBED_TEXT,
    DESCRIBED_SYMBOL,
    DESCRIBED_FAILURE,
    DESCRIBED_PAIR,
    DESCRIBED_REFERENCE,
    DESCRIBED_SUM,
    DESCRIBED_PROCEDURE,
    DESCRIBED_OPAQUE,
    DESCRIBED_KINDS
} DescribedKind;
typedef struct Texts {
    const char *no_procedure, *one_argument, *arguments; /* of a call; the arity, if it is not 1, and how many there are */
    const char *test;                                    /* of `if` */
    const char *uncaught, *end_of_input, *no_real;       /* of a raised value, of a word */
    const char *mismatch, *at, *car, *cdr, *between;              /* of a tangent: what, where, expected, found; a path */
    const char *tangent, *cotangent, *nothing, *one_real, *reals; /* what is expected; of a procedure, how many it holds */
    const char *described[DESCRIBED_KINDS];
    const char *no_capsule, *no_whole, *too_short; /* of capsules: a number of steps; those of a run, and those wanted */
    const char *elements[2]; /* of a path, in a value of a sum */
    const char *came_in; /* of a reference that cannot be changed */
    const char *no_reset, *within_step; /* no_reset: how the failure begins to which the place of the step is added */
    const char *too_much, *out_of_memory; /* too_much: what C has no room for */
} Texts;

typedef struct Program {
    const Procedure *thunk;
    const Block *entry;
    const ReturnPoint *halt, *leave;
    const TextPlace *place; /* of what fails outside of all steps */
    size_t memory; /* the bytes that a run may hold; SIZE_MAX: no bound */
} Program;

extern const Program PROGRAM;
extern const Texts TEXTS;

static inline const BlockFacts *facts_of(const Block *block) { return block->python; }

#endif
