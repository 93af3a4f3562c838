/* The instructions of the machine (vm.c), listed in opcodes.def. (Also read by cffi.) */
#ifndef CK_OPCODES_H
#define CK_OPCODES_H

typedef enum Opcode {
#define OPCODE(NAME, label) OP_##NAME,
#define FAMILY(NAME, label) OP_##NAME, OP_##NAME##_RK, OP_##NAME##_KR, OP_##NAME##_RI,
#include "program/opcodes.def"
#undef OPCODE
#undef FAMILY
    OPCODES
} Opcode;

typedef enum InstructionFlag {
    FLAG_MOVES_A = 1,
    FLAG_MOVES_B = 2,
    FLAG_NOTES_BIRTH = 4,  /* a step that makes an object, or takes from one */
    FLAG_NOTES_FIELD = 8,  /* its note also has the number of the field */
    FLAG_INTEGERS = 32,    /* arithmetic that takes integers too */
    FLAG_NOTES_COPIES = 64 /* a Rearrange: notes where the fields were copied from, in 4 words */
} InstructionFlag;

#endif
