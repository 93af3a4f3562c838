/* Input and output, each once: see effects.h. */
#include "alone/effects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Path {
    size_t length;
    int64_t *steps;
} Path;

typedef struct Reply {
    Path path;
    char *word;
} Reply;

static Path furthest;
static Reply *replies; /* in the order of their paths */
static size_t reply_count, reply_room;

static void *checked(void *memory) {
    if (memory) return memory;
    fputs("out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

static size_t depth_of(const Within *run) {
    size_t depth = 0;
    for (; run; run = run->outer) depth++;
    return depth;
}

static Path path_of(const Within *run, int64_t step) {
    Path path = {.length = depth_of(run) + 1};
    path.steps = checked(malloc(path.length * sizeof(int64_t)));
    path.steps[path.length - 1] = step;
    for (size_t i = path.length - 1; run; run = run->outer) path.steps[--i] = run->step;
    return path;
}

/* Returns whether a path is before (-1), the same as (0), or after another one. */
static int compare(const Path *a, const Path *b) {
    for (size_t i = 0; i < a->length && i < b->length; i++)
        if (a->steps[i] != b->steps[i]) return a->steps[i] < b->steps[i] ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
}

void effect_write(const Within *run, int64_t step, const Buffer *line) {
    Path path = path_of(run, step);
    if (compare(&path, &furthest) <= 0) {
        free(path.steps);
        return;
    }
    free(furthest.steps);
    furthest = path;
    fwrite(line->text, 1, line->length, stdout);
    putchar('\n');
}

static size_t replies_before(const Path *path) {
    size_t count = reply_count;
    while (count > 0 && compare(&replies[count - 1].path, path) >= 0) count--;
    return count;
}

static bool is_space(int character) {
    return character == ' ' || (character >= '\t' && character <= '\r') || (character >= 0x1c && character <= 0x1f);
}

static char *next_word(void) {
    Buffer word = {NULL, 0, 0};
    int character;
    buffer_put(&word, "");
    while ((character = getchar()) != EOF) {
        const char byte = (char)character;
        if (!is_space(character))
            buffer_add(&word, &byte, 1);
        else if (word.length)
            break;
    }
    return word.text;
}

static void insert(size_t at, Reply reply) {
    if (reply_count == reply_room) {
        reply_room = reply_room ? 2 * reply_room : 8;
        replies = checked(realloc(replies, reply_room * sizeof(Reply)));
    }
    memmove(replies + at + 1, replies + at, (reply_count - at) * sizeof(Reply));
    replies[at] = reply;
    reply_count++;
}

const char *effect_read(const Within *run, int64_t step) {
    Path path = path_of(run, step);
    const size_t at = replies_before(&path);
    if (at < reply_count && compare(&replies[at].path, &path) == 0)
        free(path.steps);
    else
        insert(at, (Reply){path, next_word()});
    return replies[at].word;
}
