/* Lists against a model: changes in place, seen by all; states, whose contents are shown again, and run from again. */
#include "checks.h"

enum { MOST = 40, ROUNDS = 30000, KEPT = 8 };

typedef struct Model {
    Value list;
    int64_t items[MOST];
    size_t length;
    Version *version; /* of a state; NULL: there is none */
} Model;

static Heap *heap;
static Machine machine;
static int64_t steps = 1;

static void check_equal(const Model *model) {
    Value length, item;
    Note note;
    CHECK(run_native(&machine, "py.len", &model->list, 1, &length, &note));
    CHECK(length.integer == (int64_t)model->length);
    for (size_t i = 0; i < model->length; i++) {
        const int64_t index = random_below(2) ? (int64_t)i : (int64_t)i - (int64_t)model->length;
        const Value operands[] = {model->list, of_integer(index)};
        CHECK(run_native(&machine, "py.item", operands, 2, &item, &note));
        CHECK(kind_of(item) == INTEGER && item.integer == model->items[i]);
        CHECK(note.birth == 0 && note.field == (int64_t)i); /* an integer receives nothing */
        drop(heap, item);
    }
    const Value outside[] = {model->list, of_integer((int64_t)model->length)};
    CHECK(!run_native(&machine, "py.item", outside, 2, &item, &note));
}

/* An update: its value is the list itself, and its birth stays. */
static void update(Model *model, const char *name, Value second, Value third, Note *note) {
    const Value operands[] = {model->list, second, third};
    Value result;
    const uint64_t birth = model->list.object->birth;
    steps++;
    CHECK(run_native(&machine, name, operands, 3, &result, note));
    CHECK(result.object == operands[0].object && result.object->birth == birth);
    drop(heap, result);
}

static void append(Model *model) {
    Note note;
    if (model->length == MOST) return;
    update(model, "py.append", of_integer(steps), nothing(), &note);
    CHECK(note.field == (int64_t)model->length);
    model->items[model->length++] = steps - 1;
}

static void set(Model *model) {
    Note note;
    if (!model->length) return;
    const size_t at = random_below((uint32_t)model->length);
    update(model, "py.set", of_integer((int64_t)at - (int64_t)model->length), of_integer(-steps), &note);
    CHECK(note.field == (int64_t)at && note.birth == (int64_t)model->list.object->birth);
    model->items[at] = -(steps - 1);
}

static void delete_one(Model *model) {
    Note note;
    if (!model->length) return;
    const size_t at = random_below(2) ? model->length - 1 : random_below((uint32_t)model->length);
    update(model, "py.delete", of_integer((int64_t)at), nothing(), &note);
    model->length--;
    memmove(model->items + at, model->items + at + 1, (model->length - at) * sizeof(int64_t));
}

static void extend(Model *model) {
    Note note;
    if (2 * model->length > MOST) return;
    update(model, "py.extend", model->list, nothing(), &note);
    memcpy(model->items + model->length, model->items, model->length * sizeof(int64_t));
    model->length *= 2;
}

static void clear(Model *model) {
    if (random_below(8)) return;
    update(model, "py.clear", nothing(), nothing(), &(Note){0});
    model->length = 0;
}

static int64_t bounded(int64_t i, int64_t length) {
    if (i < 0) i += length;
    return i < 0 ? 0 : i > length ? length : i;
}

static void slice(Model *model) {
    const int64_t length = (int64_t)model->length;
    const int64_t low = (int64_t)random_below(60) - 30, high = (int64_t)random_below(60) - 30;
    const int64_t stride = 1 + random_below(3);
    const Value operands[] = {model->list, of_integer(low), of_integer(high), of_integer(stride)};
    Value result;
    CHECK(run_native(&machine, "py.slice", operands, 4, &result, &(Note){0}));
    Model cut = {.list = result};
    for (int64_t i = bounded(low, length); i < bounded(high, length); i += stride)
        cut.items[cut.length++] = model->items[i];
    check_equal(&cut);
    drop(heap, result);
}

static void drop_state(Model *kept) {
    if (!kept->version) return;
    drop(heap, kept->list);
    version_release(heap, kept->version);
    kept->version = NULL;
}

/* A state: it keeps the list with its content. */
static void keep_state(const Model *model, Model *kept) {
    drop_state(kept);
    *kept = *model;
    kept->version = writer_version(heap, &machine.writer);
    keep(kept->list);
}

/* Looks at a state while the machine goes on, or runs from it again. */
static void visit(Model *model, Model *kept) {
    if (!kept->version) return;
    version_show(heap, kept->version);
    check_equal(kept);
    if (random_below(3)) {
        writer_show(heap, &machine.writer);
        return;
    }
    writer_end(heap, &machine.writer);
    drop(heap, model->list);
    *model = *kept;
    keep(model->list);
    writer_begin(heap, &machine.writer, kept->version);
}

