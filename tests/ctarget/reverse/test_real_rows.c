/* Fields in a row, given to and taken at once, against a plain table; and, where the first, second, ... allocation fails,
 * that all is freed (checks.h).
 */
#include "cotangent_model.h"

#include "state/cotangent_rows.h"

enum { LONG = 300, FEW_ROWS = 3, TURNS = 5000 };

/* A row is what its fields are one by one, whether there are pages or not. */
static void test_rows(Heap *heap) {
    double given[LONG], taken[LONG];
    Cotangent *c = create(heap);
    for (int i = 0; i < LONG; i++) given[i] = i / 7.0;
    for (int round = 0; round < 3; round++) {
        cotangent_give(c, 9, 70, of_real(0.5));
        cotangent_give_row(c, 9, LONG - round * 40, given);
        cotangent_give_row(c, 9, 20, given);
        cotangent_give(c, 9, 71, of_real(0.25));
        const int64_t count = LONG - round * 100;
        cotangent_take_row(c, 9, 0, count, taken);
        for (int i = 0; i < count; i++) {
            const double want = i < LONG - round * 40 ? given[i] * (1 + (i < 20)) : 0.0;
            CHECK(taken[i] == (i == 70 ? 0.5 + want : i == 71 ? want + 0.25 : want));
        }
        for (int64_t i = count; i < LONG; i++) cotangent_take(c, 9, i);
        CHECK(c->page_count == 0 && c->map.count == 0);
    }
    destroy(c);
}

/* So is a row that begins and ends within pages; what is beside it stays. */
static void test_parts_of_rows(Heap *heap) {
    double given[LONG], taken[LONG];
    Cotangent *c = create(heap);
    for (int i = 0; i < LONG; i++) given[i] = i / 7.0;
    for (int64_t first = 0; first < LONG; first += 37)
        for (int64_t count = 0; count <= LONG - first; count += 51) {
            cotangent_give_row(c, 9, LONG - 40, given);
            cotangent_give(c, 9, LONG - 2, of_real(0.5));
            cotangent_take_row(c, 9, first, count, taken);
            for (int64_t i = 0; i < LONG; i++) {
                const double want = i < LONG - 40 ? given[i] : i == LONG - 2 ? 0.5 : 0.0;
                const bool is_taken = i >= first && i < first + count;
                if (is_taken) CHECK(taken[i - first] == want);
                CHECK(cotangent_take(c, 9, i).real == (is_taken ? 0.0 : want));
            }
            CHECK(c->page_count == 0 && c->map.count == 0);
        }
    destroy(c);
}

/* Fields in a row receive from any of them on; those that receive zeros have no accumulator, and no page is left without one. */
static void test_given_parts(Heap *heap) {
    double given[LONG];
    Cotangent *c = create(heap);
    for (int i = 0; i < LONG; i++) given[i] = i % 3 && (i < 60 || i > 150) ? i / 7.0 : 0.0;
    for (int64_t first = 0; first < LONG; first += 37)
        for (int64_t count = 0; count <= LONG - first; count += 51) {
            cotangent_give(c, 9, first + 1, of_real(0.5));
            if (count % 2) cotangent_expect(c, 9, first, count);
            cotangent_give_fields(c, 9, first, count, given);
            cotangent_give_fields(c, 0, first, count, given);
            for (int64_t i = 0; i < count; i++) {
                const bool is_there = given[i] != 0.0 || i == 1;
                CHECK(!cotangent_find(c, 9, first + i) == !is_there);
                CHECK(cotangent_take(c, 9, first + i).real == given[i] + (i == 1 ? 0.5 : 0.0));
            }
            if (count < 2) CHECK(cotangent_take(c, 9, first + 1).real == 0.5);
            CHECK(c->page_count == 0 && c->map.count == 0);
        }
    destroy(c);
}

