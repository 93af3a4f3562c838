/* The Python classes of values. */
#include "bridge/classes.h"

#include <string.h>

#include <structmember.h>

#include "program/value.h"

PyObject *found_in(const char *module, const char *name) {
    PyObject *imported = PyImport_ImportModule(module);
    PyObject *found = imported ? PyObject_GetAttrString(imported, name) : NULL;
    Py_XDECREF(imported);
    return found;
}

PyTypeObject *class_in(const char *module, const char *name) {
    return (PyTypeObject *)(void *)found_in(module, name);
}

Py_ssize_t offset_in(PyTypeObject *type, const char *name) {
    PyObject *descriptor = type ? PyObject_GetAttrString((PyObject *)type, name) : NULL;
    Py_ssize_t result = 0;
    if (descriptor && Py_IS_TYPE(descriptor, &PyMemberDescr_Type))
        result = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    Py_XDECREF(descriptor);
    return result;
}

void intern_names(const Named *names, size_t count) {
    for (size_t i = 0; i < count; i++) *names[i].name = PyUnicode_InternFromString(names[i].text);
}

static void find_values(Classes *c) {
    const char *values = "checkpoint.ad.values", *containers = "checkpoint.ad.containers";
    const char *numbers = "checkpoint.ad.numbers", *cotangent = "checkpoint.interp.hybrid.cotangent";
    c->pair = class_in(values, "Pair");
    c->closure = class_in(values, "Closure");
    c->environment = class_in(values, "Environment");
    c->record = class_in(containers, "Record");
    c->list = class_in(containers, "List");
    c->dictionary = class_in(containers, "Dict");
    c->dual = class_in(numbers, "Dual");
    c->array = class_in("checkpoint.ad.arrays", "Array");
    c->both = class_in(cotangent, "Both");
    c->empty = found_in(values, "EMPTY");
    c->frozen = found_in("checkpoint.ad.storage", "FROZEN");
    c->never = found_in("checkpoint.ad.storage", "NEVER");
    c->tuple_layout = found_in(containers, "TUPLE");
    c->layout = found_in(containers, "Layout");
    c->fresh = found_in(numbers, "fresh");
    c->procedure_peer = found_in("checkpoint.ctarget.peers", "procedure_peer");
}

static void find_slots(Classes *c) {
    c->pair_birth = offset_in(c->pair, "birth");
    c->pair_car = offset_in(c->pair, "car");
    c->pair_cdr = offset_in(c->pair, "cdr");
    c->closure_lambda = offset_in(c->closure, "lam");
    c->closure_environment = offset_in(c->closure, "env");
    c->environment_birth = offset_in(c->environment, "birth");
    c->environment_values = offset_in(c->environment, "values");
    c->record_birth = offset_in(c->record, "birth");
    c->record_layout = offset_in(c->record, "layout");
    c->record_items = offset_in(c->record, "items");
    c->list_birth = offset_in(c->list, "birth");
    c->list_items = offset_in(c->list, "items");
    c->dictionary_birth = offset_in(c->dictionary, "birth");
    c->dictionary_items = offset_in(c->dictionary, "items");
    c->storage_owner = offset_in(c->list, "owner");
    c->storage_stale = offset_in(c->list, "stale");
    c->dual_tag = offset_in(c->dual, "tag");
    c->dual_primal = offset_in(c->dual, "primal");
    c->dual_tangent = offset_in(c->dual, "tangent");
    c->both_primal = offset_in(c->both, "primal");
    c->both_tangent = offset_in(c->both, "tangent");
    c->layout_class = offset_in((PyTypeObject *)(void *)c->layout, "cls");
}

static void find_names(Classes *c) {
    const Named names[] = {
        {&c->machine, "machine"}, {&c->owner, "owner"},   {&c->address, "address"},
        {&c->start, "start"},     {&c->stop, "stop"},     {&c->step, "step"},
        {&c->fields, "_fields"},  {&c->perform, "perform"}, {&c->resume, "resume"},
        {&c->differentiate, "differentiate"}, {&c->truth, "truth"}, {&c->strip, "strip"},
        {&c->wrong_call, "wrong_call"}, {&c->uncaught, "uncaught"}, {&c->reverse, "reverse"},
    };
    intern_names(names, sizeof names / sizeof names[0]);
}

/* Made once, under the GIL, and never changed: a second thread that comes while modules are being imported makes
 * the same ones. */
const Classes *classes(void) {
    static Classes known;
    static bool complete;
    if (LIKELY(complete)) return &known;
    Classes found;
    memset(&found, 0, sizeof found);
    find_values(&found);
    if (!PyErr_Occurred()) find_slots(&found);
    if (!PyErr_Occurred()) find_names(&found);
    if (!PyErr_Occurred() && PyLong_AsLongLong(found.never) != NEVER)
        PyErr_SetString(PyExc_SystemError, "checkpoint.ad.containers.NEVER is another number in C");
    if (PyErr_Occurred()) return NULL;
    if (!complete) known = found;
    complete = true;
    return &known;
}