static void (*const UPDATES[])(Model *model) = {append, append, append, set, set, delete_one, extend, clear, slice};

static void test_against_a_model(void) {
    Model model = {0}, kept[KEPT] = {0};
    CHECK(run_native(&machine, "py.list", NULL, 0, &model.list, &(Note){0}));
    for (int round = 0; round < ROUNDS; round++) {
        UPDATES[random_below(sizeof UPDATES / sizeof *UPDATES)](&model);
        check_equal(&model);
        if (random_below(50) == 0) keep_state(&model, &kept[random_below(KEPT)]);
        if (random_below(10) == 0) visit(&model, &kept[random_below(KEPT)]);
        if (random_below(200) == 0) drop_state(&kept[random_below(KEPT)]);
        if (round % 64 == 0) heap_check(heap);
    }
    for (int i = 0; i < KEPT; i++) drop_state(&kept[i]);
    drop(heap, model.list);
}

static void test_frozen(void) {
    Value result, list = new_list(heap, 1, FROZEN);
    list_in(list)->values[0] = of_integer(1);
    const Value operands[] = {list, of_integer(0), of_integer(0)};
    const char *names[] = {"py.set", "py.append", "py.delete", "py.extend", "py.clear"};
    for (int i = 0; i < 5; i++) CHECK(!run_native(&machine, names[i], operands, 3, &result, &(Note){0}));
    CHECK(list_in(list)->length == 1);
    drop(heap, list);
}

static void test_ranges(void) {
    for (int64_t start = -3; start <= 3; start++)
        for (int64_t stop = -7; stop <= 7; stop++)
            for (int64_t step = -3; step <= 3; step++) {
                const Value bounds[] = {of_integer(start), of_integer(stop), of_integer(step)};
                Value range, list, unused[2];
                Note note;
                CHECK(run_native(&machine, "py.range", bounds, 3, &range, &note) == (step != 0));
                if (!step) continue;
                size_t length = 0;
                CHECK(run_native(&machine, "py.list-of", &range, 1, &list, &note));
                for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step, length++)
                    CHECK(list_in(list)->values[length].integer == i);
                CHECK(range_length(bounds) == length && list_in(list)->length == length);
                unused[0] = range;
                unused[1] = of_integer((int64_t)length);
                CHECK(!run_native(&machine, "py.item", unused, 2, unused, &note));
                drop(heap, list);
                drop(heap, range);
            }
}

static void test_widest_range(void) {
    const Value bounds[] = {of_integer(INT64_MIN), of_integer(INT64_MAX), of_integer(INT64_MAX)};
    CHECK(range_length(bounds) == 3 && range_item(bounds, 2) == INT64_MAX - 1);
    const Value down[] = {of_integer(INT64_MAX), of_integer(INT64_MIN), of_integer(INT64_MIN)};
    CHECK(range_length(down) == 2 && range_item(down, 1) == -1);
}

/* On a tape what copies reals says where from, or is Python's. */
static void test_notes(void) {
    Tape tape = {.heap = heap};
    Value list, result;
    Note note;
    const Value reals[] = {of_real(1.0), of_real(2.0), of_integer(3)};
    CHECK(run_native(&machine, "py.list", reals, 3, &list, &note));
    CHECK(note.birth == (int64_t)list.object->birth && note.birth == machine.births - 1);
    const Value cut[] = {list, of_integer(1), nothing(), nothing()};
    const Value rest[] = {list, of_integer(2), nothing(), nothing()};
    CHECK(run_native(&machine, "py.slice", cut, 4, &result, &note));
    CHECK(note.birth == (int64_t)list.object->birth && note.field == 1 && note.count == 2);
    CHECK(note.made == (int64_t)result.object->birth);
    drop(heap, result);
    machine.tape = &tape;
    const int64_t births = machine.births;
    CHECK(run_native(&machine, "py.slice", cut, 4, &result, &note));
    drop(heap, result);
    CHECK(machine.births == births + 1);
    const Value strided[] = {list, nothing(), nothing(), of_integer(-1)};
    CHECK(!run_native(&machine, "py.slice", strided, 4, &result, &note) && machine.births == births + 1);
    CHECK(run_native(&machine, "py.slice", rest, 4, &result, &note) && note.birth == 0);
    drop(heap, result);
    machine.tape = NULL;
    drop(heap, list);
}

int main(void) {
    heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    begin_machine(&machine, heap);
    for (uint64_t seed = 0; seed < 4; seed++) {
        random_seed(seed);
        test_against_a_model();
    }
    test_frozen();
    test_ranges();
    test_widest_range();
    test_notes();
    writer_end(heap, &machine.writer);
    heap_check(heap);
    CHECK(heap->bytes == 0);
    heap_destroy(heap);
    return 0;
}
