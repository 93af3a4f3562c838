/* What lanes give. See lane_gifts.h.
 *
 * Gifts to accumulators that are surely different do not meet, so each is given as a whole: the accumulator that all
 * lanes share is looked up once for all. Where two might be the same, as those of one object that goes by two names,
 * lanes give one by one.
 */
#include "state/lane_gifts.h"

static bool may_meet(const LaneGifts *a, const LaneGifts *b) {
    return a->birth == b->birth && a->birth && (a->fields || b->fields || a->field == b->field);
}

static bool are_apart(const LaneGifts *gifts, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (UNLIKELY(may_meet(&gifts[i], &gifts[k]))) return false;
    return true;
}

static bool are_in_a_row(const int64_t *fields, int lanes) {
    int64_t other = 0;
    for (int i = 0; i < lanes; i++) other |= fields[i] ^ (fields[0] + i);
    return !other;
}

/* Says that the fields of all lanes are about to receive; returns whether they are in a row. */
static bool expect(Cotangent *c, const LaneGifts *gift, int lanes) {
    if (!are_in_a_row(gift->fields, lanes)) return false;
    cotangent_expect(c, gift->birth, gift->fields[0], lanes);
    return true;
}

static void give_one(Cotangent *c, const LaneGifts *gift, int lane) {
    const double cotangent = gift->cotangents[lane];
    if (cotangent != 0.0) cotangent_give(c, gift->birth, gift->fields ? gift->fields[lane] : gift->field, of_real(cotangent));
}

static void give_one_by_one(Cotangent *c, const LaneGifts *gift, int lanes) {
    while (lanes--) give_one(c, gift, lanes);
}

static void give_fields(Cotangent *c, const LaneGifts *gift, int lanes) {
    if (expect(c, gift, lanes)) /* at once before: what is expected of one birth may be forgotten for another */
        cotangent_give_fields(c, gift->birth, gift->fields[0], lanes, gift->cotangents);
    else
        give_one_by_one(c, gift, lanes);
}

/* Adds a column to one accumulator. The first cotangent, as it is given, makes that where there was none. */
static void give_column(Cotangent *c, const LaneGifts *gift, int lanes) {
    while (lanes && gift->cotangents[lanes - 1] == 0.0) lanes--;
    if (!lanes) return;
    give_one(c, gift, --lanes);
    Value *to = cotangent_find(c, gift->birth, gift->field);
    if (!to) return; /* nobody reads it */
    if (UNLIKELY(to->tag != REAL)) {
        give_one_by_one(c, gift, lanes);
        return;
    }
    double sum = to->real;
    while (lanes--) {
        const double cotangent = gift->cotangents[lanes];
        sum = cotangent != 0.0 ? sum + cotangent : sum;
    }
    to->real = sum;
}

void cotangent_give_lanes(Cotangent *c, const LaneGifts *gifts, size_t count, int lanes) {
    if (!are_apart(gifts, count)) {
        for (size_t i = 0; i < count; i++)
            if (gifts[i].fields) expect(c, &gifts[i], lanes);
        while (lanes--)
            for (size_t i = 0; i < count; i++) give_one(c, &gifts[i], lanes);
        return;
    }
    for (size_t i = 0; i < count; i++) (gifts[i].fields ? give_fields : give_column)(c, &gifts[i], lanes);
}
