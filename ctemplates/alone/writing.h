/* Values as texts: `write_value` of checkpoint/lang/printer.py, for the values that executables have. */
#ifndef CK_WRITING_H
#define CK_WRITING_H

#include "alone/buffer.h"
#include "program/value.h"

/* Appends a value as Scheme writes it; limit: the most characters, of which the last three are then "..."; 0: none. */
void write_value(Buffer *buffer, Value value, size_t limit);

/* Appends a text in quotation marks, as Python's `repr` writes it. */
void write_quoted(Buffer *buffer, const char *text);

#endif
