/* What translated code does with the machine's stack: part of translated.h, whose vocabulary it needs.
 *
 * While a unit runs, the place of the top frame is in variables of its function: calls and returns within the top chunk do
 * not touch the machine, whose own `stack.top` is behind. frames_settle brings it up to date: before the unit is left,
 * and before the runtime changes chunks. A unit reserves the registers of the blocks to which its frames return where it
 * is left (return_room); before, nobody else sees the frames.
 */
#ifndef CK_UNIT_FRAMES_H
#define CK_UNIT_FRAMES_H

typedef struct Frames {
    Value *top; /* behind the top frame */
    Value *end; /* of the room for more; below `top` in a sealed chunk */
    Value *low; /* a frame is popped in place if the top stays above it: `top` itself in a sealed chunk */
} Frames;

static const FrameHead NO_FRAME; /* the top of an empty stack: it returns to no point */

INLINE Frames frames_of(const Machine *m) {
    Chunk *chunk = m->stack.chunk;
    if (!chunk) {
        Value *none = (Value *)(uintptr_t)(&NO_FRAME + 1);
        return (Frames){none, none, none};
    }
    Value *top = chunk->values + m->stack.top;
    return (Frames){top, chunk->values + chunk->room, chunk->floor ? top : chunk->values};
}
INLINE void frames_settle(Machine *m, Frames frames) {
    if (m->stack.chunk) m->stack.top = (uint32_t)(frames.top - m->stack.chunk->values);
}
static __attribute__((noinline, unused)) Frames frames_grown(Machine *m, Frames frames, uint32_t count) {
    frames_settle(m, frames);
    stack_grow(m->heap, &m->stack, count);
    return frames_of(m);
}
static __attribute__((noinline, unused)) Frames frames_popped(Machine *m, Frames frames, uint32_t count) {
    frames_settle(m, frames);
    if (m->stack.chunk->floor) stack_own_top(m->heap, &m->stack);
    m->stack.top -= count + 1;
    if (m->stack.top == 0) stack_leave(m->heap, &m->stack);
    return frames_of(m);
}

INLINE const FrameHead *top_frame(Frames frames) { return (const FrameHead *)(const void *)(frames.top - 1); }
INLINE const void *top_point(Frames frames) { return top_frame(frames)->point; }
/* Returns whether a frame, if there is one, returns to the block of another point: what it saves may be of other kinds. */
INLINE bool returns_like(const void *point, const void *other) {
    const ReturnPoint *own = point, *its = other;
    return own && own->block == its->block && own->handler == its->handler;
}
/* Returns what the top frame has saved, of which the number is known. */
INLINE const Value *top_saved(Frames frames, uint32_t count) { return frames.top - 1 - count; }
/* Returns room for what a frame saves, which is filled at once. */
INLINE Value *push(Machine *m, Frames *frames, const void *point, uint32_t count, const void *call) {
    if (UNLIKELY(frames->end - frames->top < (ptrdiff_t)count + 1)) *frames = frames_grown(m, *frames, count);
    Value *saved = frames->top;
    *(FrameHead *)(void *)(saved + count) = (FrameHead){.point = point, .call = call};
    frames->top = saved + count + 1;
    return saved;
}
/* Drops a value that the top frame has saved; a pop follows. */
INLINE void drop_saved(Machine *m, Frames *frames, uint32_t at) {
    frames_settle(m, *frames);
    if (m->stack.chunk->floor) stack_own_top(m->heap, &m->stack);
    *frames = frames_of(m);
    drop(m->heap, load(&stack_top_saved(&m->stack)[at]));
}
INLINE void pop(Machine *m, Frames *frames, uint32_t count) {
    Value *top = frames->top - (ptrdiff_t)count - 1;
    if (LIKELY(top > frames->low))
        frames->top = top;
    else
        *frames = frames_popped(m, *frames, count);
}
INLINE void set_call(Machine *m, Frames *frames, const void *call) {
    const FrameHead *top = top_frame(*frames);
    if (top->call || top->point->block->end.kind == FINISH) return;
    frames_settle(m, *frames);
    stack_set_call(m->heap, &m->stack, call);
    *frames = frames_of(m);
}

/* Makes room for the registers of another procedure's blocks. */
INLINE void make_room(Machine *m, const Block *block) {
    const Procedure *procedure = block->procedure;
    if (procedure && UNLIKELY(procedure->registers > m->window)) machine_reserve(m, procedure->registers);
}
INLINE void return_room(Machine *m, const void *point) { make_room(m, ((const ReturnPoint *)point)->block); }

#endif
