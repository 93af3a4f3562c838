/* Versions of mutable containers: see versions.h. */
#include "state/versions.h"

#include <string.h>

enum { FIRST_SAVED = 4, MOST_SAVED = 4096 };

/* Logs */

static size_t chunk_bytes(uint32_t room) { return sizeof(LogChunk) + room * sizeof(Saved); }

static Value value_of(Storage *storage) { return of_object((Kind)storage->head.kind, storage); }

static void free_log(Heap *heap, Version *version) {
    LogChunk *chunk = version->log;
    version->log = NULL;
    while (chunk) {
        LogChunk *next = chunk->next;
        for (uint32_t i = 0; i < chunk->count; i++) {
            drop(heap, value_of(chunk->saved[i].content));
            drop(heap, value_of(chunk->saved[i].container));
        }
        heap_free(heap, chunk, chunk_bytes(chunk->room));
        chunk = next;
    }
}

void storage_swap(Storage *a, Storage *b) {
    unsigned char kept[LARGEST_CLASS];
    const size_t bytes = a->head.size_class * (size_t)CLASS_BYTES - sizeof(Storage);
    const uint64_t birth = a->head.birth;
    memcpy(kept, a + 1, bytes);
    memcpy(a + 1, b + 1, bytes);
    memcpy(b + 1, kept, bytes);
    a->head.birth = b->head.birth;
    b->head.birth = birth & LARGEST_BIRTH;
}

/* Removes the saves of a chunk whose containers nothing but logs refers to: no state, machine or container leads to them. */
static void forget_unreachable(Heap *heap, LogChunk *chunk) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < chunk->count; i++) {
        const Saved saved = chunk->saved[i];
        if (saved.container->head.count > 1) {
            chunk->saved[left++] = saved;
            continue;
        }
        drop(heap, value_of(saved.content));
        drop(heap, value_of(saved.container));
    }
    chunk->count = left;
}

static void forget_all_unreachable(Heap *heap, LogChunk *log) {
    for (; log; log = log->next) forget_unreachable(heap, log);
}

static void swap_all(const LogChunk *log) {
    for (; log; log = log->next)
        for (uint32_t i = 0; i < log->count; i++) storage_swap(log->saved[i].container, log->saved[i].content);
}

static void mark(const LogChunk *log) {
    for (; log; log = log->next)
        for (uint32_t i = 0; i < log->count; i++) log->saved[i].container->head.length |= MERGED;
}

static void unmark(const LogChunk *log) {
    for (; log; log = log->next)
        for (uint32_t i = 0; i < log->count; i++) log->saved[i].container->head.length &= ~MERGED;
}

/* Moves the saves of a chunk into another one's room, except for those of marked containers, which have one already;
 * returns how many are left. */
static uint32_t move_saves(Heap *heap, LogChunk *from, LogChunk *to) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const Saved saved = from->saved[i];
        if (saved.container->head.length & MERGED) {
            drop(heap, value_of(saved.content));
            drop(heap, value_of(saved.container)); /* its other save keeps it alive */
        } else if (to && to->count < to->room) {
            to->saved[to->count++] = saved;
        } else {
            from->saved[left++] = saved;
        }
    }
    return from->count = left;
}

/* Adds the saves of one log to another, whose own saves win. */
static LogChunk *merged(Heap *heap, LogChunk *log, LogChunk *added) {
    mark(log);
    LogChunk *result = log;
    for (LogChunk *next; added; added = next) {
        next = added->next;
        if (move_saves(heap, added, log)) {
            added->next = result;
            result = added;
        } else {
            heap_free(heap, added, chunk_bytes(added->room));
        }
    }
    unmark(result);
    forget_all_unreachable(heap, result);
    return result;
}

/* The tree */

Version *version_create(Heap *heap) {
    Version *version = heap_allocate(heap, sizeof(Version));
    *version = (Version){.holders = 1};
    return version;
}

static void link(Version *version, Version *next) {
    version->next = next;
    next->child_count++;
    next->children ^= (uintptr_t)version;
}

static void unlink(Version *version) {
    version->next->child_count--;
    version->next->children ^= (uintptr_t)version;
    version->next = NULL;
}

/* Merges a version into the only one behind it. */
static void merge(Heap *heap, Version *version) {
    Version *child = (Version *)version->children, *next = version->next;
    child->log = merged(heap, child->log, version->log);
    unlink(version);
    unlink(child);
    link(child, next);
    next->since = 0;
    heap_free(heap, version, sizeof(Version));
}

static bool is_alone(const Version *version) { return version->holders == 1 && !version->child_count; }

/* Removes a version that nobody holds and none follows, or merges it; returns whether the next one has one child less. The
 * shown one stays until another is shown. */
static bool tidy_one(Heap *heap, Version *version) {
    if (version->holders || version->child_count > 1) return false;
    if (version->child_count) {
        if (version->next) merge(heap, version);
        else forget_all_unreachable(heap, ((Version *)version->children)->log);
        return false;
    }
    free_log(heap, version);
    if (version->next) unlink(version);
    heap_free(heap, version, sizeof(Version));
    return true;
}

