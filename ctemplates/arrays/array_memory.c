/* Implements array_memory.h: a handler that forwards, and a table of the blocks that it has allocated.
 *
 * The table is needed because NumPy passes no old size when it resizes, and a wrong one when it frees an empty array; a
 * size stored in the block itself would make blocks that their allocator does not know. The lock is never held while
 * another handler works. A place is reserved in the table before a block is allocated, so that nothing can fail
 * afterwards. The counter is owned by its capsule, to which each array that it has counted refers.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrays/array_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "bridge/gil.h"
#include "memory/exceptions.h"
#include "memory/hash.h"
#include "memory/memory.h"
#include "numpy/numpy_interface.h"

/* What is used of NumPy's interface */

typedef PyObject *SetHandler(PyObject *handler); /* a new reference to the one before */
typedef PyObject *GetHandler(void);

/* PyDataMemAllocator and PyDataMem_Handler of numpy/ndarraytypes.h, version 1, of which later ones are to be
 * continuations. */
typedef struct Allocator {
    void *context;
    void *(*take)(void *context, size_t bytes);
    void *(*take_zeroed)(void *context, size_t count, size_t bytes);
    void *(*resize)(void *context, void *block, size_t bytes);
    void (*give)(void *context, void *block, size_t bytes);
} Allocator;

typedef struct Handler {
    char name[127];
    uint8_t version;
    Allocator allocator;
} Handler;

static const char CAPSULE[] = "mem_handler";

/* The counter */

typedef struct Counted {
    void *start; /* NULL: the place is free */
    size_t bytes;
} Counted;

enum { FIRST_ROOM = 64 }; /* blocks; a power of two */
enum { LARGE_BLOCK = 256 * 1024 };

struct ArrayMemory {
    Handler handler; /* what NumPy sees */
    Allocator inner; /* that of `forwards` */
    PyObject *forwards, *capsule; /* a reference; its own capsule, borrowed */
    PyObject *replaced; /* while it is installed: a reference to the handler to put back; else NULL */
    void **functions;
    pthread_mutex_t lock; /* of all below */
    Counted *blocks; /* open addressing, at most half full */
    size_t room, count, reserved;
    _Atomic int64_t live, peak, step_peak; /* read without the lock */
    void (*make_room)(void *context, size_t bytes); /* before a large block; or NULL */
    void *context;
};

static size_t home_of(const ArrayMemory *m, const void *start) { return mix_pointer(start) & (m->room - 1); }

static size_t place_of(const ArrayMemory *m, const void *start) {
    size_t at = home_of(m, start);
    while (m->blocks[at].start && m->blocks[at].start != start) at = (at + 1) & (m->room - 1);
    return at;
}

static bool grow(ArrayMemory *m) {
    Counted *old = m->blocks;
    const size_t old_room = m->room, room = old_room ? 2 * old_room : FIRST_ROOM;
    Counted *blocks = memory_take(room * sizeof *blocks);
    if (!blocks) return false;
    memset(blocks, 0, room * sizeof *blocks);
    m->blocks = blocks;
    m->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].start) blocks[place_of(m, old[i].start)] = old[i];
    if (old) memory_give(old, old_room * sizeof *old);
    return true;
}

static bool reserve(ArrayMemory *m) {
    pthread_mutex_lock(&m->lock);
    const bool has_place = 2 * (m->count + m->reserved + 1) <= m->room || grow(m);
    if (has_place) m->reserved++;
    pthread_mutex_unlock(&m->lock);
    return has_place;
}

/* Fills a reserved entry with the block, which may be NULL. */
static void enter(ArrayMemory *m, void *start, size_t bytes) {
    pthread_mutex_lock(&m->lock);
    m->reserved--;
    if (start) {
        m->blocks[place_of(m, start)] = (Counted){start, bytes};
        m->count++;
        m->live += (int64_t)bytes;
        if (m->live > m->peak) m->peak = m->live;
        if (m->live > m->step_peak) m->step_peak = m->live;
    }
    pthread_mutex_unlock(&m->lock);
}

/* Closes a gap: blocks after it are moved up, unless that would put one before its home. */
static void close_gap(ArrayMemory *m, size_t gap) {
    const size_t mask = m->room - 1;
    for (size_t i = (gap + 1) & mask; m->blocks[i].start; i = (i + 1) & mask) {
        if (((i - home_of(m, m->blocks[i].start)) & mask) < ((i - gap) & mask)) continue;
        m->blocks[gap] = m->blocks[i];
        gap = i;
    }
    m->blocks[gap] = (Counted){0};
}

/* Removes a block and returns its bytes. An unknown one is left to the inner handler, and counted none. */
static size_t leave(ArrayMemory *m, const void *start) {
    size_t bytes = 0;
    pthread_mutex_lock(&m->lock);
    const size_t at = m->room ? place_of(m, start) : 0;
    if (m->room && m->blocks[at].start) {
        bytes = m->blocks[at].bytes;
        m->live -= (int64_t)bytes;
        m->count--;
        close_gap(m, at);
    }
    pthread_mutex_unlock(&m->lock);
    return bytes;
}

/* The functions that NumPy calls */

static void before(const ArrayMemory *m, size_t bytes) {
    if (bytes >= LARGE_BLOCK && m->make_room) m->make_room(m->context, bytes);
}

static void *take(void *context, size_t bytes) {
    ArrayMemory *m = context;
    before(m, bytes);
    if (!reserve(m)) return NULL;
    void *block = m->inner.take(m->inner.context, bytes);
    enter(m, block, bytes);
    return block;
}

