/* Bisection as a coroutine: see bisection.h, and checkpoint/driver/schedule.py for what it does and why.
 *
 * What always holds: `pending` is what the Python coroutine would still do, in its order, the next on top.
 */
#include "driver/bisection.h"

enum { FIRST_ROOM = 16 };

/* One directive, or something that becomes several of them:
 *
 *     SEGMENT      reverse the steps from `low`, where a state is kept, to `high`
 *     PIECE        the same, as a base case; the state at `low` is the current one
 *     PIECE_TAPED  the tape of a PIECE was made: see how far it reaches
 *     BEGUN        the first state is kept: tape a first base case
 *     FIRST_TAPED  that tape was made, towards `high`: see how far it reaches
 *     COUNTED      the end of the run has been reached: reverse it all, from `low`
 */
typedef enum Duty { ONE, SEGMENT, PIECE, PIECE_TAPED, BEGUN, FIRST_TAPED, COUNTED } Duty;

struct Pending {
    Duty duty;
    DirectiveKind kind; /* of ONE; its step is `low` */
    int64_t low, high;
};

static void push(Heap *heap, Bisection *b, Pending pending) {
    if (b->count == b->room) {
        const size_t room = b->room ? 2 * b->room : FIRST_ROOM;
        b->pending = heap_resize(heap, b->pending, b->room * sizeof(Pending), room * sizeof(Pending));
        b->room = room;
    }
    b->pending[b->count++] = pending;
}

static void push_duty(Heap *heap, Bisection *b, Duty duty, int64_t low, int64_t high) {
    push(heap, b, (Pending){.duty = duty, .low = low, .high = high});
}

static void push_one(Heap *heap, Bisection *b, DirectiveKind kind, int64_t step) {
    push(heap, b, (Pending){.duty = ONE, .kind = kind, .low = step});
}

void bisection_begin(Heap *heap, Bisection *b, int64_t base, size_t bytes) {
    *b = (Bisection){.most = base, .steps = base, .bytes = bytes};
    push_duty(heap, b, BEGUN, 0, 0);
    push_one(heap, b, DO_KEEP, 0);
}

void bisection_end(Heap *heap, Bisection *b) {
    heap_free(heap, b->pending, b->room * sizeof(Pending));
    b->pending = NULL;
    b->count = b->room = 0;
}

/* Adapts the size of the next tape to the one made from `low` towards `to` (BaseCase.tape). */
static void learn(Bisection *b, int64_t low, int64_t to, Report reached) {
    const int64_t taped = reached.step - low;
    if (reached.step < to && !reached.finished) {
        b->steps = taped;
    } else if (b->bytes != UNBOUNDED && reached.bytes <= b->bytes / 2) {
        if (b->steps < 2 * taped) b->steps = 2 * taped;
        if (b->steps > b->most) b->steps = b->most;
    }
}

static Directive directive(DirectiveKind kind, int64_t step) {
    return (Directive){.kind = kind, .step = step, .bytes = UNBOUNDED};
}

static Directive tape(const Bisection *b, int64_t to) {
    return (Directive){.kind = DO_TAPE, .step = to, .bytes = b->bytes};
}

static Directive begin_segment(Heap *heap, Bisection *b, int64_t low, int64_t high) {
    if (high - low <= b->steps) {
        push_duty(heap, b, PIECE, low, high);
        return directive(DO_RESTORE, low);
    }
    const int64_t middle = low + (high - low) / 2;
    push_duty(heap, b, SEGMENT, low, middle);
    push_one(heap, b, DO_DROP, middle);
    push_duty(heap, b, SEGMENT, middle, high);
    push_one(heap, b, DO_KEEP, 0);
    push_one(heap, b, DO_ADVANCE, middle);
    return directive(DO_RESTORE, low);
}

static Directive begin_piece(Heap *heap, Bisection *b, int64_t low, int64_t high) {
    push_duty(heap, b, PIECE_TAPED, low, high);
    return tape(b, high);
}

/* Continues a base case. If its tape was cut, the rest is reversed first, from a state that is kept at the cut. */
static Directive continue_piece(Heap *heap, Bisection *b, int64_t low, int64_t high, Report reached) {
    learn(b, low, high, reached);
    if (reached.step == high) return directive(DO_REVERSE, LAST_TAPE);
    push_duty(heap, b, PIECE, low, reached.step);
    push_one(heap, b, DO_RESTORE, low);
    push_one(heap, b, DO_DROP, reached.step);
    push_duty(heap, b, SEGMENT, reached.step, high);
    return directive(DO_KEEP, 0);
}

static Directive begin_first(Heap *heap, Bisection *b, int64_t low) {
    const int64_t to = b->most < INT64_MAX - low ? low + b->most : INT64_MAX;
    push_duty(heap, b, FIRST_TAPED, low, to);
    return tape(b, to);
}

static Directive continue_first(Heap *heap, Bisection *b, int64_t low, int64_t to, Report reached) {
    learn(b, low, to, reached);
    if (reached.finished) return directive(DO_REVERSE, LAST_TAPE);
    push_duty(heap, b, COUNTED, low, 0);
    return directive(DO_ADVANCE, TO_THE_END);
}

bool bisection_next(Heap *heap, Bisection *b, Report reached, Directive *next) {
    if (!b->count) return false;
    const Pending top = b->pending[--b->count];
    switch (top.duty) {
    case ONE: *next = directive(top.kind, top.low); break;
    case SEGMENT: *next = begin_segment(heap, b, top.low, top.high); break;
    case PIECE: *next = begin_piece(heap, b, top.low, top.high); break;
    case PIECE_TAPED: *next = continue_piece(heap, b, top.low, top.high, reached); break;
    case BEGUN: *next = begin_first(heap, b, reached.step); break;
    case FIRST_TAPED: *next = continue_first(heap, b, top.low, top.high, reached); break;
    case COUNTED: *next = begin_segment(heap, b, top.low, reached.step); break;
    }
    return true;
}