/* Removes the version, and those towards the shown one, that are not needed; and saves that are not. */
static void tidy(Heap *heap, Version *version) {
    for (Version *next; version; version = next) {
        next = version->next;
        if (version->holders && version->writer && !next && is_alone(version)) free_log(heap, version);
        if (!tidy_one(heap, version)) return;
    }
}

void version_release(Heap *heap, Version *version) {
    const bool outer = heap_hold(heap);
    version->holders--;
    tidy(heap, version);
    heap_resume(heap, outer);
}

/* Makes what a writer has changed a version of its own, from which the writer continues. */
static void close_version(Heap *heap, Version *shown) {
    Writer *writer = shown->writer;
    Version *now = version_create(heap);
    now->since = writer->epoch;
    writer->epoch = heap->runs++;
    writer->version = now;
    now->writer = writer;
    shown->writer = NULL;
    shown->holders--;
    link(shown, now);
}

/* Reverses the links from a version to the shown one, which is returned. */
static Version *turn(Version *version) {
    Version *before = NULL;
    while (version) {
        Version *next = version->next;
        if (next) unlink(version);
        if (before) link(version, before);
        version->since = 0;
        before = version;
        version = next;
    }
    return before;
}

void version_show(Heap *heap, Version *version) {
    if (!version->next && !version->log) return;
    Version *shown = version;
    while (shown->next) shown = shown->next;
    if (shown->log) {
        close_version(heap, shown);
        shown = shown->next;
    }
    const bool outer = heap_hold(heap);
    turn(version);
    for (Version *from = shown; from->next; from = from->next) { /* the contents are those of `from` */
        swap_all(from->next->log);
        from->log = from->next->log;
        from->next->log = NULL;
    }
    for (Version *next; shown != version; shown = next) {
        next = shown->next;
        tidy_one(heap, shown);
    }
    heap_resume(heap, outer);
}

size_t version_bytes(const Version *version) {
    size_t bytes = sizeof(Version);
    for (const LogChunk *chunk = version->log; chunk; chunk = chunk->next) bytes += chunk_bytes(chunk->room);
    return bytes;
}

/* Writers */

static void take(Heap *heap, Writer *writer) {
    version_show(heap, writer->version);
    writer->version->writer = writer;
    writer->epoch = heap->runs++;
}

void writer_begin(Heap *heap, Writer *writer, Version *version) {
    *writer = (Writer){.version = version};
    take(heap, writer);
    version->holders++;
}

void writer_show(Heap *heap, Writer *writer) {
    if (writer->version->next || writer->version->writer != writer) take(heap, writer);
}

/* Continues the log of the only version behind the shown one, which only the writer holds, and its epoch: what was saved
 * or made then needs no second save. */
static void step_back(Heap *heap, Writer *writer) {
    Version *shown = writer->version, *child = (Version *)shown->children;
    const uint64_t since = shown->since;
    unlink(child);
    child->holders++;
    child->writer = writer;
    writer->version = child;
    heap_free(heap, shown, sizeof(Version));
    if (since) {
        writer->epoch = since;
        return;
    }
    for (const LogChunk *log = child->log; log; log = log->next)
        for (uint32_t i = 0; i < log->count; i++) log->saved[i].container->owner = writer->epoch;
}

bool writer_saves(Heap *heap, Writer *writer, Storage *container) {
    const Version *version = writer->version;
    if (version->holders == 1 && version->child_count == 1 && !version->log) step_back(heap, writer);
    if (is_alone(writer->version)) container->owner = writer->epoch;
    return container->owner != writer->epoch;
}

/* Returns whether a chunk takes another save. A full one is looked through before another is made, which is when half is left. */
static bool has_room(Heap *heap, LogChunk *chunk) {
    if (chunk->count < chunk->room) return true;
    forget_unreachable(heap, chunk);
    return chunk->count <= chunk->room / 2;
}

void writer_save(Heap *heap, Writer *writer, Storage *container, Storage *content) {
    Version *version = writer->version;
    LogChunk *chunk = version->log;
    if (!chunk || !has_room(heap, chunk)) {
        const uint32_t room = !chunk ? FIRST_SAVED : chunk->room < MOST_SAVED ? 2 * chunk->room : MOST_SAVED;
        LogChunk *added = heap_allocate(heap, chunk_bytes(room));
        *added = (LogChunk){.next = chunk, .room = room};
        version->log = chunk = added;
    }
    keep(value_of(container));
    chunk->saved[chunk->count++] = (Saved){container, content};
    container->owner = writer->epoch;
}

Version *writer_version(Heap *heap, Writer *writer) {
    Version *version = writer->version;
    if (version->log) {
        const bool outer = heap_hold(heap);
        close_version(heap, version);
        tidy(heap, version);
        heap_resume(heap, outer);
    } else {
        writer->epoch = heap->runs++;
    }
    return version_held(writer->version);
}

void writer_end(Heap *heap, Writer *writer) {
    Version *version = writer->version;
    const bool outer = heap_hold(heap);
    if (version->writer == writer) {
        version->writer = NULL;
        if (!version->next) {
            if (version->log) version->since = 0;
            swap_all(version->log);
            free_log(heap, version);
        }
    }
    version->holders--;
    tidy(heap, version);
    heap_resume(heap, outer);
}
