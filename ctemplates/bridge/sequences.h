/* Conversion of sequences of values and of cotangents, each as a whole. */
#ifndef CK_SEQUENCES_H
#define CK_SEQUENCES_H

#include <stdbool.h>

#include "bridge/side.h"
#include "memory/heap.h"
#include "program/code.h"

/* Conversion for the api, of values of whole states: all of them are converted at once, so that what they share
 * stays shared. false: the Python exception that stopped it has been appended to `errors` (a list). */

/* Appends the values to the list; the caller still owns them. Each number is a new object. */
bool bridge_export(Heap *heap, const Side *side, const Value *values, size_t count, void *list, void *errors);

/* Imports the items of a list or tuple of at least `count`; the caller owns the values. */
bool bridge_import(Heap *heap, Side *side, void *sequence, Value *out, size_t count, void *errors);

/* Makes the heap keep the peers of a block and of the blocks that frames return to: their code must live as long as a
 * state that is at it. false: no memory. */
bool bridge_keep(Heap *heap, const Block *block, const uintptr_t *points, size_t count);

/* The same for all the peers that another heap keeps. */
bool bridge_keep_all(Heap *heap, const Heap *other);

/* Returns a value of this heap for the Python object of one of another heap. */
Value bridge_share(Heap *heap, Value foreign);

/* The conversion of cotangents: float and REAL, Both and DUAL, all else FOREIGN. */
bool bridge_export_cotangents(Heap *heap, const Value *cotangents, size_t count, void *list, void *errors);

bool bridge_import_cotangents(Heap *heap, void *sequence, Value *out, size_t count, void *errors);

#endif
