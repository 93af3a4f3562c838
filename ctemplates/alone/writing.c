/* Values as texts: see writing.h. Recursion is as deep as values are nested, without the last part of each. */
#include "alone/writing.h"

#include <ctype.h>
#include <string.h>

#include "alone/reals.h"
#include "alone/things.h"
#include "containers/lists.h"

static void write_escaped(Buffer *buffer, char character) {
    static const char plain[] = "\n\t\r", letters[] = "ntr";
    const char *found = strchr(plain, character);
    if (character == '"' || character == '\\')
        buffer_format(buffer, "\\%c", character);
    else if (character && found)
        buffer_format(buffer, "\\%c", letters[found - plain]);
    else if (iscntrl((unsigned char)character))
        buffer_format(buffer, "\\x%x;", (unsigned)(unsigned char)character);
    else
        buffer_add(buffer, &character, 1);
}

static void write_thing(Buffer *buffer, const Thing *thing) {
    if (thing->kind == SYMBOL) {
        buffer_put(buffer, thing->text);
    } else if (thing->kind == CAPSULE) {
        buffer_format(buffer, "#<capsule %lld>", (long long)((const Capsule *)thing)->state->steps);
    } else if (thing->kind == FAILURE) {
        buffer_format(buffer, "#<failure %s>", thing->text);
    } else {
        buffer_put(buffer, "\"");
        for (const char *at = thing->text; *at; at++) write_escaped(buffer, *at);
        buffer_put(buffer, "\"");
    }
}

static void write_procedure(Buffer *buffer, const Procedure *procedure) {
    const ProcedureFacts *facts = procedure->lambda;
    if (facts->name)
        buffer_format(buffer, "#<procedure %s>", facts->name);
    else
        buffer_put(buffer, "#<procedure>");
}

static void write_atom(Buffer *buffer, Value value) {
    double real;
    switch (kind_of(value)) {
    case BOOLEAN: buffer_put(buffer, value.integer ? "#t" : "#f"); break;
    case NOTHING: buffer_put(buffer, "()"); break;
    case INTEGER: buffer_format(buffer, "%lld", (long long)value.integer); break;
    case PROCEDURE:
    case CLOSURE: write_procedure(buffer, procedure_of(value)); break;
    case FOREIGN: write_thing(buffer, thing_in(value)); break;
    default:
        if (real_in(value, &real)) write_real(buffer, real);
        else buffer_put(buffer, "#<opaque>");
    }
}

static void write_within(Buffer *buffer, Value value, size_t end);

/* A value of a sum, or a reference. */
static void write_all(Buffer *buffer, const char *opening, const Value *items, size_t count, const char *closing,
                      size_t end) {
    for (size_t i = 0; i < count && buffer->length <= end; i++) {
        buffer_put(buffer, i ? " " : opening);
        write_within(buffer, items[i], end);
    }
    buffer_put(buffer, closing);
}

/* Writes what fits, and a little more. */
static void write_within(Buffer *buffer, Value value, size_t end) {
    if (is_tagged(value)) {
        write_all(buffer, "#(", cells_of(value) + 1, 2, ")", end);
        return;
    }
    if (kind_of(value) == LIST) {
        write_all(buffer, "[", list_in(value)->values, list_in(value)->length, "]", end);
        return;
    }
    if (kind_of(value) != PAIR) {
        write_atom(buffer, value);
        return;
    }
    const char *before = "(";
    for (; kind_of(value) == PAIR && buffer->length <= end; value = cells_of(value)[1]) {
        buffer_put(buffer, before);
        write_within(buffer, cells_of(value)[0], end);
        before = " ";
    }
    if (kind_of(value) != NOTHING && buffer->length <= end) {
        buffer_put(buffer, " . ");
        write_within(buffer, value, end);
    }
    buffer_put(buffer, ")");
}

enum { MOST_BYTES = 4 }; /* of a character */

void write_value(Buffer *buffer, Value value, size_t limit) {
    const size_t start = buffer->length;
    write_within(buffer, value, limit ? start + MOST_BYTES * limit : SIZE_MAX);
    if (limit) buffer_cut(buffer, start, limit);
}

void write_quoted(Buffer *buffer, const char *text) {
    const char mark = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    buffer_add(buffer, &mark, 1);
    for (; *text; text++) {
        if (*text == mark || *text == '\\')
            buffer_format(buffer, "\\%c", *text);
        else if (iscntrl((unsigned char)*text))
            buffer_format(buffer, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            buffer_add(buffer, text, 1);
    }
    buffer_add(buffer, &mark, 1);
}
