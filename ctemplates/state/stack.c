/* The stack: operations off the fast path of calls and returns.
 *
 * What always holds: `places` of a sealed chunk are ascending, none is 0, each has an owner; together they are all the
 * owners. A chunk that follows is an owner, at its `before`. When the highest owner leaves, the frames down to the next
 * one are dropped at once, so no frame is kept that cannot be returned to.
 */
#include "state/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/pages.h"

/* Chunks double up to SMALL_CHUNK bytes. A stack of DEEP bytes has large pages, which stay with the process: small chunks
 * of it would return to the system with each run, and be new memory for the next one. */
enum {
    FIRST_CHUNK = 512,
    SMALL_CHUNK = 64 * 1024,
    LARGE_CHUNK = LARGE_PAGE - 256, /* with what the heap adds */
    DEEP = 4 * LARGE_PAGE,
    FIRST_TAKEN = 16 /* Values */
};

static size_t chunk_bytes(uint32_t size) { return sizeof(Chunk) + size * sizeof(Value); }
static FrameHead head_below(const Chunk *chunk, uint32_t top) {
    return *(const FrameHead *)(const void *)(chunk->values + top - 1);
}

/* Making and freeing chunks. Freed ones are kept on the shelf, the small ones above the large: a recursion that begins again
 * finds them in the order in which it needs them, and calls about the end of a chunk cost little. */

static Chunk *new_chunk(Heap *heap, uint32_t size, Chunk *previous, uint32_t before) {
    size_t bytes = chunk_bytes(size);
    Chunk *chunk = heap_from_shelf(heap, FOR_STACKS, bytes, 4 * bytes + 3, &bytes);
    if (!chunk) chunk = heap_allocate(heap, bytes);
    size = (uint32_t)((bytes - sizeof(Chunk)) / sizeof(Value));
    *chunk = (Chunk){.room = size, .size = size, .previous = previous, .before = before};
    if (previous) chunk->below = previous->below + chunk_bytes(previous->size);
    return chunk;
}

static void free_chunk(Heap *heap, Chunk *chunk) {
    heap_free(heap, chunk->places, chunk->place_room * sizeof(Place));
    const size_t bytes = chunk_bytes(chunk->size);
    heap_to_shelf(heap, FOR_STACKS, chunk, bytes, bytes + 2 * SMALL_CHUNK);
}

/* Owners and their places */

