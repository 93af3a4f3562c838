/* The macros of the forward loop (vm.c): dispatch to the next instruction and block, and the instructions of
 * arithmetic and comparison. Each has four forms of operands (opcodes.def), handles reals and integers, and otherwise
 * jumps to `slow`.
 *
 * TAGS of reals is 0 if all operands are reals, TAGS of integers if all are integers. Words are read and written one by
 * one: a load of 16 bytes stalls on two stores of 8 that it covers.
 */
#ifndef CK_VM_FAMILIES_H
#define CK_VM_FAMILIES_H

#define NEXT goto *labels[(++pc)->op]
#define SYNC() (m->block = block, m->steps = steps)
/* Enters the block `block`. Plain code is entered from each place by a jump of its own, so that each is
 * predicted by itself. */
#define ENTER()                                                                                                \
    do {                                                                                                       \
        stepped = false;                                                                                       \
        if (form == TAPED) goto enter_taped;                                                                   \
        pc = CODE_OF(block, plain);                                                                            \
        if (UNLIKELY(!pc)) goto no_code;                                                                       \
        if (UNLIKELY(steps + block->cost > stop)) goto no_room;                                                \
        steps += block->cost;                                                                                  \
        goto *labels[pc->op];                                                                                  \
    } while (0)
#define NOW() (stepped ? steps : steps - (int64_t)block->cost + (int64_t)pc->step + 1)

/* A register of an instruction, which names it by its offset in bytes. */
#define R(OFFSET) (*(Value *)(void *)((char *)r + (OFFSET)))
#define GET(OPERAND) load(&R(pc->OPERAND))
#define SET(VALUE) store(&R(pc->d), VALUE)
#define PUT(TAG, INTEGER_) (R(pc->d).tag = (TAG), R(pc->d).integer = (INTEGER_))
#define PUT_REAL(X) (R(pc->d).tag = REAL, R(pc->d).real = (X))

/* ON_REALS and ON_INTEGERS are macros of (TAGS, X, Y, OPERATOR, BUILTIN), which end in NEXT if they apply. */
#define FORMS(NAME, ON_REALS, ON_INTEGERS, OPERATOR, BUILTIN)                                                 \
    NAME : {                                                                                                   \
        const Value *x = &R(pc->a), *y = &R(pc->b);                                                            \
        ON_REALS(x->tag | y->tag, x->real, y->real, OPERATOR, BUILTIN)                                         \
        ON_INTEGERS((x->tag ^ INTEGER) | (y->tag ^ INTEGER), x->integer, y->integer, OPERATOR, BUILTIN)        \
        goto slow;                                                                                             \
    }                                                                                                          \
    NAME##_rk : {                                                                                              \
        const Value *x = &R(pc->a);                                                                            \
        ON_REALS(x->tag, x->real, pc->real, OPERATOR, BUILTIN)                                                 \
        goto slow;                                                                                             \
    }                                                                                                          \
    NAME##_kr : {                                                                                              \
        const Value *y = &R(pc->b);                                                                            \
        ON_REALS(y->tag, pc->real, y->real, OPERATOR, BUILTIN)                                                 \
        goto slow;                                                                                             \
    }                                                                                                          \
    NAME##_ri : {                                                                                              \
        const Value *x = &R(pc->a);                                                                            \
        ON_INTEGERS(x->tag ^ INTEGER, x->integer, pc->integer, OPERATOR, BUILTIN)                              \
        ON_REALS(x->tag, x->real, (double)pc->integer, OPERATOR, BUILTIN)                                      \
        goto slow;                                                                                             \
    }

#define IF(CONDITION, EFFECT)                                                                                  \
    if (LIKELY(CONDITION)) {                                                                                   \
        EFFECT;                                                                                                \
        NEXT;                                                                                                  \
    }
#define TAKES_INTEGERS(TAGS) ((TAGS) == 0 && (pc->flags & FLAG_INTEGERS))
#define NO_INTEGERS(TAGS, X, Y, OPERATOR, BUILTIN)

#define COMPUTE_REALS(TAGS, X, Y, OPERATOR, BUILTIN) IF((TAGS) == REAL, PUT_REAL((X)OPERATOR(Y)))
#define COMPUTE_INTEGERS(TAGS, X, Y, OPERATOR, BUILTIN)                                                        \
    {                                                                                                          \
        int64_t z;                                                                                             \
        IF(TAKES_INTEGERS(TAGS) && !BUILTIN(X, Y, &z), PUT(INTEGER, z))                                        \
    }
#define DIVIDE_REALS(TAGS, X, Y, OPERATOR, BUILTIN) IF((TAGS) == REAL && (Y) != 0.0, PUT_REAL((X) / (Y)))
#define COMPARE_REALS(TAGS, X, Y, OPERATOR, BUILTIN) IF((TAGS) == REAL, PUT(BOOLEAN, (X)OPERATOR(Y)))
#define COMPARE_INTEGERS(TAGS, X, Y, OPERATOR, BUILTIN) IF(TAKES_INTEGERS(TAGS), PUT(BOOLEAN, (X)OPERATOR(Y)))
#define BRANCH_REALS(TAGS, X, Y, OPERATOR, BUILTIN) IF((TAGS) == REAL, if (!((X)OPERATOR(Y))) pc += pc->c)
#define BRANCH_INTEGERS(TAGS, X, Y, OPERATOR, BUILTIN)                                                         \
    IF(TAKES_INTEGERS(TAGS), if (!((X)OPERATOR(Y))) pc += pc->c)

#define ARITHMETIC(NAME, OPERATOR, BUILTIN) FORMS(NAME, COMPUTE_REALS, COMPUTE_INTEGERS, OPERATOR, BUILTIN)
#define COMPARISON(NAME, OPERATOR)                                                                             \
    FORMS(NAME, COMPARE_REALS, COMPARE_INTEGERS, OPERATOR, )                                                  \
    FORMS(branch_##NAME, BRANCH_REALS, BRANCH_INTEGERS, OPERATOR, )

#define LABELS(NAME) &&NAME, &&NAME##_rk, &&NAME##_kr, &&NAME##_ri

#endif
