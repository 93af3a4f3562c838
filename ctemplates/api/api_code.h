/* The primitives that are implemented in C, for the assembler. (Also read by cffi.) */
#ifndef CK_API_CODE_H
#define CK_API_CODE_H

#include "program/value.h"
#include "state/built_in.h"
#include "state/outcomes.h"

/* Keeps the blocks that every run has; they outlive all runs. */
void ck_set_built_in(const Block *entry, const ReturnPoint *halt, const ReturnPoint *leave, uintptr_t unit);

/* Gives a block a form of its code, while other threads may run it. */
void ck_set_code(Block *block, Form form, const Instruction *code);

uint16_t ck_native_number(const char *name); /* its index in NATIVES; the largest uint16_t: there is none */
bool ck_native_copies(const char *name);     /* whether its Note says where fields were copied from */
const void *ck_scalar(const char *name);     /* its Scalar; NULL: there is none */
uint16_t ck_scalar_number(const char *name); /* its number; the largest uint16_t: there is none */
const char *ck_scalar_name(uint16_t number);    /* the name of its definition in scalars.def */

#endif