/* Returns the index of the first place that is not below `top`. */
static uint32_t find_place(const Chunk *chunk, uint32_t top) {
    uint32_t low = 0, high = chunk->place_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (chunk->places[middle].top < top)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void make_place_room(Heap *heap, Chunk *chunk) {
    if (chunk->place_count < chunk->place_room) return;
    const uint32_t room = chunk->place_room ? 2 * chunk->place_room : 2;
    chunk->places = heap_resize(
        heap, chunk->places, chunk->place_room * sizeof(Place), room * sizeof(Place));
    chunk->place_room = room;
}

/* Adds an owner at `top`. */
static void add_owner(Heap *heap, Chunk *chunk, uint32_t top) {
    make_place_room(heap, chunk);
    const uint32_t at = find_place(chunk, top);
    if (at < chunk->place_count && chunk->places[at].top == top) {
        chunk->places[at].owners++;
        return;
    }
    memmove(chunk->places + at + 1, chunk->places + at, (chunk->place_count - at) * sizeof(Place));
    chunk->places[at] = (Place){.top = top, .owners = 1};
    chunk->place_count++;
}

/* Adds an owner of a chunk that may be open: then its current owner is at `top` too. */
static void share_chunk(Heap *heap, Chunk *chunk, uint32_t top) {
    add_owner(heap, chunk, top);
    if (chunk->floor) return;
    chunk->places[0].owners = 2;
    chunk->room = 0;
    chunk->floor = UINT32_MAX;
}

static bool has_one_owner(const Chunk *chunk) {
    return chunk->place_count == 1 && chunk->places[0].owners == 1;
}

static void open_chunk(Heap *heap, Chunk *chunk) {
    heap_free(heap, chunk->places, chunk->place_room * sizeof(Place));
    chunk->places = NULL;
    chunk->place_count = chunk->place_room = 0;
    chunk->room = chunk->size;
    chunk->floor = 0;
}

/* Drops the frames of a chunk from `top` down to `low`. The heap is held: nothing changes meanwhile. */
static void drop_frames(Heap *heap, const Chunk *chunk, uint32_t top, uint32_t low) {
    while (top > low) {
        const uint32_t count = head_below(chunk, top).point->count;
        top--;
        for (uint32_t i = 0; i < count; i++) drop(heap, chunk->values[--top]);
    }
}

/* Removes an owner at `top` of a sealed chunk. Returns whether another one is left. */
static bool remove_owner(Heap *heap, Chunk *chunk, uint32_t top) {
    const uint32_t at = find_place(chunk, top);
    if (--chunk->places[at].owners) return true;
    const bool was_highest = at + 1 == chunk->place_count;
    chunk->place_count--;
    memmove(chunk->places + at, chunk->places + at + 1, (chunk->place_count - at) * sizeof(Place));
    if (was_highest) drop_frames(heap, chunk, top, at ? chunk->places[at - 1].top : 0);
    return chunk->place_count > 0;
}

/* Removes an owner at `top`, and with the last owner the chunk, which was an owner of the one before it. */
static void leave_chunks(Heap *heap, Chunk *chunk, uint32_t top) {
    while (chunk) {
        if (!chunk->floor)
            drop_frames(heap, chunk, top, 0);
        else if (remove_owner(heap, chunk, top))
            return;
        Chunk *previous = chunk->previous;
        top = chunk->before;
        free_chunk(heap, chunk);
        chunk = previous;
    }
}

/* Growing, and returning to earlier chunks */

static uint32_t size_in(size_t bytes, uint32_t least) {
    const uint32_t size = (uint32_t)((bytes - sizeof(Chunk)) / sizeof(Value));
    return size < least ? least : size;
}

/* Returns the bytes of the chunk that follows a full one. */
static size_t bytes_behind(const Chunk *last) {
    const size_t bytes = chunk_bytes(last->size);
    if (2 * bytes <= SMALL_CHUNK) return 2 * bytes;
    return last->below + bytes < DEEP ? SMALL_CHUNK : LARGE_CHUNK;
}

/* Adds a chunk, larger than a full one; after a sealed one small again, since a state may follow soon. */
void stack_grow(Heap *heap, Stack *stack, uint32_t count) {
    Chunk *last = stack->chunk;
    if (last && last->floor && has_one_owner(last)) {
        open_chunk(heap, last);
        if (last->room >= stack->top + count + 1) return;
    }
    const size_t bytes = last && !last->floor ? bytes_behind(last) : FIRST_CHUNK;
    stack->chunk = new_chunk(heap, size_in(bytes, count + 1), last, stack->top);
    stack->top = 0;
}

/* Returns the lower end of the frames to be copied: some `most` Values below `top`, one frame at least. */
static uint32_t cut_below(const Chunk *chunk, uint32_t top, uint32_t most) {
    uint32_t low = top;
    do low -= head_below(chunk, low).point->count + 1;
    while (low > 0 && top - low < most);
    return low;
}

/* Copies the top frames of a sealed chunk to an open one, which then follows what is below them: each time twice
 * as many as the time before. */
static void copy_top(Heap *heap, Stack *stack, uint32_t most) {
    Chunk *sealed = stack->chunk;
    const uint32_t top = stack->top, low = cut_below(sealed, top, most), length = top - low;
    Chunk *before = low ? sealed : sealed->previous;
    const uint32_t place = low ? low : sealed->before;
    Chunk *copy = new_chunk(heap, size_in(FIRST_CHUNK, length + length / 2), before, place);
    copy->taken = length;
    if (before) share_chunk(heap, before, place);
    for (uint32_t at = top; at > low;) { /* headers are not values */
        const uint32_t count = head_below(sealed, at).point->count;
        const FrameHead head = head_below(sealed, at--);
        *(FrameHead *)(void *)(copy->values + (at - low)) = head;
        for (uint32_t i = 0; i < count; i++) {
            at--;
            copy->values[at - low] = copied(sealed->values[at]);
        }
    }
    *stack = (Stack){.chunk = copy, .top = length};
    const bool outer = heap_hold(heap);
    leave_chunks(heap, sealed, top); /* it has other owners, or it would not be sealed */
    heap_resume(heap, outer);
}

/* Returns the number of Values to copy next, by the chunk that has become empty. */
static uint32_t next_taken(const Chunk *chunk) {
    const uint32_t most = SMALL_CHUNK / sizeof(Value) / 2;
    if (!chunk || !chunk->taken) return FIRST_TAKEN;
    return chunk->taken < most ? 2 * chunk->taken : most;
}

static void own_top(Heap *heap, Stack *stack, uint32_t most) {
    if (!stack->chunk->floor) return;
    if (has_one_owner(stack->chunk))
        open_chunk(heap, stack->chunk);
    else
        copy_top(heap, stack, most);
}

void stack_own_top(Heap *heap, Stack *stack) { own_top(heap, stack, FIRST_TAKEN); }

/* Leaves the top chunk: its place in the one before becomes the stack's. A shared one is likely to be popped
 * further. */
void stack_leave(Heap *heap, Stack *stack) {
    Chunk *empty = stack->chunk;
    const uint32_t most = next_taken(empty);
    const bool took = empty->taken > 0;
    *stack = (Stack){.chunk = empty->previous, .top = empty->before};
    free_chunk(heap, empty);
    if (took && stack->chunk) own_top(heap, stack, most);
}

void stack_pop(Heap *heap, Stack *stack, Value *saved) {
    stack_own_top(heap, stack);
    const uint32_t count = stack_top(stack)->point->count;
    memcpy(saved, stack_top_saved(stack), count * sizeof(Value));
    stack->top -= count + 1;
    if (stack->top == 0) stack_leave(heap, stack);
}

void stack_set_call(Heap *heap, Stack *stack, const Block *call) {
    if (stack_top(stack)->call == call) return;
    stack_own_top(heap, stack);
    ((FrameHead *)(void *)(stack->chunk->values + stack->top - 1))->call = call;
}

Stack stack_share(Heap *heap, Stack *stack) {
    if (stack->chunk) share_chunk(heap, stack->chunk, stack->top);
    return *stack;
}

void stack_release(Heap *heap, Stack *stack) {
    const Stack left = *stack;
    *stack = (Stack){.chunk = NULL, .top = 0};
    const bool outer = heap_hold(heap);
    leave_chunks(heap, left.chunk, left.top);
    heap_resume(heap, outer);
}

/* Reading */

size_t stack_bytes(const Stack *stack) {
    size_t bytes = 0;
    for (const Chunk *chunk = stack->chunk; chunk; chunk = chunk->previous)
        bytes += chunk_bytes(chunk->size) + chunk->place_room * sizeof(Place);
    return bytes;
}

FrameWalk stack_walk(const Stack *stack) { return (FrameWalk){.chunk = stack->chunk, .top = stack->top}; }

bool stack_next(FrameWalk *walk, FrameHead *head, const Value **saved) {
    if (!walk->chunk) return false;
    *head = head_below(walk->chunk, walk->top);
    walk->top -= head->point->count + 1;
    *saved = walk->chunk->values + walk->top;
    if (walk->top == 0) *walk = (FrameWalk){.chunk = walk->chunk->previous, .top = walk->chunk->before};
    return true;
}

static bool mark_lane(Value number, LaneMark *mark) {
    if (number.tag != INTEGER && number.tag != REAL) return false;
    const int64_t lane = number.tag == INTEGER ? number.integer : (int64_t)number.real; /* of texts in the language a real */
    *mark = (LaneMark){{0, lane, 0}};
    return true;
}

static bool mark_within(Value within, LaneMark *mark) {
    if (kind_of(within) != RECORD || within.object->length != 4) return false;
    const Value *fields = cells_of(within) + 1;
    for (int i = 0; i < 3; i++) mark->numbers[i] = fields[i].tag == INTEGER ? fields[i].integer : 0;
    return true;
}

uint32_t stack_lanes(const Stack *stack, LaneMark *marks, uint32_t room) {
    FrameWalk walk = stack_walk(stack);
    FrameHead head;
    const Value *saved;
    uint32_t count = 0;
    while (count < room && stack_next(&walk, &head, &saved)) {
        const uint32_t lane = head.point->lane, within = head.point->within;
        if (lane) count += mark_lane(saved[lane - 1], &marks[count]);
        if (within && count < room) count += mark_within(saved[within - 1], &marks[count]);
    }
    return count;
}

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "checkpoint: stack_check: %s\n", what);
    abort();
}

static void check_places(const Chunk *chunk, uint32_t top) {
    const uint32_t at = find_place(chunk, top);
    require(at < chunk->place_count && chunk->places[at].top == top, "an owner's place is not known");
    for (uint32_t i = 0; i < chunk->place_count; i++) {
        require(chunk->places[i].owners > 0, "a place has no owner");
        require(chunk->places[i].top > (i ? chunk->places[i - 1].top : 0), "places are not ascending");
    }
    require(chunk->places[chunk->place_count - 1].top <= chunk->size, "a place is outside of the chunk");
}

void stack_check(const Stack *stack) {
    uint32_t top = stack->top;
    for (const Chunk *chunk = stack->chunk; chunk; chunk = chunk->previous) {
        require(top > 0 && top <= chunk->size, "a stack is outside of its chunk");
        require(chunk->floor ? chunk->room == 0 : chunk->room == chunk->size && !chunk->places, "seal");
        if (chunk->floor) check_places(chunk, top);
        while (top > 0) {
            const uint32_t count = head_below(chunk, top).point->count;
            require(count < top, "a frame is cut by the end of its chunk");
            top -= count + 1;
        }
        top = chunk->before;
    }
}
