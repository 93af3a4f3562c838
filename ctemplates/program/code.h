/* Programs as the machine runs them: procedures, blocks, instructions. checkpoint/ctarget/ makes them of block IR
 * (checkpoint/cps/blocks.py); they are read-only once made, and many machines may run one program. (Also read by cffi.)
 *
 * A slot of a procedure has the same register in all its blocks. Code addresses the registers of one window: a call
 * saves what is live in a frame. The entry's parameters have the registers 0, 1, ... in their order; a block's
 * parameters are in their registers when it is entered. An instruction consumes the operands that its flags say it
 * moves, by checkpoint/cps/ownership.py.
 *
 * A block has up to three forms of its code, each assembled when the machine first wants it (NULL until then):
 *     plain     runs the whole block
 *     taped     the same, and writes a record to the tape (tape.h)
 *     stepped   has a STEP before every step and the end: stops anywhere, and records any part
 * Threads may run a block while another one gives it a form, so code is stored and read by PUBLISH_CODE and CODE_OF: who
 * sees a form sees all that was made before it.
 * The loop in vm.c counts the block's steps before it runs plain or taped code, or falls back to stepped code. Plain
 * and taped code begin with a FAST if translated code can be entered there.
 *
 * The record of a block that ran as a whole has `record_size` words: first its `value_count` values, as doubles, then
 * its *notes* in the order of the steps that make them, the end's last. A note is the birth of an object that the step
 * made or read (1 word), such a birth and a field (2 words), or where the fields of a new object were copied from
 * (COPIES_WORDS, the Note of native.h). note_at[i] is where the notes of step i begin, counted from the first note.
 */
#ifndef CK_CODE_H
#define CK_CODE_H

#include "program/kinds.h"

typedef uint32_t Register;
#define NO_REGISTER UINT32_MAX

/* The number of no scalar (scalars.h), and of no native step (natives.h). */
#define NO_SCALAR UINT16_MAX
#define NO_NATIVE UINT16_MAX

/* The size in words of a note of copied fields. */
#define COPIES_WORDS 4

/* The key of the origin (tape.h) of a step is the step's index. END_ORIGIN: of the end; STRIPPED_ORIGIN - k: of the
 * k-th stripping of a raised value. */
enum { END_ORIGIN = -1, STRIPPED_ORIGIN = -2 };

typedef struct Block Block;
typedef struct Procedure Procedure;

typedef struct Instruction {
    uint16_t op;      /* opcodes.h */
    uint16_t flags;   /* MOVES_A, MOVES_B: the operand is used for the last time */
    uint32_t step;    /* the index of the step that it performs */
    uint32_t d, a, b; /* registers of the result and operands, as offsets in bytes; NO_REGISTER: none */
    uint32_t c;
    union {
        double real;
        int64_t integer;
        const void *pointer;
    };
} Instruction;

/* An operand of a step or an end; `at` is NO_REGISTER for a constant, which is `constants[constant]`. */
typedef struct Operand {
    Register at;
    uint32_t constant;
    bool moves;
} Operand;

/* The entry of a step in the block's table, for foreign steps and parts. */
typedef struct Step {
    Register result; /* NO_REGISTER if it defines none, or several (a letrec) */
    uint16_t scalar; /* of arithmetic: the Scalar's number (scalars.h); NO_SCALAR of other steps */
    uint16_t native; /* the one of NATIVES that performs it (of arithmetic: on non-numbers); NO_NATIVE: Python */
    bool changes;    /* an update, which may change its first operand */
    uint32_t count;
    const Operand *operands;
} Step;

/* The block that a frame returns to, and the registers of its parameters after the first, which the frame saves. A block
 * has several: of frames that translated code has pushed, one for each kinds of what these save. */
typedef struct ReturnPoint {
    const Block *block;
    const Block *handler; /* NULL but for the frame of an install */
    uint32_t count;
    const Register *saved;
    const bool *copies; /* of an install: those of them that its body needs too */
    uint32_t lane;      /* one more than the position among the saved values of the number of a lane; 0: none */
    uint32_t within;    /* likewise of the tuple that says whose lanes these are (checkpoint/lang/lanes.py) */
} ReturnPoint;

/* What a frame says of a lane: (0, its number, 0), or the integers of the tuple that says whose lanes these are. */
typedef struct LaneMark {
    int64_t numbers[3];
} LaneMark;

