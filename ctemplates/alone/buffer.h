/* Texts that grow. */
#ifndef CK_BUFFER_H
#define CK_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Buffer {
    char *text; /* of `length` bytes and a 0; NULL: it is empty */
    size_t length, room;
} Buffer;

void buffer_add(Buffer *buffer, const char *text, size_t length); /* ends the process where memory has run out */
void buffer_put(Buffer *buffer, const char *text);
void buffer_format(Buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_end(Buffer *buffer); /* frees it */

/* Cuts a text that has more than `limit` characters from `start` on, so that its last three are "..."; characters are
 * those of UTF-8. Returns whether it has so many. */
bool buffer_cut(Buffer *buffer, size_t start, size_t limit);

#endif