/* Rows of reals are what their fields are one by one, however these are given, looked for and taken meanwhile. */
static void test_reals(Heap *heap) {
    static Plain own[FEW_ROWS][LONG];
    double some[LONG];
    Cotangent *c = create(heap);
    memset(own, 0, sizeof own);
    random_seed(17);
    size_t rows = 0, ends = 0;
    for (int i = 0; i < TURNS; i++) {
        const uint32_t b = random_below(FEW_ROWS), kind = random_below(8), first = kind % 3 ? random_below(LONG) : 0;
        const uint32_t length = random_below(3) ? LONG - first : random_below(LONG - first) + 1;
        for (uint32_t k = 0; k < length; k++) some[k] = random_below(9) ? (double)(1 + random_below(100)) / 3.0 : 0.0;
        if (kind < 3) {
            cotangent_give_fields(c, b + 1, first, length, some);
            for (uint32_t k = 0; k < length; k++)
                if (some[k] != 0.0)
                    own[b][first + k] =
                        (Plain){true, (own[b][first + k].there ? own[b][first + k].cotangent : 0.0) + some[k]};
        } else if (kind < 6) {
            if (kind == 5) CHECK(cotangent_has_reals(c, b + 1, LONG));
            cotangent_take_row(c, b + 1, first, length, some);
            for (uint32_t k = 0; k < length; k++) {
                CHECK(some[k] == (own[b][first + k].there ? own[b][first + k].cotangent : 0.0));
                own[b][first + k] = (Plain){false, 0.0};
            }
        } else if (kind == 6 && random_below(9) == 0) {
            for (uint32_t k = 0; k < 3; k++) one_turn(c, b + UINT64_C(1), first, &own[b][first]);
        } else {
            const double taken = cotangent_take(c, b + 1, LONG - 1).real;
            CHECK(taken == (own[b][LONG - 1].there ? own[b][LONG - 1].cotangent : 0.0));
            own[b][LONG - 1] = (Plain){false, 0.0};
        }
        if (c->real_row_count > rows) rows = c->real_row_count;
        ends += c->page_count == c->real_row_count && c->real_row_count > 0;
    }
    CHECK(rows == FEW_ROWS && ends > 0);
    CHECK(cotangent_left_over(c, 0) > 0);
    for (uint32_t b = 0; b < FEW_ROWS; b++)
        for (int64_t f = 0; f < LONG; f++)
            CHECK(cotangent_take(c, b + UINT64_C(1), f).real == (own[b][f].there ? own[b][f].cotangent : 0.0));
    CHECK(c->real_row_count == 0 && c->page_count == 0 && c->map.count == 0 && cotangent_left_over(c, 0) == 0);
    destroy(c);
}

/* What is left in a row of reals is freed with the cotangent; a dual makes the row into pages. */
static void test_reals_and_others(Heap *heap) {
    double given[LONG];
    Cotangent *c = create(heap);
    for (int i = 0; i < LONG; i++) given[i] = i == 7 ? 0.0 : i / 7.0;
    cotangent_give_row(c, 3, LONG, given);
    cotangent_give_row(c, 5, LONG, given);
    CHECK(c->real_row_count == 2 && cotangent_left_over(c, 4) == LONG - 2);
    cotangent_give(c, 3, 7, dual(heap, of_real(1.0), of_real(2.0)));
    CHECK(c->real_row_count == 1 && !cotangent_has_reals(c, 3, LONG) && cotangent_has_reals(c, 3, 7));
    const Value taken = cotangent_take(c, 3, 7);
    CHECK(cells_of(taken)[0].real == 1.0 && cells_of(taken)[1].real == 2.0);
    drop(heap, taken);
    destroy(c);
}

int main(void) {
    with_every_failure(test_reals_and_others);
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    test_parts_of_rows(heap);
    test_given_parts(heap);
    test_rows(heap);
    test_reals(heap);
    test_reals_and_others(heap);
    heap_destroy(heap);
    return 0;
}
