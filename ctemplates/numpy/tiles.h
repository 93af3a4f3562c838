/* Tiles of products of matrices, in vectors of LANES doubles, VECTORS of them side by side at most. matrices.c includes this once
 * for each width of vectors; NAMED makes names of its own of a function's, TARGET says for which processors it is. */

#if LANES == 8
#define VECTOR __m512d
#define ZEROS _mm512_setzero_pd
#define EACH _mm512_set1_pd
#define READ_ALL _mm512_loadu_pd
#define SOME __mmask8
#define READ_SOME(from, some) _mm512_maskz_loadu_pd(some, from)
#define WRITE _mm512_storeu_pd
#define FUSED_SUM _mm512_fmadd_pd
#define SUM _mm512_add_pd
#define NANS __mmask8
#define NO_NANS 0
#define WITH_NANS(nans, x) ((__mmask8)((nans) | _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)))
#define ARE_ANY(nans) ((nans) != 0)
#else
#define VECTOR __m256d
#define ZEROS _mm256_setzero_pd
#define EACH _mm256_set1_pd
#define READ_ALL _mm256_loadu_pd
#define SOME __m256i
#define READ_SOME(from, some) _mm256_maskload_pd(from, some)
#define WRITE _mm256_storeu_pd
#define FUSED_SUM _mm256_fmadd_pd
#define SUM _mm256_add_pd
#define NANS __m256d
#define NO_NANS _mm256_setzero_pd()
#define WITH_NANS(nans, x) _mm256_or_pd(nans, _mm256_cmp_pd(x, x, _CMP_UNORD_Q))
#define ARE_ANY(nans) (_mm256_movemask_pd(nans) != 0)
#endif

/* Returns the first lanes of a vector. */
static TARGET inline SOME NAMED(first_lanes)(Py_ssize_t count) {
#if LANES == 8
    return (SOME)(count < LANES ? (1 << count) - 1 : 255);
#else
    return _mm256_set_epi64x(-(count > 3), -(count > 2), -(count > 1), -(count > 0));
#endif
}

/* Adds sums to a vector of the result, or sets it; returns `nans` with its NaNs. Sums of -0 become 0, as the library's do. */
static TARGET inline NANS NAMED(set)(const Tile *t, Py_ssize_t row, Py_ssize_t first, VECTOR sum, NANS nans) {
    const Strip *strip = t->strip;
    char *at = t->row + row * t->s->down[RESULT];
    double *to = (double *)(void *)(at + strip->to[first]);
    if (strip->becomes_row && strip->count - first >= LANES) {
        sum = SUM(t->adds ? READ_ALL(to) : ZEROS(), sum);
        WRITE(to, sum);
        return WITH_NANS(nans, sum);
    }
#if LANES == 8 /* stores of some lanes of others take long on some processors */
    if (strip->becomes_row) {
        const SOME some = NAMED(first_lanes)(strip->count - first);
        sum = _mm512_maskz_add_pd(some, t->adds ? READ_SOME(to, some) : ZEROS(), sum);
        _mm512_mask_storeu_pd(to, some, sum);
        return WITH_NANS(nans, sum);
    }
#endif
    double sums[LANES] = {0.0};
    const Py_ssize_t left_over = strip->count - first, count = left_over < LANES ? left_over : LANES;
    if (t->adds) {
        for (Py_ssize_t j = 0; j < count; j++) sums[j] = real_at(at + strip->to[first + j]);
        sum = SUM(READ_ALL(sums), sum);
    } else {
        sum = SUM(ZEROS(), sum);
    }
    WRITE(sums, sum);
    for (Py_ssize_t j = 0; j < count; j++) *(double *)(void *)(at + strip->to[first + j]) = sums[j];
    return WITH_NANS(nans, sum);
}

#define WIDE_1(DO, r) DO(r, 0)
#define WIDE_2(DO, r) WIDE_1(DO, r) DO(r, 1)
#define WIDE_3(DO, r) WIDE_2(DO, r) DO(r, 2)
#define WIDE_4(DO, r) WIDE_3(DO, r) DO(r, 3)
#define LAST_1(READ) READ(0)
#define LAST_2(READ) READ_WHOLE(0) READ(1)
#define LAST_3(READ) READ_WHOLE(0) READ_WHOLE(1) READ(2)
#define LAST_4(READ) READ_WHOLE(0) READ_WHOLE(1) READ_WHOLE(2) READ(3)

#define BEGIN(r, v) VECTOR sum_##r##_##v = ZEROS();
#define PLACE(v) ((const double *)(const void *)right + (v)*LANES)
#define READ_WHOLE(v) const VECTOR right_##v = READ_ALL(PLACE(v));
#define READ_PART(v) const VECTOR right_##v = READ_SOME(PLACE(v), some);
#define ADD(r, v) sum_##r##_##v = FUSED_SUM(EACH(real_at(left + (r)*down)), right_##v, sum_##r##_##v);
#define END(r, v) nans = NAMED(set)(t, r, (v)*LANES, sum_##r##_##v, nans);

