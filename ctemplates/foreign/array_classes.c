/* The Python classes that steps on arrays know, and the namespace of an array's library. */
#include "foreign/array_classes.h"

#include <string.h>

#include "program/value.h"

static void find_arrays(ArrayClasses *c) {
    const char *arrays = "checkpoint.ad.arrays", *foreign = "checkpoint.ctarget.foreign";
    const char *hybrid = "checkpoint.interp.hybrid.tensors", *ways = "checkpoint.ctarget.ways";
    c->array = class_in(arrays, "Array");
    c->discrete = class_in(arrays, "Discrete");
    c->memory = class_in(arrays, "Memory");
    c->native = class_in(arrays, "Native");
    c->backends = found_in(arrays, "backends");
    c->defaults = found_in(arrays, "defaults");
    c->constant = found_in("checkpoint.ad.storage", "CONSTANT");
    c->array_of = found_in(arrays, "array_of");
    c->peer = class_in(foreign, "Peer");
    c->machine = class_in("checkpoint.interp.hybrid.machine", "Machine");
    c->tape = class_in("checkpoint.interp.hybrid.engine", "Recorded");
    c->way = class_in(ways, "Way");
    c->node = class_in("checkpoint.ad.numbers", "Node");
    c->way_of = found_in(ways, "way_of");
    c->pulls_of = found_in(ways, "pulls_of");
    c->pulled = class_in(hybrid, "Pulled");
    c->idle = found_in(hybrid, "IDLE");
    c->pull_bytes = found_in(hybrid, "PULL_BYTES");
    c->pullback = class_in("checkpoint.ad.pullbacks", "Pullback");
    c->like = class_in("checkpoint.ad.pullbacks", "Like");
    c->amount = class_in("checkpoint.ad.amounts", "Amount");
    c->scattered = class_in("checkpoint.ad.amounts", "Scattered");
}

static void find_slots(ArrayClasses *c) {
    struct {
        Py_ssize_t *offset;
        PyTypeObject *type;
        const char *name;
    } slots[] = {
        {&c->array_data, c->array, "data"}, {&c->array_memory, c->array, "memory"},
        {&c->discrete_data, c->discrete, "data"}, {&c->discrete_memory, c->discrete, "memory"},
        {&c->memory_passing, c->memory, "passing"}, {&c->native_value, c->native, "value"},
        {&c->machine_owner, c->machine, "owner"},
        {&c->machine_tape, c->machine, "tape"}, {&c->tape_kept, c->tape, "kept"}, {&c->tape_bytes, c->tape, "bytes"},
        {&c->machine_steps, c->machine, "steps"}, {&c->machine_births, c->machine, "births"},
        {&c->machine_tags, c->machine, "tags"}, {&c->way_plain, c->way, "plain"}, {&c->way_taped, c->way, "taped"},
        {&c->way_on_arrays, c->way, "on_arrays"}, {&c->way_on_tape, c->way, "on_tape"},
        {&c->way_flags, c->way, "flags"}, {&c->way_value, c->way, "value"},
        {&c->way_in_place, c->way, "in_place"}, {&c->way_rules, c->way, "rules"},
        {&c->way_record, c->way, "record"}, {&c->way_pulls, c->way, "pulls"},
        {&c->pullback_form, c->pullback, "form"}, {&c->pullback_natives, c->pullback, "natives"},
        {&c->pullback_record, c->pullback, "record"}, {&c->pullback_result, c->pullback, "result"},
        {&c->pullback_wanted, c->pullback, "wanted"}, {&c->pulled_is_simple, c->pulled, "is_simple"},
        {&c->pulled_places, c->pulled, "places"}, {&c->pulled_pullback, c->pulled, "pullback"},
        {&c->pulled_results, c->pulled, "results"}, {&c->like_shape, c->like, "shape"},
        {&c->like_dtype, c->like, "dtype"}, {&c->amount_array, c->amount, "array"},
        {&c->amount_owned, c->amount, "owned"},
    };
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        *slots[i].offset = offset_in(slots[i].type, slots[i].name);
}

static void find_names(ArrayClasses *c) {
    const Named names[] = {
        {&c->ask, "ask"}, {&c->dtype, "dtype"}, {&c->kind, "kind"}, {&c->base, "base"}, {&c->shape, "shape"},
        {&c->nbytes, "nbytes"}, {&c->vjps, "vjps"}, {&c->refused, "refused"},
    };
    intern_names(names, sizeof names / sizeof names[0]);
}

/* Made once, under the GIL, as `classes` is. */
const ArrayClasses *array_classes(void) {
    static ArrayClasses known;
    static bool complete;
    if (LIKELY(complete)) return &known;
    ArrayClasses found;
    memset(&found, 0, sizeof found);
    find_arrays(&found);
    if (!PyErr_Occurred()) find_slots(&found);
    if (!PyErr_Occurred()) find_names(&found);
    if (PyErr_Occurred()) return NULL;
    if (!complete) known = found;
    complete = true;
    return &known;
}

PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *type = Py_TYPE(items[i]);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type || type == &PySlice_Type) continue;
        PyObject *found = PyDict_GetItemWithError(c->backends, (PyObject *)type);
        if (found) return found;
    }
    return PyList_GET_SIZE(c->defaults) ? PyList_GET_ITEM(c->defaults, 0) : NULL;
}
