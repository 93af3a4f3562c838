/* Versions: what the mutable containers of a run contain in each of the run's states (rerooting; H. G. Baker,
 * "Shallow binding makes functional arrays fast", 1991).
 *
 * A list, a dictionary or an instance is one object, which changes in place for all that refer to it. So that earlier
 * states keep theirs, its old content is saved before its first change in an *epoch*: the time between two states of a
 * machine. The containers show one version of each run; every other version knows what differs in it from the next
 * version towards the shown one. To show it, contents are swapped along the way, each swap leaving the reverse behind.
 *
 * What always holds: a container whose `owner` is the present epoch was made or saved in it, and is changed at once.
 * A log has a container once at most. A version that neither a state nor a machine holds is merged into the only
 * version behind it, whose own saves win: so a kept state costs what has changed since the last one. Containers that only
 * logs refer to any more leave them when versions are merged, when a log has filled a chunk, and at the end of a run. Nothing but
 * writer_save and writer_version allocates, so versions can be released and merged where memory has run out.
 */
#ifndef CK_VERSIONS_H
#define CK_VERSIONS_H

#include "memory/heap.h"

/* The header of every mutable container; all that follows it is its content. The birth belongs to the content. */
typedef struct Storage {
    Object head;    /* its `length` is free for marks: MERGED, and what collector.h says */
    uint64_t owner; /* the epoch that made or saved it; NOBODY, FROZEN */
} Storage;

#define MERGED (UINT32_C(1) << 31) /* while logs are merged: of containers that one of them has */

void storage_swap(Storage *a, Storage *b); /* the contents of two containers of one kind */

typedef struct Saved {
    Storage *container;
    Storage *content; /* a container of the same kind, which nothing else refers to */
} Saved;

typedef struct LogChunk {
    struct LogChunk *next;
    uint32_t count, room;
    Saved saved[];
} LogChunk;

typedef struct Version Version;

/* A machine, as versions see it. */
typedef struct Writer {
    uint64_t epoch;
    Version *version; /* where it began, or of its last state; shown while it runs */
} Writer;

struct Version {
    uint32_t holders;     /* states, and the writer that began here */
    uint32_t child_count; /* versions whose `next` this is */
    uintptr_t children;   /* the XOR of their addresses: the only child's, if there is one */
    Version *next;        /* towards the shown one; NULL: it is shown */
    LogChunk *log;        /* the contents that differ from those of `next`; of the shown one, what its writer saved */
    Writer *writer;       /* the one that runs from here; NULL: there is none */
    uint64_t since;       /* of one shown ever since: the epoch in which all of the only child's log was saved; or 0 */
};

Version *version_create(Heap *heap); /* one of a new run, shown, with one holder */
void version_release(Heap *heap, Version *version);
void version_show(Heap *heap, Version *version); /* makes all containers of its run have their contents in it */
static inline Version *version_held(Version *version) {
    version->holders++;
    return version;
}

void writer_begin(Heap *heap, Writer *writer, Version *version); /* holds the version, and shows it */
void writer_show(Heap *heap, Writer *writer); /* shows again what it left, if another version is shown */
Version *writer_version(Heap *heap, Writer *writer); /* that of a new state, held for it; begins a new epoch */
void writer_end(Heap *heap, Writer *writer); /* undoes what it has changed since, if anybody holds its version */

/* Returns whether the old content must be saved before a change, since a state or another version may need it; if not,
 * the container belongs to the epoch. */
bool writer_saves(Heap *heap, Writer *writer, Storage *container);
/* Saves a content, whose reference it consumes; the container then belongs to the epoch. */
void writer_save(Heap *heap, Writer *writer, Storage *container, Storage *content);

size_t version_bytes(const Version *version); /* of its log, without the contents */

#endif
