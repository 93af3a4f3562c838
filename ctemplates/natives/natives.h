/* The table of native steps. */
#ifndef CK_NATIVES_H
#define CK_NATIVES_H

#include "natives/native.h"

typedef struct NativeStep {
    const char *name; /* the record's */
    Native run;
    bool copies; /* a Rearrange that notes where fields were copied from (4 words) */
} NativeStep;

extern const NativeStep NATIVES[];

extern const uint16_t NATIVE_COUNT;

uint16_t native_number(const char *name); /* the index of a record's step in NATIVES; NO_NATIVE: there is none */

#endif
