/* Cotangents: the map against a plain table, the stack, sums of accumulators of duals; and, where the first, second,
 * ... allocation fails, that all is freed (checks.h).
 */
#include "cotangent_model.h"

#include <math.h>

#include "state/lane_gifts.h"

enum { BIRTHS = 40, FIELDS = 12, TURNS = 20000, DEEP = 100000 };

static Plain plain[BIRTHS][FIELDS];

static int64_t field_named(uint32_t f) { return f % 3 ? (int64_t)f : INT64_C(-7) * ((int64_t)f << 40); }

/* What is left over of the births from each on is what there is in a table of births from 1 on. */
static void check_left_over(const Cotangent *c, const Plain *table, uint32_t births, uint32_t fields) {
    size_t left = 0;
    for (uint32_t b = births + 1; b-- > 0;) {
        CHECK(cotangent_left_over(c, b + UINT64_C(1)) == left);
        for (uint32_t f = 0; b && f < fields; f++) left += table[(b - 1) * fields + f].there;
    }
    CHECK(left > 0);
}

static void test_map(Heap *heap) {
    Cotangent *c = create(heap);
    memset(plain, 0, sizeof plain);
    random_seed(7);
    for (int i = 0; i < TURNS; i++) {
        const uint32_t b = 1 + random_below(BIRTHS - 1), f = random_below(FIELDS);
        one_turn(c, b, field_named(f), &plain[b][f]);
    }
    cotangent_give(c, 0, 1, of_real(1.0));
    CHECK(!cotangent_find(c, 0, 1));
    destroy(c);
}

enum { ROWS = 20, LONG = 300 };

/* Fields in a row get pages when they are expected to receive, whatever they had before; empty ones are freed. */
static void test_pages(Heap *heap) {
    static Plain row[ROWS][LONG];
    Cotangent *c = create(heap);
    memset(row, 0, sizeof row);
    random_seed(11);
    for (int i = 0; i < 20 * TURNS; i++) {
        const uint32_t b = random_below(ROWS), f = random_below(LONG);
        if (i % 50 == 0) cotangent_expect(c, b + UINT64_C(1), f / 2, LONG - f);
        one_turn(c, b + UINT64_C(1), f, &row[b][f]);
    }
    CHECK(c->page_count > 0);
    check_left_over(c, row[0], ROWS, LONG);
    for (uint32_t b = 0; b < ROWS; b++)
        for (uint32_t f = 0; f < LONG; f++)
            CHECK(cotangent_take(c, b + UINT64_C(1), f).real == (row[b][f].there ? row[b][f].cotangent : 0.0));
    CHECK(c->page_count == 0 && c->map.count == 0);
    destroy(c);
}

/* Fields that receive in turn get pages, too, upwards or downwards, of several births at once; empty ones are freed. */
static void test_fields_in_turn(Heap *heap) {
    static Plain own[ROWS][LONG];
    Cotangent *c = create(heap);
    memset(own, 0, sizeof own);
    random_seed(17);
    size_t most = 0;
    for (int i = 0; i < TURNS / 10; i++) {
        const uint32_t b = random_below(ROWS - 1), length = random_below(2 * LONG), step = random_below(5);
        const bool is_back = random_below(2);
        for (uint32_t k = 0, f = random_below(LONG); k < length; k++, f = (f + (is_back ? LONG - step : step)) % LONG)
            for (uint32_t of = b; of < b + 2; of++) one_turn(c, of + UINT64_C(1), f, &own[of][f]);
        if (c->page_count > most) most = c->page_count;
    }
    CHECK(most > ROWS * LONG / PAGE_FIELDS / 2);
    for (uint32_t b = 0; b < ROWS; b++)
        for (uint32_t f = 0; f < LONG; f++)
            CHECK(cotangent_take(c, b + UINT64_C(1), f).real == (own[b][f].there ? own[b][f].cotangent : 0.0));
    CHECK(c->page_count == 0 && c->map.count == 0 && c->rows.count == 0);
    destroy(c);
}

