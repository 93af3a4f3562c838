/* The outcomes of a call of a machine, and the forms of a block's code. (Also read by cffi.) */
#ifndef CK_OUTCOMES_H
#define CK_OUTCOMES_H

typedef enum Outcome {
    STOPPED,    /* at the limit */
    FINISHED,   /* at HALT; the value is in its register 0 */
    TAPE_FULL,  /* at the start of a block */
    SLICED,     /* the slice is over: call again */
    WANTS_CODE, /* `block` lacks the form of code that `wanted` names */
    FAILED,     /* the helper has the exception */
    NO_MEMORY   /* the machine is no longer usable */
} Outcome;

typedef enum Form { PLAIN, TAPED, STEPPED } Form;

#endif
