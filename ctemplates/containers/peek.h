/* Strings, large integers and layouts of records, which are Python objects. */
#ifndef CK_PEEK_H
#define CK_PEEK_H

#include "memory/heap.h"

static inline void *python_in(Value v) { return ((Foreign *)v.object)->python; } /* PyObject *, borrowed */

/* Queries about strings and Python's integers, read without the GIL, since they never change (peek.c). */
bool is_text(Value v);
size_t text_length(Value v);
bool texts_equal(Value a, Value b);
uint64_t text_hash(Value v);
bool is_large_integer(Value v);
/* Of other objects, with the GIL. All are false if the object does not say. whole_of: whether it is equal to an integer
 * that C represents. like_text: whether it is of a class derived from str, equal to its text and of the same hash;
 * texts_equal and text_hash may then read it. */
bool objects_equal(Value a, Value b);
bool object_hash(Value v, uint64_t *hash);
bool whole_of(Value v, int64_t *whole);
bool like_text(Value v);
bool real_of_large_integer(Value v, double *real); /* the nearest one; infinite: there is none */
bool same_python_type(Value a, Value b); /* of two FOREIGN */
/* Return isinstance(v, types), and whether type(v) is one of the types; -1: only Python can tell. They acquire the GIL on
 * the first query about a class. */
int32_t instance_of(Heap *heap, Value v, Value types);
int32_t of_class(Heap *heap, Value v, Value types);
bool is_foreign_atom(Value v);           /* of a FOREIGN: it never changes, and holds no number */
bool is_any_text(Value v);               /* a string, or a symbol */

/* Returns the position of the field `name` (a str) in `layout` (a Python Layout); -1: it has none. The others: whether
 * its class is a subclass of tuple, or represents a function of several arities. They acquire the GIL on the first
 * query about a layout. */
int32_t layout_position(Heap *heap, void *layout, void *name);
bool layout_is_tuple(Heap *heap, void *layout);
bool layout_is_overloads(Heap *heap, void *layout);
int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity);

/* Returns a layout with one more field at its end, a FOREIGN that the heap keeps; NOTHING: Python must tell. */
Value layout_with_name(Heap *heap, Value layout, Value name);
Value layout_value(Heap *heap, void *layout); /* the FOREIGN of a Python Layout, which the heap keeps */

void layouts_destroy(Heap *heap); /* frees the cache of layouts; the GIL is held */

#endif