/* So do a quarter of the fields of a birth in any order, while others receive between them; few of many fields do not. */
static void test_fields_in_any_order(Heap *heap) {
    static Plain own[LONG], beside[ROWS][LONG];
    for (int64_t apart = 1; apart <= 40; apart += 39) {
        Cotangent *c = create(heap);
        memset(own, 0, sizeof own);
        memset(beside, 0, sizeof beside);
        random_seed(19);
        size_t most = 0;
        for (int i = 0; i < 2 * TURNS; i++) {
            const uint32_t f = random_below(LONG), b = random_below(ROWS);
            one_turn(c, 1, f * apart, &own[f]);
            if (i % 5 == 0) one_turn(c, 2 + b, f % FIELDS, &beside[b][f % FIELDS]);
            if (c->page_count > most) most = c->page_count;
        }
        CHECK(apart == 1 ? most >= LONG / PAGE_FIELDS : most == 0);
        for (uint32_t f = 0; f < LONG; f++) {
            CHECK(cotangent_take(c, 1, f * apart).real == (own[f].there ? own[f].cotangent : 0.0));
            for (uint32_t b = 0; b < ROWS; b++) cotangent_take(c, 2 + b, f);
        }
        CHECK(c->page_count == 0 && c->map.count == 0 && c->rows.count == 0);
        destroy(c);
    }
}

/* Pages own accumulators of all kinds. */
static void test_kinds_on_pages(Heap *heap) {
    Cotangent *c = create(heap);
    cotangent_give(c, 3, 5, dual(heap, of_real(1.0), of_real(2.0)));
    cotangent_expect(c, 3, 0, LONG);
    for (int64_t f = 0; f < LONG; f++) cotangent_give(c, 3, f, dual(heap, of_real(1.0), of_real(1.0)));
    const Value taken = cotangent_take(c, 3, 5);
    CHECK(cells_of(taken)[1].real == 3.0);
    drop(heap, taken);
    destroy(c);
}

/* Objects made one after another get rows when they receive in turn, whatever they had before; empty ones are freed. */
static void test_births(Heap *heap) {
    static Plain own[LONG][ROW_FIELDS + 1];
    Cotangent *c = create(heap);
    memset(own, 0, sizeof own);
    random_seed(13);
    size_t most = 0;
    for (int i = 0; i < TURNS / 10; i++) {
        const uint32_t f = random_below(ROW_FIELDS + 1), length = random_below(60), step = random_below(5);
        const bool is_back = random_below(2);
        if (i % 50 == 0) cotangent_expect(c, 1 + random_below(LONG), 0, LONG);
        for (uint32_t k = 0, b = random_below(LONG); k < length; k++, b = (b + (is_back ? LONG - step : step)) % LONG)
            one_turn(c, b + UINT64_C(1), f, &own[b][f]);
        if (c->rows.count > most) most = c->rows.count;
    }
    CHECK(most > LONG / ROW_BIRTHS);
    check_left_over(c, own[0], LONG, ROW_FIELDS + 1);
    for (uint32_t b = 0; b < LONG; b++)
        for (int64_t f = 0; f <= ROW_FIELDS; f++)
            CHECK(cotangent_take(c, b + UINT64_C(1), f).real == (own[b][f].there ? own[b][f].cotangent : 0.0));
    CHECK(c->rows.count == 0 && c->page_count == 0 && c->map.count == 0);
    destroy(c);
}

/* Rows own accumulators of all kinds. */
static void test_kinds_in_rows(Heap *heap) {
    Cotangent *c = create(heap);
    for (int round = 0; round < 2; round++)
        for (uint64_t b = 1; b < LONG; b++) cotangent_give(c, b, 1, dual(heap, of_real(1.0), of_real((double)b)));
    CHECK(c->rows.count > 0);
    const Value taken = cotangent_take(c, 205, 1);
    CHECK(cells_of(taken)[1].real == 410.0);
    drop(heap, taken);
    destroy(c);
}

enum { LANES = 64, GIFTS = 12, FEW = 6, MANY = 60, MOST_FIELDS = 150 };

static double some_cotangent(void) {
    static const double special[] = {0.0, -0.0, NAN, INFINITY, 1e-320, -1e300};
    const uint32_t kind = random_below(2000);
    return kind < 6 ? special[kind] : kind < 500 ? 0.0 : (double)kind / 7.0 - 200.0;
}

