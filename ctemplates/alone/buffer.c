/* Texts that grow: see buffer.h. */
#include "alone/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static void reserve(Buffer *buffer, size_t more) {
    size_t room = buffer->room ? buffer->room : FIRST_ROOM;
    while (room - buffer->length <= more) room *= 2;
    if (room == buffer->room) return;
    char *text = realloc(buffer->text, room);
    if (!text) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    buffer->text = text;
    buffer->room = room;
}

void buffer_add(Buffer *buffer, const char *text, size_t length) {
    reserve(buffer, length);
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = 0;
}

void buffer_put(Buffer *buffer, const char *text) { buffer_add(buffer, text, strlen(text)); }

/* The format comes from the program's texts, which are made together with what they are applied to. */
void buffer_format(Buffer *buffer, const char *format, ...) {
    va_list given, again;
    va_start(given, format);
    va_copy(again, given);
    const int length = vsnprintf(NULL, 0, format, given);
    va_end(given);
    if (length > 0) {
        reserve(buffer, (size_t)length);
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void buffer_end(Buffer *buffer) {
    free(buffer->text);
    *buffer = (Buffer){NULL, 0, 0};
}

static bool begins_character(char byte) { return (byte & 0xc0) != 0x80; }

bool buffer_cut(Buffer *buffer, size_t start, size_t limit) {
    size_t count = 0, end = buffer->length;
    for (size_t i = start; i < buffer->length; i++) {
        if (!begins_character(buffer->text[i])) continue;
        if (count == limit - 3) end = i;
        count++;
    }
    if (count <= limit) return false;
    buffer->length = end;
    buffer_put(buffer, "...");
    return true;
}