static void *take_zeroed(void *context, size_t count, size_t bytes) {
    ArrayMemory *m = context;
    before(m, count * bytes);
    if (!reserve(m)) return NULL;
    void *block = m->inner.take_zeroed(m->inner.context, count, bytes);
    enter(m, block, count * bytes);
    return block;
}

/* The old block is removed first: once it is freed, another thread may get the same address. */
static void *resize(void *context, void *block, size_t bytes) {
    ArrayMemory *m = context;
    before(m, bytes);
    if (!reserve(m)) return NULL;
    const size_t old = leave(m, block);
    void *resized = m->inner.resize(m->inner.context, block, bytes);
    if (resized) enter(m, resized, bytes);
    else enter(m, old ? block : NULL, old);
    return resized;
}

static void give(void *context, void *block, size_t bytes) {
    ArrayMemory *m = context;
    leave(m, block);
    m->inner.give(m->inner.context, block, bytes);
}

/* Creation and destruction */

/* Returns the counter that owns this capsule; NULL: it is another handler's. */
static ArrayMemory *counter_of(PyObject *capsule) {
    const Handler *handler = PyCapsule_GetPointer(capsule, CAPSULE);
    return handler && handler->allocator.take == take ? handler->allocator.context : NULL;
}

static void destroy(PyObject *capsule) {
    ArrayMemory *m = counter_of(capsule);
    Py_DECREF(m->forwards);
    pthread_mutex_destroy(&m->lock);
    if (m->blocks) memory_give(m->blocks, m->room * sizeof *m->blocks);
    memory_give(m, sizeof *m);
}

/* Returns a counter that forwards to `forwards`, the current handler's capsule, whose reference is consumed. NULL: an
 * exception is set. */
static ArrayMemory *create(void **functions, PyObject *forwards) {
    const Handler *inner = PyCapsule_GetPointer(forwards, CAPSULE);
    ArrayMemory *m = inner ? memory_take(sizeof *m) : NULL;
    if (m) {
        const Allocator ours = {m, take, take_zeroed, resize, give};
        memset(m, 0, sizeof *m);
        m->handler = (Handler){.name = "checkpoint_counter", .version = 1, .allocator = ours};
        m->inner = inner->allocator;
        m->functions = functions;
        m->capsule = PyCapsule_New(&m->handler, CAPSULE, destroy);
        if (m->capsule && pthread_mutex_init(&m->lock, NULL) == 0) {
            m->forwards = forwards;
            return m;
        }
        if (m->capsule) PyCapsule_SetDestructor(m->capsule, NULL);
        Py_XDECREF(m->capsule);
        memory_give(m, sizeof *m);
    }
    Py_DECREF(forwards);
    return NULL;
}

static void install(ArrayMemory *m) {
    m->replaced = ((SetHandler *)m->functions[SET_HANDLER])(m->capsule);
    if (!m->replaced) forget_exception(); /* out of memory: nothing is counted */
}

/* Restores the handler that was replaced, if the counter is the current one. A counter that ended or was suspended
 * since is not put back. */
static void uninstall(ArrayMemory *m) {
    PyObject *current = ((GetHandler *)m->functions[GET_HANDLER])();
    PyObject *back = m->replaced;
    m->replaced = NULL;
    if (current == m->capsule) {
        PyObject *next = back;
        for (ArrayMemory *other; (other = counter_of(next)) && !other->replaced;) next = other->forwards;
        Py_XDECREF(((SetHandler *)m->functions[SET_HANDLER])(next));
    }
    Py_XDECREF(current);
    Py_DECREF(back);
    forget_exception(); /* out of memory: it stays installed, and counts on */
}

/* Python's exception, set aside and restored */

typedef struct Aside {
    void *lock;
    PyObject *type, *value, *traceback;
} Aside;

static Aside set_aside(void) {
    Aside aside = {.lock = python_lock()};
    PyErr_Fetch(&aside.type, &aside.value, &aside.traceback);
    return aside;
}

static void take_up(Aside aside) {
    PyErr_Restore(aside.type, aside.value, aside.traceback);
    python_unlock(aside.lock);
}

ArrayMemory *array_memory_begin(void) {
    const Aside aside = set_aside();
    void **functions = numpy_functions();
    PyObject *current = functions ? ((GetHandler *)functions[GET_HANDLER])() : NULL;
    ArrayMemory *m = current ? create(functions, current) : NULL;
    if (m) install(m);
    take_up(aside); /* whatever was raised is replaced */
    return m;
}

void array_memory_suspend(ArrayMemory *m) {
    if (!m || !m->replaced) return;
    const Aside aside = set_aside();
    uninstall(m);
    take_up(aside);
}

void array_memory_resume(ArrayMemory *m) {
    if (!m || m->replaced) return;
    const Aside aside = set_aside();
    install(m);
    take_up(aside);
}

void array_memory_end(ArrayMemory *m) {
    if (!m) return;
    array_memory_suspend(m);
    void *lock = python_lock();
    Py_DECREF(m->capsule);
    python_unlock(lock);
}

void array_memory_before_large(ArrayMemory *m, void (*make_room)(void *context, size_t bytes), void *context) {
    if (!m) return;
    m->context = context;
    m->make_room = make_room;
}

int64_t array_memory_live(const ArrayMemory *m) { return m ? m->live : 0; }
int64_t array_memory_peak(const ArrayMemory *m) { return m ? m->peak : 0; }

void array_memory_begin_peak(ArrayMemory *m) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    m->peak = m->live;
    pthread_mutex_unlock(&m->lock);
}

int64_t array_memory_step_peak(ArrayMemory *m) {
    if (!m) return 0;
    pthread_mutex_lock(&m->lock);
    const int64_t most = m->step_peak;
    m->step_peak = m->live;
    pthread_mutex_unlock(&m->lock);
    return most;
}