/* Makes gifts: of few births, some unread, or of one each; to one field, or to fields in a row or not. */
static void some_gifts(LaneGifts *gifts, double (*given)[LANES], int64_t (*fields)[LANES]) {
    const uint32_t births = random_below(2) ? FEW : MANY, step = random_below(3);
    const bool are_zeros = !random_below(4);
    for (int i = 0; i < GIFTS; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            given[i][lane] = are_zeros && i % 3 ? 0.0 : some_cotangent();
            fields[i][lane] = 3 + i + (int64_t)step * lane;
        }
        gifts[i] = (LaneGifts){random_below(births), random_below(4), random_below(4) ? NULL : fields[i], given[i]};
    }
}

static bool are_equal(const Value *a, const Value *b) {
    if (!a || !b) return !a && !b;
    if (a->tag != REAL || b->tag != REAL)
        return a->tag == b->tag && are_equal(&cells_of(*a)[0], &cells_of(*b)[0]) && are_equal(&cells_of(*a)[1], &cells_of(*b)[1]);
    return a->real != a->real ? b->real != b->real : !memcmp(&a->real, &b->real, sizeof(double));
}

/* What lanes give is what they give one by one, the last first. */
static void test_lanes(Heap *heap) {
    LaneGifts gifts[GIFTS];
    double given[GIFTS][LANES];
    int64_t fields[GIFTS][LANES];
    random_seed(13);
    for (int round = 0; round < 300; round++) {
        Cotangent *together = create(heap), *apart = create(heap);
        together->unread = apart->unread = 2;
        together->unread_count = apart->unread_count = random_below(2);
        for (int strip = 0; strip < 3; strip++) {
            some_gifts(gifts, given, fields);
            if (strip == 1 && round % 2) cotangent_give(together, 1, 2, dual(heap, of_real(1.0), of_real(2.0)));
            if (strip == 1 && round % 2) cotangent_give(apart, 1, 2, dual(heap, of_real(1.0), of_real(2.0)));
            cotangent_give_lanes(together, gifts, GIFTS, LANES);
            for (int lane = LANES - 1; lane >= 0; lane--)
                for (int i = 0; i < GIFTS; i++) {
                    const LaneGifts *gift = &gifts[i];
                    const int64_t field = gift->fields ? gift->fields[lane] : gift->field;
                    if (given[i][lane] != 0.0) cotangent_give(apart, gift->birth, field, of_real(given[i][lane]));
                }
        }
        for (uint64_t birth = 0; birth < MANY; birth++)
            for (int64_t field = 0; field < MOST_FIELDS; field++)
                CHECK(are_equal(cotangent_find(together, birth, field), cotangent_find(apart, birth, field)));
        destroy(together);
        destroy(apart);
    }
}

static void test_stack(Heap *heap) {
    Cotangent *c = create(heap);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < DEEP; i++) cotangent_push(c, of_real(i));
        for (int i = DEEP; i-- > 0;) CHECK(cotangent_pop(c).real == i);
        CHECK(c->stack_count == 0 && cotangent_pop(c).real == 0.0);
    }
    destroy(c);
}

/* 0 + a dual adds 0 to each component, so that no zero is negative; a dual + 0 is the dual itself. */
static void test_sums(Heap *heap) {
    const Value inner = dual(heap, of_real(-0.0), of_real(2.0));
    Value sum = accumulator_sum(heap, of_real(0.0), dual(heap, inner, of_real(3.0)));
    const Value *primal = cells_of(cells_of(sum)[0]);
    CHECK(!__builtin_signbit(primal[0].real) && primal[1].real == 2.0 && cells_of(sum)[1].real == 3.0);
    sum = accumulator_sum(heap, sum, of_real(0.0));
    sum = accumulator_sum(heap, sum, dual(heap, of_real(0.0), of_real(4.0)));
    CHECK(cells_of(sum)[1].real == 7.0 && cells_of(cells_of(sum)[0])[1].real == 2.0);
    Cotangent *c = create(heap);
    cotangent_give(c, 5, 1, sum);
    cotangent_push(c, dual(heap, of_real(1.0), of_real(1.0)));
    destroy(c);
}

int main(void) {
    with_every_failure(test_sums);
    with_every_failure(test_kinds_on_pages);
    with_every_failure(test_kinds_in_rows);
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    test_map(heap);
    test_pages(heap);
    test_births(heap);
    test_fields_in_any_order(heap);
    test_fields_in_turn(heap);
    test_kinds_on_pages(heap);
    test_kinds_in_rows(heap);
    test_lanes(heap);
    test_stack(heap);
    test_sums(heap);
    heap_destroy(heap);
    return 0;
}
