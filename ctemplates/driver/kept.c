/* The states that a sweep keeps: see kept.h. Searches start at the last one, which is mostly the one requested. */
#include "driver/kept.h"

enum { FIRST_KEPT = 8 };

void drop_state(Sweep *s, State **state) {
    State *dropped = *state;
    *state = NULL;
    if (dropped) state_release(s->heap, dropped);
}

State *shared_state(State *state) {
    state->count++;
    return state;
}

/* Returns how many states are kept at steps before this one. */
static size_t kept_before(const Sweep *s, int64_t step) {
    size_t count = s->kept_count;
    while (count > 0 && s->kept[count - 1].step >= step) count--;
    return count;
}

Kept *kept_at(const Sweep *s, int64_t step) {
    const size_t i = kept_before(s, step);
    return i < s->kept_count && s->kept[i].step == step ? &s->kept[i] : NULL;
}

State *sweep_state(const Sweep *s, int64_t step) {
    if (step < 0) return s->current;
    const Kept *found = kept_at(s, step);
    return found ? found->state : NULL;
}

void sweep_put(Sweep *s, State *state) {
    Kept *found = kept_at(s, state->steps);
    if (found) {
        drop_state(s, &found->state);
        found->state = shared_state(state);
        return;
    }
    if (s->kept_count == s->kept_room) {
        const size_t room = s->kept_room ? 2 * s->kept_room : FIRST_KEPT;
        s->kept = heap_resize(s->heap, s->kept, s->kept_room * sizeof(Kept), room * sizeof(Kept));
        s->kept_room = room;
    }
    const size_t place = kept_before(s, state->steps);
    for (size_t i = s->kept_count++; i > place; i--) s->kept[i] = s->kept[i - 1];
    s->kept[place] = (Kept){.step = state->steps, .state = shared_state(state)};
    if (s->kept_count > s->counts.most_kept) s->counts.most_kept = s->kept_count;
}

State *sweep_kept_until(Sweep *s, int64_t step) {
    const size_t count = kept_before(s, step + 1);
    return count ? s->kept[count - 1].state : NULL;
}
