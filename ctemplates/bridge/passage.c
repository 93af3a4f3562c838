/* What passages remember, and the Python classes that they know: see passage.h. */
#include "bridge/passage.h"

#include <string.h>

#include <structmember.h>

void passage_begin(Passage *x, Heap *heap, void *peer) {
    x->heap = heap;
    x->side = (Side){.run = 0, .owner = NULL, .registers = 0};
    x->peer = peer;
    x->amounts = x->failed = false;
    x->known = x->at_hand;
    x->count = x->done = 0;
    x->room = AT_HAND;
    x->by_object = x->by_python = (Index){.slots = NULL, .room = 0, .entered = 0};
}

void passage_end(Passage *x) {
    for (size_t i = 0; i < x->count; i++) Py_DECREF(x->known[i].python); /* the outer ones first: no recursion */
    x->count = 0;
    if (x->known != x->at_hand) PyMem_RawFree(x->known);
    if (x->by_object.slots) PyMem_RawFree(x->by_object.slots);
    if (x->by_python.slots) PyMem_RawFree(x->by_python.slots);
    x->known = x->at_hand;
    x->by_object.slots = x->by_python.slots = NULL;
}

static bool grow(Passage *x) {
    const size_t room = 2 * x->room;
    Known *known = room < UINT32_MAX ? PyMem_RawMalloc(room * sizeof(Known)) : NULL;
    if (!known) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(known, x->known, x->count * sizeof(Known));
    if (x->known != x->at_hand) PyMem_RawFree(x->known);
    x->known = known;
    x->room = room;
    return true;
}

bool passage_add(Passage *x, Object *object, PyObject *python) {
    if (x->count == x->room && !grow(x)) {
        x->failed = true;
        return false;
    }
    Py_INCREF(python);
    x->known[x->count++] = (Known){.object = object, .python = python};
    return true;
}

static const void *key_at(const Passage *x, const Index *index, size_t i) {
    return index == &x->by_object ? (const void *)x->known[i].object : (const void *)x->known[i].python;
}

/* Where a key is in the index, or would be. */
static size_t place_of(const Passage *x, const Index *index, const void *key) {
    size_t place = bridge_mix(key) & (index->room - 1);
    while (index->slots[place] && key_at(x, index, index->slots[place] - 1) != key)
        place = (place + 1) & (index->room - 1);
    return place;
}

/* Enters what has been added since the index was last asked; false: no memory. */
static bool catch_up(const Passage *x, Index *index) {
    if (2 * x->count > index->room) {
        size_t room = index->room ? index->room : 4 * FEW;
        while (2 * x->count > room) room *= 2;
        uint32_t *slots = PyMem_RawCalloc(2 * room, sizeof(uint32_t));
        if (!slots) return false;
        if (index->slots) PyMem_RawFree(index->slots);
        *index = (Index){.slots = slots, .room = 2 * room, .entered = 0};
    }
    for (; index->entered < x->count; index->entered++) {
        const size_t place = place_of(x, index, key_at(x, index, index->entered));
        if (!index->slots[place]) index->slots[place] = (uint32_t)index->entered + 1;
    }
    return true;
}

static Known *find(Passage *x, Index *index, const void *key) {
    if (x->count <= FEW) {
        for (size_t i = 0; i < x->count; i++)
            if (key_at(x, index, i) == key) return &x->known[i];
        return NULL;
    }
    if (!catch_up(x, index)) {
        PyErr_NoMemory();
        x->failed = true;
        return NULL;
    }
    const uint32_t found = index->slots[place_of(x, index, key)];
    return found ? &x->known[found - 1] : NULL;
}

Known *passage_find_object(Passage *x, const Object *object) { return find(x, &x->by_object, object); }
Known *passage_find_python(Passage *x, const PyObject *python) { return find(x, &x->by_python, python); }

PyObject *passage_owner(Passage *x) {
    if (!x->side.owner && x->peer) {
        PyObject *machine = PyObject_GetAttr(x->peer, classes()->machine);
        PyObject *owner = machine ? PyObject_GetAttr(machine, classes()->owner) : NULL;
        Py_XDECREF(machine);
        if (!owner) {
            PyErr_Clear();
            return NULL;
        }
        x->side.owner = owner;
        Py_DECREF(owner); /* the machine holds it */
    }
    return x->side.owner;
}

/* What a heap remembers: open addressing, never removed from. */

typedef struct Memory {
    size_t count, room; /* a power of 2 */
    struct {
        const void *key;
        Value value;
    } entries[];
} Memory;

static size_t memory_bytes(size_t room) { return sizeof(Memory) + room * sizeof(((Memory *)NULL)->entries[0]); }

static size_t memory_place(const Memory *memory, const void *key) {
    size_t place = bridge_mix(key) & (memory->room - 1);
    while (memory->entries[place].key && memory->entries[place].key != key) place = (place + 1) & (memory->room - 1);
    return place;
}

bool heap_recall(const Heap *heap, const void *key, Value *value) {
    const Memory *memory = heap->constants;
    if (!memory) return false;
    const size_t place = memory_place(memory, key);
    if (!memory->entries[place].key) return false;
    *value = memory->entries[place].value;
    return true;
}

static Memory *grown_memory(Heap *heap, Memory *old) {
    const size_t room = old ? 2 * old->room : 64;
    Memory *memory = heap_allocate(heap, memory_bytes(room));
    memset(memory, 0, memory_bytes(room));
    memory->room = room;
    for (size_t i = 0; old && i < old->room; i++)
        if (old->entries[i].key) memory->entries[memory_place(memory, old->entries[i].key)] = old->entries[i];
    if (old) {
        memory->count = old->count;
        heap_free(heap, old, memory_bytes(old->room));
    }
    return memory;
}

void heap_remember(Heap *heap, const void *key, Value value) {
    Memory *memory = heap->constants;
    if (!memory || 2 * memory->count >= memory->room) heap->constants = memory = grown_memory(heap, memory);
    const size_t place = memory_place(memory, key);
    if (!memory->entries[place].key) memory->count++;
    memory->entries[place].key = key;
    memory->entries[place].value = value;
}

/* Classes */

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
    c->frozen = found_in(containers, "FROZEN");
    c->never = found_in(containers, "NEVER");
    c->tuple_layout = found_in(containers, "TUPLE");
    c->layout = found_in(containers, "Layout");
    c->fresh = found_in(numbers, "fresh");
    c->procedure_peer = found_in("checkpoint.ctarget.code", "procedure_peer");
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
    c->list_owner = offset_in(c->list, "owner");
    c->list_stale = offset_in(c->list, "stale");
    c->dictionary_birth = offset_in(c->dictionary, "birth");
    c->dictionary_items = offset_in(c->dictionary, "items");
    c->dictionary_owner = offset_in(c->dictionary, "owner");
    c->dictionary_stale = offset_in(c->dictionary, "stale");
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
    if (PyErr_Occurred()) return NULL;
    if (!complete) known = found;
    complete = true;
    return &known;
}
