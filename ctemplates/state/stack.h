/* The stack of a run: frames in a chain of counted chunks, which states share.
 *
 * A frame is its return point's `count` saved values, then a FrameHead on top. A Stack is a place in a chunk: it has
 * what is below `top` there, and all earlier chunks, each up to the place where it was left.
 *
 * A chunk has owners: stacks, and chunks that follow it. With one owner it is *open*: frames are pushed and popped by
 * moving. stack_share *seals* it in O(1): both stacks then refer to it, it no longer changes, and it knows the places
 * of its owners (stack.c); a run that returns to it copies frames to a chunk of its own. What always holds: an open
 * chunk has no frames above its owner's place, a sealed one none above its highest owner's; no stack or chunk is at a
 * place 0. Chunks are freed without recursion. Source: Hieb, Dybvig, Bruggeman 1990.
 */
#ifndef CK_STACK_H
#define CK_STACK_H

#include "memory/heap.h"

typedef struct FrameHead {
    const ReturnPoint *point;
    const Block *call; /* the block whose call the frame waits for, if that is to be shown; else NULL */
} FrameHead;

_Static_assert(sizeof(FrameHead) == sizeof(Value), "a frame is whole Values");

typedef struct Place {
    uint32_t top, owners;
} Place;

typedef struct Chunk {
    uint32_t room;  /* up to where frames may be pushed: 0 when it is sealed, else `size` */
    uint32_t floor; /* above it frames may be moved out: UINT32_MAX when it is sealed, else 0 */
    uint32_t size;  /* in Values */
    uint32_t taken; /* the number of Values copied into it from a sealed one */
    size_t below;   /* the bytes of all chunks before it */
    struct Chunk *previous; /* NULL at the bottom */
    uint32_t before;        /* its place there */
    uint32_t place_count, place_room;
    Place *places; /* of a sealed one, the lowest first; else NULL */
    Value values[];
} Chunk;

typedef struct Stack {
    Chunk *chunk; /* NULL: empty */
    uint32_t top; /* in Values (a FrameHead is as large as one) */
} Stack;

/* The top frame; the stack is not empty. Valid until the stack changes. */
static inline const FrameHead *stack_top(const Stack *stack) {
    return (const FrameHead *)(const void *)(stack->chunk->values + stack->top - 1);
}
static inline const Value *stack_top_saved(const Stack *stack) {
    return stack->chunk->values + (stack->top - 1 - stack_top(stack)->point->count);
}

void stack_grow(Heap *heap, Stack *stack, uint32_t count); /* a chunk with room for a frame of `count` values */
void stack_own_top(Heap *heap, Stack *stack);              /* the top chunk becomes open */
void stack_leave(Heap *heap, Stack *stack);                /* the top chunk is open, and has become empty */

/* Returns room for a frame of the point's `count` values, which the caller fills at once: owned by the frame. */
static inline Value *stack_push_saved(Heap *heap, Stack *stack, const ReturnPoint *point, uint32_t count,
                                      const Block *call) {
    if (UNLIKELY(!stack->chunk || stack->chunk->room < stack->top + count + 1)) stack_grow(heap, stack, count);
    Value *saved = stack->chunk->values + stack->top;
    *(FrameHead *)(void *)(saved + count) = (FrameHead){.point = point, .call = call};
    stack->top += count + 1;
    return saved;
}
static inline Value *stack_push(Heap *heap, Stack *stack, const ReturnPoint *point, const Block *call) {
    return stack_push_saved(heap, stack, point, point->count, call);
}

/* Removes the top frame; the caller owns its saved values, in `saved` (room for point->count). */
void stack_pop(Heap *heap, Stack *stack, Value *saved);

/* Removes the top frame, values to the registers that the point names. Runs on every return: fast. */
static inline const ReturnPoint *stack_return(Heap *heap, Stack *stack, Value *registers) {
    const ReturnPoint *point = stack_top(stack)->point;
    const uint32_t count = point->count;
    if (UNLIKELY(stack->chunk->floor)) stack_own_top(heap, stack);
    const uint32_t top = stack->top - count - 1;
    const Value *saved = stack->chunk->values + top;
    const Register *to = point->saved;
    for (uint32_t i = 0; i < count; i++) store(&registers[to[i]], load(&saved[i]));
    stack->top = top;
    if (UNLIKELY(top == 0)) stack_leave(heap, stack);
    return point;
}

void stack_set_call(Heap *heap, Stack *stack, const Block *call); /* of the top frame */
Stack stack_share(Heap *heap, Stack *stack);
void stack_release(Heap *heap, Stack *stack);
size_t stack_bytes(const Stack *stack); /* of its chunks */

/* Walks the frames from the top to the bottom, without changes: returns false at the end. */
typedef struct FrameWalk {
    const Chunk *chunk;
    uint32_t top;
} FrameWalk;
FrameWalk stack_walk(const Stack *stack);
bool stack_next(FrameWalk *walk, FrameHead *head, const Value **saved);

/* Stores what the frames say of the lanes that they are within, the innermost first, at most `room`; returns how many. */
uint32_t stack_lanes(const Stack *stack, LaneMark *marks, uint32_t room);

/* Aborts with a message if the stack is inconsistent (hostile build). */
void stack_check(const Stack *stack);

#endif
