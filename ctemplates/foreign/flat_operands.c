/* Operands of steps on arrays that are tuples or lists of arrays: see flat_operands.h. */
#include "foreign/flat_operands.h"

#include "containers/lists.h"

/* Returns whether all values are handles of arrays of numbers. */
static bool are_arrays(const ArrayClasses *c, const Value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (kind_of(values[i]) != FOREIGN) return false;
        if (!Py_IS_TYPE(((Foreign *)values[i].object)->python, c->array)) return false;
    }
    return count > 0;
}

void note_flat(const ArrayClasses *c, Natives *natives, uint32_t i, Value v) {
    const bool is_list = kind_of(v) == LIST;
    if (!is_list && (kind_of(v) != RECORD || cells_of(v)[0].tag != NOTHING)) return;
    const Value *values = is_list ? list_in(v)->values : cells_of(v) + 1;
    const size_t count = is_list ? list_in(v)->length : v.object->length - 1;
    if (!v.object->birth || !are_arrays(c, values, count)) return;
    natives->flat |= UINT64_C(1) << i;
    natives->births[i] = v.object->birth;
}

bool tapes_parts(const ArrayClasses *c, PyObject *plan, Natives *natives) {
    const uint64_t rules = (uint64_t)PyLong_AsLongLong(*slot_of(plan, c->plan_rules));
    const uint64_t wanted = natives->active & natives->parts & rules;
    if (wanted & ~natives->flat) return false;
    natives->numbers |= wanted;
    const uint64_t bits = wanted_bits(c, plan, natives);
    PyObject *pulls = bits ? pulls_for(c, plan, bits) : NULL;
    if (!bits) return true;
    return pulls && !(natives->parts & ~(uint64_t)PyLong_AsLongLong(PyTuple_GET_ITEM(pulls, 2)));
}
