/* The objects that a passage has converted, in both directions. */
#include "bridge/passage.h"

#include <string.h>

#include "bridge/classes.h"
#include "memory/exceptions.h"
#include "memory/hash.h"

void passage_begin(Passage *x, Heap *heap, void *helper) {
    x->heap = heap;
    x->side = (Side){.run = 0, .owner = NULL, .registers = 0};
    x->helper = helper;
    x->cotangents = x->failed = false;
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

/* Returns the position of a key in the index, or the position where it would be inserted. */
static size_t place_of(const Passage *x, const Index *index, const void *key) {
    size_t place = mix_pointer(key) & (index->room - 1);
    while (index->slots[place] && key_at(x, index, index->slots[place] - 1) != key)
        place = (place + 1) & (index->room - 1);
    return place;
}

/* Inserts what has been added since the last look-up; false: no memory. */
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
    if (!x->side.owner && x->helper) {
        PyObject *machine = PyObject_GetAttr(x->helper, classes()->machine);
        PyObject *owner = machine ? PyObject_GetAttr(machine, classes()->owner) : NULL;
        Py_XDECREF(machine);
        if (!owner) {
            forget_exception();
            return NULL;
        }
        x->side.owner = owner;
        Py_DECREF(owner); /* the machine owns it */
    }
    return x->side.owner;
}
