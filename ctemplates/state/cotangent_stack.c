/* The stack of the accumulators of frames: see cotangent_stack.h. It grows in chunks, each twice as large as the one below: a
 * deep stack is never copied.
 */
#include "state/cotangent_stack.h"

enum { FIRST_ACCUMULATORS = 64, MAX_ACCUMULATORS = 16384 /* of a chunk */ };

static void add_chunk(Cotangent *c) {
    AccumulatorChunk *chunk = c->spare;
    if (chunk) {
        c->spare = NULL;
    } else {
        size_t room = c->stack ? c->stack->room * 2 : FIRST_ACCUMULATORS;
        if (room > MAX_ACCUMULATORS) room = MAX_ACCUMULATORS;
        chunk = cotangent_allocate(c, accumulator_chunk_bytes(room));
        chunk->room = room;
    }
    chunk->count = 0;
    chunk->previous = c->stack;
    c->stack = chunk;
}

void cotangent_push(Cotangent *c, Value cotangent) {
    if (UNLIKELY(!c->stack || c->stack->count == c->stack->room)) add_chunk(c);
    store(&c->stack->cotangents[c->stack->count++], cotangent);
    c->stack_count++;
}

Value cotangent_pop(Cotangent *c) {
    AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!c->stack_count)) return of_real(0.0);
    const Value cotangent = load(&chunk->cotangents[--chunk->count]);
    c->stack_count--;
    if (UNLIKELY(!chunk->count && chunk->previous)) {
        c->stack = chunk->previous;
        if (c->spare) cotangent_free(c, c->spare, accumulator_chunk_bytes(c->spare->room));
        c->spare = chunk;
    }
    return cotangent;
}
