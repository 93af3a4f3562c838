/* Operands in parts: see operand_parts.h. */
#include "array_steps/operand_parts.h"

#include <string.h>

#include "containers/lists.h"

enum { DEEPEST = 3 }; /* nests within nests */

/* Noting */

static bool note_nest(const ArrayClasses *c, Natives *natives, Value v, int depth);

/* Returns whether a part is a number, has no derivative, or is a nest that has births, which are noted. */
static bool note_part(const ArrayClasses *c, Natives *natives, Value part, int depth) {
    switch (kind_of(part)) {
    case REAL:
    case INTEGER:
    case BOOLEAN:
    case NOTHING: return true;
    case FOREIGN: {
        const PyObject *python = ((Foreign *)part.object)->python;
        return Py_IS_TYPE(python, c->array) || Py_IS_TYPE(python, c->discrete);
    }
    default: return note_nest(c, natives, part, depth + 1);
    }
}

static bool note_nest(const ArrayClasses *c, Natives *natives, Value v, int depth) {
    const bool is_list = kind_of(v) == LIST;
    if (!is_list && (kind_of(v) != RECORD || cells_of(v)[0].tag != NOTHING)) return false;
    if (!v.object->birth || depth == DEEPEST || natives->birth_count == MOST_BIRTHS) return false;
    natives->births[natives->birth_count++] = v.object->birth;
    const Value *values = is_list ? list_in(v)->values : cells_of(v) + 1;
    const size_t count = is_list ? list_in(v)->length : v.object->length - 1;
    for (size_t i = 0; i < count; i++)
        if (!note_part(c, natives, values[i], depth)) return false;
    return true;
}

void note_births(const ArrayClasses *c, Natives *natives, uint32_t i, Value v) {
    natives->births_from[i] = natives->birth_count;
    if (note_nest(c, natives, v, 0))
        natives->born |= UINT64_C(1) << i;
    else
        natives->birth_count = natives->births_from[i];
}

/* Packed: for each operand the place of its first birth, or 0, and behind them the births. */

PyObject *packed_births(const Natives *natives) {
    uint64_t packed[MOST_OPERANDS + MOST_BIRTHS] = {0};
    for (uint32_t i = 0; i < natives->count; i++)
        if (natives->born >> i & 1) packed[i] = natives->count + natives->births_from[i];
    memcpy(packed + natives->count, natives->births, natives->birth_count * sizeof *packed);
    const size_t count = natives->count + natives->birth_count;
    return PyBytes_FromStringAndSize((const char *)packed, (Py_ssize_t)(count * sizeof *packed));
}

const uint64_t *births_of_operand(PyObject *packed, Py_ssize_t i) {
    const uint64_t *places = packed ? (const uint64_t *)(const void *)PyBytes_AS_STRING(packed) : NULL;
    return places && places[i] ? places + places[i] : NULL;
}

/* Returns the births from one place to the next operand's, as a tuple. */
static PyObject *births_from(const uint64_t *births, const uint64_t *end) {
    PyObject *made = PyTuple_New(births ? end - births : 0);
    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(made); i++) {
        PyObject *birth = PyLong_FromUnsignedLongLong(births[i]);
        if (!birth) Py_CLEAR(made);
        else PyTuple_SET_ITEM(made, i, birth);
    }
    return made;
}

PyObject *unpacked_births(PyObject *packed, Py_ssize_t count) {
    PyObject *made = PyTuple_New(count);
    const uint64_t *end = (const uint64_t *)(const void *)(PyBytes_AS_STRING(packed) + PyBytes_GET_SIZE(packed));
    for (Py_ssize_t i = count; made && i-- > 0;) {
        const uint64_t *births = births_of_operand(packed, i);
        PyObject *own = births_from(births, end);
        if (!own) Py_CLEAR(made);
        else PyTuple_SET_ITEM(made, i, own);
        if (births) end = births;
    }
    return made;
}

Py_ssize_t nests_in(PyObject *native) {
    Py_ssize_t count = is_nest(native);
    for (Py_ssize_t i = 0; count && i < PySequence_Fast_GET_SIZE(native); i++)
        count += nests_in(PySequence_Fast_GET_ITEM(native, i));
    return count;
}
