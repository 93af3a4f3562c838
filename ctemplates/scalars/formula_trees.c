/* Reductions in the tree of `reduce`: see formula_trees.h.
 *
 * Level 0 has the items; on each level neighbours are combined to an item of the next one. The last item of a level that has
 * an odd number is combined with what was left over from the levels below, if anything was, and is left over itself. At the
 * end the item of the last level is combined with what is left over.
 *
 * A stage is some levels in a row. A tile is as many items of a stage's first level as become LEAST behind its last one, so
 * no level has few items but those of the last stage, which is one tile. The last tile of a stage has what is left over.
 *
 * What always holds: `left[k]` has what is left over behind level k, where `is_left(tree, k + 1)`.
 */
#include "scalars/formula_trees.h"

#include <stdlib.h>
#include <string.h>

#include "threads/portions.h"

enum {
    LEAST = 128,     /* items behind a stage's last level: some blocks of formulas.c */
    MOST_LEVELS = 5, /* of a stage: a tile of four columns and its cotangents are 256 KiB */
    MOST_STAGES = 64
};

typedef struct Stage {
    int64_t count, tile; /* items of the first level, of a tile's first level */
    int first, levels; /* the number of that level; how many levels have their pairs combined */
    const FormulaColumn *items, *made;     /* of the first level, of the one behind the last */
    const FormulaColumn *received, *given; /* their cotangents */
} Stage;

typedef struct Tree {
    const Formula *pair, *pulled; /* pulled: NULL where nothing is reversed */
    int64_t items;
    int32_t width;
    double *left, *received; /* received: the cotangent of what is left over behind the level at hand */
    Stage stages[MOST_STAGES];
    int stage_count;
    void *memory[2 * MOST_STAGES + 1]; /* all that is to be freed */
    int memory_count;
} Tree;

/* What a thread computes with. values, cotangents: of each level of a tile its columns. */
typedef struct Tile {
    FormulaPlaces pair, pulled;
    FormulaColumn *step, *last; /* columns of one step; of the last item of a level */
    FormulaColumn *values, *cotangents;
    double *room;
} Tile;

/* Returns whether something is left over from the levels before this one. */
static bool is_left(const Tree *tree, int level) { return tree->items & ((INT64_C(1) << level) - 1); }
static double *left_behind(const Tree *tree, int level) { return tree->left + (size_t)level * (size_t)tree->width; }
static int levels_of(int64_t items) { return 63 - __builtin_clzll((uint64_t)items); }

/* Columns */

/* Appends columns whose items are `step` items of others apart, from the item at `start` on; returns the end. */
static FormulaColumn *append(FormulaColumn *to, const FormulaColumn *from, int32_t width, int64_t start, int64_t step) {
    for (int32_t i = 0; i < width; i++)
        *to++ = (FormulaColumn){from[i].reals + start * from[i].stride, from[i].stride * step};
    return to;
}
/* Appends columns of reals that lie in rows, one row behind the other; returns the end. */
static FormulaColumn *append_rows(FormulaColumn *to, double *reals, int32_t width, int64_t length) {
    for (int32_t i = 0; i < width; i++) *to++ = (FormulaColumn){(char *)(reals + i * length), sizeof(double)};
    return to;
}
static void copy_item(int32_t width, const FormulaColumn *from, const FormulaColumn *to) {
    for (int32_t i = 0; i < width; i++) memcpy(to[i].reals, from[i].reals, sizeof(double));
}

/* Steps: each returns false if it fails */

