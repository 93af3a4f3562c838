/* A native step: one that the machine itself performs, on values of any kind.
 *
 * In: borrowed operands. Out: the result, and a Note for reversal. What always holds: a native step either completes or
 * returns false before any side effect, so that Python can perform it from its start.
 */
#ifndef CK_NATIVE_H
#define CK_NATIVE_H

#include "containers/classify.h"
#include "containers/containers.h"
#include "containers/keys.h"
#include "containers/peek.h"
#include "state/copies.h"

/* What a native step reports for the tape: if it makes an object, its birth; for Select and Update, the birth of the
 * container and the field. birth 0: no cotangent passes.
 *
 * Of a Rearrange: the field i of the new object `made` is a copy of the field `field` + i of the object
 * `birth`, for i below `count`; all other fields hold no number. Of fields of several objects a part takes `copies`; any
 * other form is left to Python. */
typedef struct Note {
    int64_t birth;
    int64_t field;
    int64_t made;
    int64_t count;
    Copies *copies; /* for the origin of the step, or NULL; where there is a part */
} Note;

static const Note NO_NOTE = {0};

/* Performs a step on borrowed operands; false: refused before any side effect. The note is filled in on success. */
typedef bool (*Native)(Machine *machine, const Value *operands, uint32_t count, Value *result, Note *note);

#define NATIVE(name)                                                                                         \
    bool name(Machine *m, const Value *operands, uint32_t count, Value *result, Note *note)

#define UNUSED (void)m, (void)operands, (void)count, (void)result, (void)note

#endif
