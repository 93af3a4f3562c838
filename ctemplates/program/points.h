/* Points of a run: which registers are live at one. */
#ifndef CK_POINTS_H
#define CK_POINTS_H

#include "program/value.h"

/* Returns the registers of the slots at the point (block, index): all parameters at index 0, else the live slots. */
static inline const Register *point_registers(const Block *block, uint32_t index, uint32_t *count) {
    if (index == 0) {
        *count = block->parameter_count;
        return block->parameters;
    }
    *count = block->live[index][0];
    return block->live[index] + 1;
}

#endif