/* Combines the pairs of a level. */
static bool combine(const Tree *tree, Tile *tile, const FormulaColumn *level, const FormulaColumn *to, int64_t pairs) {
    const int32_t width = tree->width;
    FormulaColumn *end = append(append(tile->step, level, width, 0, 2), level, width, 1, 2);
    append(end, to, width, 0, 1);
    return formula_items(&tile->pair, tile->step, 0, pairs);
}
/* Combines an item with what is left over. */
static bool combine_last(const Tree *tree, Tile *tile, const FormulaColumn *item, double *left, const FormulaColumn *to) {
    const int32_t width = tree->width;
    append(append_rows(append(tile->step, item, width, 0, 1), left, width, 1), to, width, 0, 1);
    return formula_items(&tile->pair, tile->step, 0, 1);
}
/* Computes the cotangents of the pairs of a level. */
static bool pull(const Tree *tree, Tile *tile, const FormulaColumn *level, const FormulaColumn *given, const FormulaColumn *to,
                 int64_t pairs) {
    const int32_t width = tree->width;
    FormulaColumn *end = append(append(tile->step, level, width, 0, 2), level, width, 1, 2);
    append(append(append(end, given, width, 0, 1), to, width, 0, 2), to, width, 1, 2);
    return formula_items(&tile->pulled, tile->step, 0, pairs);
}
/* Computes the cotangents of an item, and of what it was combined with, which is what is received from now on. */
static bool pull_last(const Tree *tree, Tile *tile, const FormulaColumn *item, double *left, const FormulaColumn *given,
                      const FormulaColumn *to) {
    const int32_t width = tree->width;
    FormulaColumn *end = append_rows(append(tile->step, item, width, 0, 1), left, width, 1);
    append_rows(append(append(end, given, width, 0, 1), to, width, 0, 1), tree->received, width, 1);
    return formula_items(&tile->pulled, tile->step, 0, 1);
}

/* Tiles */

static bool tile_begin(Tile *tile, const Tree *tree, int levels, int64_t items) {
    const size_t width = (size_t)tree->width, of_levels = width * ((size_t)levels + 1);
    const size_t columns = 8 * width + 2 * of_levels, reals = 2 * width * (size_t)items;
    memset(tile, 0, sizeof *tile);
    tile->step = malloc(columns * sizeof *tile->step + reals * sizeof *tile->room);
    if (!tile->step) return false;
    tile->last = tile->step + 5 * width;
    tile->values = tile->last + 3 * width;
    tile->cotangents = tile->values + of_levels;
    tile->room = (double *)(void *)(tile->cotangents + of_levels);
    if (!formula_places_begin(&tile->pair, tree->pair)) return false;
    return !tree->pulled || formula_places_begin(&tile->pulled, tree->pulled);
}
static void tile_end(Tile *tile) {
    formula_places_end(&tile->pair);
    formula_places_end(&tile->pulled);
    free(tile->step);
}

/* Enters where the levels of the tile at an item are: the first and the last one in those of all, the others in a room, of
 * which it returns the rest. */
static double *place_levels(FormulaColumn *to, const Tree *tree, const Stage *stage, const FormulaColumn *first,
                            const FormulaColumn *last, int64_t start, double *room) {
    to = append(to, first, tree->width, start, 1);
    for (int k = 1; k < stage->levels; k++) {
        to = append_rows(to, room, tree->width, stage->tile >> k);
        room += tree->width * (stage->tile >> k);
    }
    append(to, last, tree->width, start >> stage->levels, 1);
    return room;
}

/* Makes what is left over behind a level, of which a tile has the last `count` items. */
static bool leave_over(const Tree *tree, Tile *tile, const FormulaColumn *level, int64_t count, int number) {
    const int32_t width = tree->width;
    double *before = is_left(tree, number) ? left_behind(tree, number - 1) : NULL, *to = left_behind(tree, number);
    if (count % 2 == 0) {
        if (before) memcpy(to, before, (size_t)width * sizeof *to);
        return true;
    }
    FormulaColumn *behind = append(tile->last, level, width, count - 1, 1);
    append_rows(behind, to, width, 1);
    if (before) return combine_last(tree, tile, tile->last, before, behind);
    copy_item(width, tile->last, behind);
    return true;
}
/* Computes the cotangents of the last of `count` items of a tile's level, and of what was left over before it. */
static bool take_back(const Tree *tree, Tile *tile, int k, int64_t count, int number) {
    const int32_t width = tree->width;
    if (count % 2 == 0) return true;
    FormulaColumn *to = append(tile->last, tile->values + k * width, width, count - 1, 1);
    FormulaColumn *given = append(to, tile->cotangents + k * width, width, count - 1, 1);
    append_rows(given, tree->received, width, 1);
    if (is_left(tree, number)) return pull_last(tree, tile, tile->last, left_behind(tree, number - 1), given, to);
    copy_item(width, given, to);
    return true;
}