typedef enum EndKind { JUMP, ENTER, BRANCH, CALL, CONTROL, RETURN, THROW, INSTALL, FINISH } EndKind;

typedef struct End {
    EndKind kind;
    bool counts;             /* whether it is a step */
    bool resumes;            /* of CONTROL: resume, else j* */
    uint32_t count;          /* of operands; of CALL the procedure is the first */
    const Operand *operands;
    const Block *targets[3]; /* as checkpoint.cps.blocks.targets names them */
    const ReturnPoint *point; /* of CALL and CONTROL that are not tail calls, of INSTALL; else NULL */
} End;

typedef enum ActionKind { ADD, SCALE, TAKE, GIVE, PICK, MOVE, PUT, PULL, REDO } ActionKind;

/* One action that reverses a step (checkpoint/cps/adjoint.py). Registers are those of slots: accumulators are in a
 * window of their own, with the same addresses (cotangent.h). */
typedef struct Action {
    ActionKind kind;
    uint32_t step;
    Register source;        /* the accumulator of the step's result; of ADD the one that is added */
    Register target;        /* of ADD, TAKE, PUT */
    uint32_t field;         /* of TAKE, GIVE */
    uint32_t note;          /* of TAKE, GIVE, PICK, PUT, MOVE: the position of the step's notes */
    uint16_t scalar;        /* of SCALE: the Scalar's number (scalars.h), or NO_SCALAR: by Python */
    uint16_t count;         /* of SCALE: how many operands; of MOVE 1 where there are notes, else 0 */
    Register operands[3];   /* of SCALE: accumulators of the operands; NO_REGISTER where constant */
    int32_t values[4];      /* of SCALE: positions of the operands and, at [3], the result among the values; -1:
                               a constant, or not needed */
    double constants[3];
} Action;

#define CODE_OF(BLOCK, FORM_) __atomic_load_n(&(BLOCK)->FORM_, __ATOMIC_ACQUIRE)
#define PUBLISH_CODE(BLOCK, FORM_, CODE) __atomic_store_n(&(BLOCK)->FORM_, (CODE), __ATOMIC_RELEASE)

struct Block {
    const Instruction *plain, *taped, *stepped;
    const Procedure *procedure; /* NULL: built in */
    void *python;               /* its peer in checkpoint/ctarget, borrowed */
    uint32_t cost;              /* steps, its end included if it is one */
    uint32_t step_count;        /* steps without the end */
    uint32_t parameter_count;
    uint32_t given;             /* the number of explicit parameters, the first ones */
    uint32_t value_count, note_count; /* of the adjoint, in words */
    uint32_t record_size;             /* the sum of both */
    const Register *parameters;
    const Step *steps;
    void **plans;               /* PyObject *: the plan of each step in Python (plans.h); NULL: not made yet */
    const Value *constants;     /* uncounted ones as they are; NOTHING for the others */
    void **counted_constants;   /* Python objects of the constants that are counted in C, else NULL; borrowed */
    End end;
    const uint32_t *step_at;    /* in `stepped`: where each step begins; the last is the end */
    const uint32_t *const *live; /* live[i]: how many slots are live at point i, then their registers */
    /* the adjoint, made together with `taped` or `stepped` */
    bool has_adjoint;
    uint32_t action_count;
    const Action *actions;      /* the last step first */
    const Register *values;     /* slots whose values are recorded */
    const int32_t *value_step;  /* the step that defines each; -1: a parameter */
    const uint32_t *note_at;
    uint32_t slot_count;
    const Register *slots;      /* all slots of the block */
};

struct Procedure {
    void *lambda;           /* the Python object, borrowed */
    uint32_t arity;
    uint32_t capture_count; /* the entry's parameters: captures, own environment if passes_environment, arguments */
    bool passes_environment;
    bool shown;             /* whether calls of it are shown in a trace */
    int64_t function;       /* the number of the Python function that it is (checkpoint/driver/calls.py); 0: of none */
    uint32_t registers;     /* the number of registers of its code, scratch ones included */
    const Block *entry;
    uint8_t to_skip[2], skipped[2]; /* of runs within steps that C has refused, and their reversals (operators/inner.h) */
    int64_t inner_steps, inner_runs, inner_due; /* those of runs within steps, counted for the watch of translation */
};

#endif
