/* Series of directives: see series.h. */
#include "driver/series.h"

enum { ADVANCES, KEEPS };                      /* the phases of a segment of DO_STRIDE */
enum { RESTORES, TAPES, REVERSES, DROPS };     /* and of DO_UNWIND */

bool is_series(DirectiveKind kind) { return kind == DO_STRIDE || kind == DO_UNWIND; }

void series_begin(Series *series, Directive whole) { *series = (Series){.whole = whole, .active = true}; }

static bool next_of_stride(Series *s, const Report *reached, Directive *next) {
    if (s->phase == ADVANCES) {
        if (s->done == s->whole.count || (s->done && reached->held > s->whole.bytes)) return false;
        s->target = reached->step + s->whole.step;
        *next = (Directive){.kind = DO_ADVANCE, .step = s->target, .bytes = s->whole.held};
        s->phase = KEEPS;
        return true;
    }
    if (reached->finished || reached->step < s->target) return false;
    *next = (Directive){.kind = DO_KEEP};
    s->phase = ADVANCES;
    s->done++;
    return true;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool next_of_unwind(Series *s, const Report *reached, int64_t last_kept, int64_t high, Directive *next) {
    const size_t held = s->whole.held, left = held > reached->held ? held - reached->held : 0;
    switch (s->phase) {
    case RESTORES:
        if (s->done == s->whole.count) return false;
        s->low = last_kept;
        *next = (Directive){.kind = DO_RESTORE, .step = last_kept};
        s->phase = TAPES;
        return true;
    case TAPES:
        *next = (Directive){
            .kind = DO_TAPE, .step = high < 0 ? TO_THE_END : high, .bytes = least(s->whole.bytes, left)};
        s->phase = REVERSES;
        return true;
    case REVERSES:
        if (high < 0 ? !reached->finished : reached->step < high) return false;
        if (reached->bytes && reached->held > held) return false;
        *next = (Directive){.kind = DO_REVERSE, .step = LAST_TAPE};
        s->phase = DROPS;
        return true;
    default:
        *next = (Directive){.kind = DO_DROP, .step = s->low};
        s->phase = RESTORES;
        s->done++;
        return true;
    }
}

bool series_next(Series *series, const Report *reached, int64_t last_kept, int64_t reversed_to, Directive *next) {
    if (!series->active) return false;
    series->active = series->whole.kind == DO_STRIDE
                         ? next_of_stride(series, reached, next)
                         : next_of_unwind(series, reached, last_kept, reversed_to, next);
    return series->active;
}