/* A tree and one of its stages. */
typedef struct Work {
    const Tree *tree;
    const Stage *stage;
} Work;

/* Combines the items of a tile, level by level. */
static bool fold_tile(const Work *work, Tile *tile, int64_t start) {
    const Stage *stage = work->stage;
    const int64_t rest = stage->count - start;
    const int32_t width = work->tree->width;
    int64_t count = rest < stage->tile ? rest : stage->tile;
    place_levels(tile->values, work->tree, stage, stage->items, stage->made, start, tile->room);
    for (int k = 0; k < stage->levels; k++, count /= 2) {
        const FormulaColumn *level = tile->values + k * width;
        if (rest <= stage->tile && !leave_over(work->tree, tile, level, count, stage->first + k)) return false;
        if (!combine(work->tree, tile, level, level + width, count / 2)) return false;
    }
    return true;
}
/* Combines them again, and computes their cotangents from the last level on. */
static bool pull_tile(const Work *work, Tile *tile, int64_t start) {
    const Stage *stage = work->stage;
    const int64_t rest = stage->count - start, count = rest < stage->tile ? rest : stage->tile;
    const int32_t width = work->tree->width;
    double *room = place_levels(tile->values, work->tree, stage, stage->items, stage->made, start, tile->room);
    place_levels(tile->cotangents, work->tree, stage, stage->received, stage->given, start, room);
    for (int k = 0; k < stage->levels - 1; k++) {
        const FormulaColumn *level = tile->values + k * width;
        if (!combine(work->tree, tile, level, level + width, (count >> k) / 2)) return false;
    }
    for (int k = stage->levels - 1; k >= 0; k--) {
        const FormulaColumn *to = tile->cotangents + k * width;
        if (!pull(work->tree, tile, tile->values + k * width, to + width, to, (count >> k) / 2)) return false;
        if (rest <= stage->tile && !take_back(work->tree, tile, k, count >> k, stage->first + k)) return false;
    }
    return true;
}

static FormulaOutcome do_tiles(const void *context, int64_t start, int64_t end, bool (*each)(const Work *, Tile *, int64_t)) {
    const Work *work = context;
    Tile tile;
    const bool begun = tile_begin(&tile, work->tree, work->stage->levels, work->stage->tile);
    bool finite = begun;
    for (int64_t i = start; finite && i < end; i++) finite = each(work, &tile, i * work->stage->tile);
    tile_end(&tile);
    return !begun ? FORMULA_REFUSED : finite ? FORMULA_DONE : FORMULA_NOT_FINITE;
}
static int fold_tiles(const void *context, int64_t start, int64_t end) {
    return do_tiles(context, start, end, fold_tile);
}
static int pull_tiles(const void *context, int64_t start, int64_t end) {
    return do_tiles(context, start, end, pull_tile);
}

static FormulaOutcome do_stage(const Tree *tree, const Stage *stage, DoRange *range, int64_t effort) {
    const Work work = {tree, stage};
    return (FormulaOutcome)do_in_portions(range, &work, (stage->count - 1) / stage->tile + 1, effort * stage->tile, 1);
}

/* Trees */