#define TILE(HEIGHT, WIDTH)                                                                                    \
    static TARGET bool NAMED(tile_##HEIGHT##_##WIDTH)(const Tile *t) {                                         \
        const Py_ssize_t down = t->s->down[LEFT], along = t->s->along[LEFT], next = t->next;                   \
        const SOME some = NAMED(first_lanes)(t->strip->count - ((WIDTH)-1) * LANES);                           \
        const char *left = t->left, *right = t->right;                                                         \
        NANS nans = NO_NANS;                                                                                   \
        ROWS_##HEIGHT(WIDE_##WIDTH, BEGIN) for (Py_ssize_t k = t->terms; k > 0; k--) {                         \
            LAST_##WIDTH(READ_PART) ROWS_##HEIGHT(WIDE_##WIDTH, ADD) left += along;                            \
            right += next;                                                                                     \
        }                                                                                                      \
        ROWS_##HEIGHT(WIDE_##WIDTH, END) return ARE_ANY(nans);                                                 \
    }

#define TILES(WIDTH) TILE(1, WIDTH) TILE(2, WIDTH) TILE(4, WIDTH)
TILES(1)
TILES(2)
TILES(3)
TILE(8, 1)
#if LANES == 8
TILES(4)
TILE(8, 2)
TILE(8, 3)
#endif

typedef bool NAMED(SetTile)(const Tile *t);

/* By the vectors of a strip, and by the logarithm of the rows. */
static NAMED(SetTile) *const NAMED(BY_SIZE)[VECTORS][4] = {
    {NAMED(tile_1_1), NAMED(tile_2_1), NAMED(tile_4_1), NAMED(tile_8_1)},
#if LANES == 8
    {NAMED(tile_1_2), NAMED(tile_2_2), NAMED(tile_4_2), NAMED(tile_8_2)},
    {NAMED(tile_1_3), NAMED(tile_2_3), NAMED(tile_4_3), NAMED(tile_8_3)},
    {NAMED(tile_1_4), NAMED(tile_2_4), NAMED(tile_4_4), NULL},
#else
    {NAMED(tile_1_2), NAMED(tile_2_2), NAMED(tile_4_2), NULL},
    {NAMED(tile_1_3), NAMED(tile_2_3), NAMED(tile_4_3), NULL},
#endif
};

/* Sets all rows of a strip, the tallest tiles first; returns whether there is a NaN. */
static bool NAMED(set_strip)(Tile t) {
    NAMED(SetTile) *const *by_height = NAMED(BY_SIZE)[(t.strip->count - 1) / LANES];
    Py_ssize_t left_over = t.s->rows;
    bool has_nan = false;
    for (int height = 3; height >= 0; height--) {
        const Py_ssize_t rows = (Py_ssize_t)1 << height;
        for (; by_height[height] && rows <= left_over; left_over -= rows) {
            if (t.ahead) fetch_some(t.ahead);
            has_nan |= by_height[height](&t);
            t.left += rows * t.s->down[LEFT];
            t.row += rows * t.s->down[RESULT];
        }
    }
    return has_nan;
}

/* Sets some rows of a product, from so many terms of each sum; returns whether there is a NaN. */
static bool NAMED(set_rows)(const Stacks *s, char *const *part, Py_ssize_t terms, bool adds, Ahead *ahead) {
    enum { WIDTH = VECTORS * LANES };
    double panel[PART * WIDTH];
    const Py_ssize_t all = s->columns * s->shared;
    bool has_nan = false;
    if (ahead) share_among_tiles(ahead, (s->rows + 3) / 4 * ((all + WIDTH - 1) / WIDTH));
    for (Py_ssize_t column = 0; column < all; column += WIDTH) {
        const Strip strip = strip_from(s, part, column, WIDTH);
        Tile t = {s, &strip, part[LEFT], strip.from[0], part[RESULT], s->down[RIGHT], terms, adds, ahead};
        if (!strip.is_row) {
            fill_panel(&t, panel, WIDTH);
            t.right = (const char *)panel;
            t.next = WIDTH * sizeof(double);
        }
        has_nan |= NAMED(set_strip)(t);
    }
    return has_nan;
}

/* Sets a product, and returns whether it has a NaN. */
static bool NAMED(multiply)(const Stacks *s, char *const *at) {
    const bool looks = are_far(s);
    bool has_nan = false;
    for (Py_ssize_t first = 0, terms; first < s->terms; first += terms) {
        terms = terms_of_part(s->terms - first);
        Stacks some = *s;
        for (Py_ssize_t row = 0; row < s->rows; row += some.rows) {
            some.rows = looks ? rows_of_block(s->rows - row, terms) : s->rows;
            char *const part[PLACES] = {at[LEFT] + first * s->along[LEFT] + row * s->down[LEFT],
                                        at[RIGHT] + first * s->down[RIGHT], at[RESULT] + row * s->down[RESULT]};
            Ahead ahead[PLACES];
            if (looks) look_ahead(s, at, (Place){first, row}, (Place){terms, some.rows}, ahead);
            has_nan |= NAMED(set_rows)(&some, part, terms, first > 0, looks ? ahead : NULL);
        }
    }
    return has_nan;
}

#undef LANES
#undef VECTORS
#undef NAMED
#undef TARGET
#undef VECTOR
#undef ZEROS
#undef EACH
#undef READ_ALL
#undef SOME
#undef READ_SOME
#undef WRITE
#undef FUSED_SUM
#undef SUM
#undef NANS
#undef NO_NANS
#undef WITH_NANS
#undef ARE_ANY
#undef WIDE_1
#undef WIDE_2
#undef WIDE_3
#undef WIDE_4
#undef LAST_1
#undef LAST_2
#undef LAST_3
#undef LAST_4
#undef BEGIN
#undef PLACE
#undef READ_WHOLE
#undef READ_PART
#undef ADD
#undef END
#undef TILE
#undef TILES
