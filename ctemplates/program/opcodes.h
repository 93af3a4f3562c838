/* The instructions of the machine (vm.c). R[x] is register x, K the immediate value. (Also read by cffi.)
 *
 * Each operation of arithmetic is there for two registers, for a real constant on the right (RK) and on the left
 * (KR), and for an integer constant on the right (RI). What they find other than reals and integers the slow path
 * does, by the step's table. A BRANCH_x compares, R[d] is free for the slow path's answer, and goes to the
 * instruction `c` further on where that is false.
 */
typedef enum Opcode {
    OP_STEP,       /* of stepped code: about to make step `step`; c: whether it counts */
    OP_RECORD,     /* of taped code, before the end: the values of the record */

    OP_ADD, OP_ADD_RK, OP_ADD_KR, OP_ADD_RI,
    OP_SUBTRACT, OP_SUBTRACT_RK, OP_SUBTRACT_KR, OP_SUBTRACT_RI,
    OP_MULTIPLY, OP_MULTIPLY_RK, OP_MULTIPLY_KR, OP_MULTIPLY_RI,
    OP_DIVIDE, OP_DIVIDE_RK, OP_DIVIDE_KR, OP_DIVIDE_RI,
    OP_NEGATE,
    OP_SCALAR,     /* any other; pointer: its Scalar */
    OP_LESS, OP_LESS_RK, OP_LESS_KR, OP_LESS_RI,
    OP_LESS_EQUAL, OP_LESS_EQUAL_RK, OP_LESS_EQUAL_KR, OP_LESS_EQUAL_RI,
    OP_GREATER, OP_GREATER_RK, OP_GREATER_KR, OP_GREATER_RI,
    OP_GREATER_EQUAL, OP_GREATER_EQUAL_RK, OP_GREATER_EQUAL_KR, OP_GREATER_EQUAL_RI,
    OP_EQUAL, OP_EQUAL_RK, OP_EQUAL_KR, OP_EQUAL_RI,
    OP_NOT_EQUAL, OP_NOT_EQUAL_RK, OP_NOT_EQUAL_KR, OP_NOT_EQUAL_RI,
    OP_BRANCH_LESS, OP_BRANCH_LESS_RK, OP_BRANCH_LESS_KR, OP_BRANCH_LESS_RI,
    OP_BRANCH_LESS_EQUAL, OP_BRANCH_LESS_EQUAL_RK, OP_BRANCH_LESS_EQUAL_KR, OP_BRANCH_LESS_EQUAL_RI,
    OP_BRANCH_GREATER, OP_BRANCH_GREATER_RK, OP_BRANCH_GREATER_KR, OP_BRANCH_GREATER_RI,
    OP_BRANCH_GREATER_EQUAL, OP_BRANCH_GREATER_EQUAL_RK, OP_BRANCH_GREATER_EQUAL_KR, OP_BRANCH_GREATER_EQUAL_RI,
    OP_BRANCH_EQUAL, OP_BRANCH_EQUAL_RK, OP_BRANCH_EQUAL_KR, OP_BRANCH_EQUAL_RI,
    OP_BRANCH_NOT_EQUAL, OP_BRANCH_NOT_EQUAL_RK, OP_BRANCH_NOT_EQUAL_KR, OP_BRANCH_NOT_EQUAL_RI,

    OP_MOVE,        /* R[d] = R[a] */
    OP_CONSTANT,    /* R[d] = K, of the kind c */
    OP_COUNTED,     /* R[d] = the block's constant c, which is counted */
    OP_DROP,        /* R[a] is not live any more */
    OP_CONS, OP_CAR, OP_CDR,
    OP_IS_NULL, OP_IS_PAIR,
    OP_CLOSE,       /* pointer: the Procedure; captures: the operands of the step */
    OP_MEMBER,      /* pointer: the Procedure; a: its environment, or none */
    OP_ENVIRONMENT, /* captures: c operands of the step, from K on */
    OP_ITEM, OP_ITEM_RI, /* R[a][R[b]], R[a][K]: of a plain tuple or a list; others as OP_NATIVE */
    OP_TUPLE,            /* of the operands of the step; as OP_NATIVE where one is FOREIGN */
    OP_NATIVE,           /* by the step's entry in NATIVES; flags: FLAG_NOTES_... */
    OP_FOREIGN,     /* by Python */

    OP_GOTO,        /* pointer: the block */
    OP_BRANCH,      /* R[a]; where it is false, to the instruction c further on */
    OP_BRANCH_NULL, OP_BRANCH_PAIR, /* the same of whether R[a] is null, a pair */
    OP_CALL, OP_RETURN, OP_INSTALL,
    OP_FOREIGN_END, /* by Python: j*, resume, raise */
    OP_FAST,        /* of plain and taped code, before all else; pointer: the UnitEntry (fast.h) */
    OP_HALT,
    OPCODES
} Opcode;

typedef enum InstructionFlag {
    FLAG_MOVES_A = 1,
    FLAG_MOVES_B = 2,
    FLAG_NOTES_BIRTH = 4,  /* a step that makes an object, or takes from one */
    FLAG_NOTES_FIELD = 8,  /* and says which field */
    FLAG_INTEGERS = 32,    /* arithmetic that takes integers too */
    FLAG_NOTES_COPIES = 64 /* a Rearrange, where the fields were copied from: 4 words */
} InstructionFlag;