static void *allocate(Tree *tree, size_t bytes) {
    void *memory = malloc(bytes);
    if (memory) tree->memory[tree->memory_count++] = memory;
    return memory;
}
/* Returns columns with room for so many items; NULL: there is no memory. */
static const FormulaColumn *new_columns(Tree *tree, int64_t items) {
    const size_t columns = (size_t)tree->width * sizeof(FormulaColumn);
    FormulaColumn *made = allocate(tree, columns + (size_t)tree->width * (size_t)items * sizeof(double));
    if (made) append_rows(made, (double *)(void *)((char *)made + columns), tree->width, items);
    return made;
}
/* Divides the levels into stages. received: where the cotangents of the items go; NULL: nothing is reversed. */
static bool tree_begin(Tree *tree, const FormulaColumn *items, const FormulaColumn *received) {
    const int levels = levels_of(tree->items);
    tree->left = allocate(tree, (size_t)(levels + 1) * (size_t)tree->width * sizeof *tree->left);
    if (!tree->left) return false;
    tree->received = left_behind(tree, levels);
    for (int level = 0; level < levels; tree->stage_count++) {
        Stage *stage = &tree->stages[tree->stage_count];
        *stage = (Stage){.count = tree->items >> level, .first = level, .items = items, .received = received};
        const bool is_last = stage->count < 2 * LEAST;
        stage->levels = is_last ? levels_of(stage->count) : 1;
        while (!is_last && stage->levels < MOST_LEVELS && stage->count >> (stage->levels + 1) >= LEAST) stage->levels++;
        stage->tile = (is_last ? INT64_C(2) : LEAST) << stage->levels;
        level += stage->levels;
        items = stage->made = new_columns(tree, tree->items >> level);
        if (received) received = stage->given = new_columns(tree, tree->items >> level);
        if (!items || (stage->received && !received)) return false;
    }
    return true;
}
static void tree_end(Tree *tree) {
    while (tree->memory_count) free(tree->memory[--tree->memory_count]);
}

/* Combines all items, but for the last one and what is left over. */
static FormulaOutcome fold(Tree *tree) {
    FormulaOutcome outcome = FORMULA_DONE;
    const int64_t effort = formula_effort(tree->pair);
    for (int i = 0; i < tree->stage_count && outcome == FORMULA_DONE; i++)
        outcome = do_stage(tree, &tree->stages[i], fold_tiles, effort);
    return outcome;
}
static FormulaOutcome unfold(Tree *tree) {
    FormulaOutcome outcome = FORMULA_DONE;
    const int64_t effort = formula_effort(tree->pair) + formula_effort(tree->pulled);
    for (int i = tree->stage_count; i-- > 0 && outcome == FORMULA_DONE;)
        outcome = do_stage(tree, &tree->stages[i], pull_tiles, effort);
    return outcome;
}

/* Does what is behind the last level: makes the result, or the cotangents of what it is made of. */
static FormulaOutcome do_top(const Tree *tree, const FormulaColumn *top, const FormulaColumn *given, const FormulaColumn *to) {
    const int levels = levels_of(tree->items);
    Tile tile;
    const bool begun = tile_begin(&tile, tree, 0, 0);
    bool finite = begun;
    if (begun && !is_left(tree, levels))
        copy_item(tree->width, given ? given : top, to);
    else if (begun)
        finite = given ? pull_last(tree, &tile, top, left_behind(tree, levels - 1), given, to)
                       : combine_last(tree, &tile, top, left_behind(tree, levels - 1), to);
    tile_end(&tile);
    return !begun ? FORMULA_REFUSED : finite ? FORMULA_DONE : FORMULA_NOT_FINITE;
}

FormulaOutcome formula_reduce(const Formula *pair, const FormulaColumn *columns, int64_t items) {
    Tree tree = {.pair = pair, .items = items, .width = pair->results};
    const FormulaColumn *top = columns;
    FormulaOutcome outcome = tree_begin(&tree, columns, NULL) ? fold(&tree) : FORMULA_REFUSED;
    if (tree.stage_count) top = tree.stages[tree.stage_count - 1].made;
    if (outcome == FORMULA_DONE) outcome = do_top(&tree, top, NULL, columns + tree.width);
    tree_end(&tree);
    return outcome;
}

FormulaOutcome formula_reduce_reversed(const Formula *pair, const Formula *pulled, const FormulaColumn *columns, int64_t items) {
    Tree tree = {.pair = pair, .pulled = pulled, .items = items, .width = pair->results};
    const FormulaColumn *given = columns + tree.width, *received = given + tree.width, *top = columns, *to = received;
    FormulaOutcome outcome = tree_begin(&tree, columns, received) ? fold(&tree) : FORMULA_REFUSED;
    if (tree.stage_count) {
        top = tree.stages[tree.stage_count - 1].made;
        to = tree.stages[tree.stage_count - 1].given;
    }
    if (outcome == FORMULA_DONE) outcome = do_top(&tree, top, given, to);
    if (outcome == FORMULA_DONE) outcome = unfold(&tree);
    tree_end(&tree);
    return outcome;
}
