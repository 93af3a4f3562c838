/* Versions against a model: a run of several lists, dictionaries and instances, which refer to one another, that keeps
 * states, drops them, looks at them, and runs from them again. */
#include "checks.h"

enum { CONTAINERS = 9, ROUNDS = 60000, KEPT = 12, MOST = 12 };

typedef struct Content {
    int64_t values[MOST]; /* by position, key or attribute; -1: none */
    int length;           /* of a list or instance */
} Content;

typedef struct Model {
    Content contents[CONTAINERS];
    Version *version; /* of a state; NULL: there is none */
} Model;

static Heap *heap;
static Machine machine;
static Value containers[CONTAINERS], names[MOST];

static Kind kind_at(int which) { return which % 3 == 0 ? LIST : which % 3 == 1 ? DICTIONARY : INSTANCE; }

/* The value i: an integer, or below CONTAINERS the container of that number. */
static Value value_at(int64_t i) { return i < CONTAINERS ? containers[i] : of_integer(i); }

static void require_value(Value v, int64_t wanted) {
    CHECK(v.tag == value_at(wanted).tag && v.integer == value_at(wanted).integer);
}

static void check_content(int which, const Content *content) {
    const Value x = containers[which];
    int entries = 0;
    for (int i = 0; i < MOST; i++) {
        const int64_t wanted = content->values[i];
        const Value operands[] = {x, kind_at(which) == INSTANCE ? names[i] : of_integer(i)};
        Value found;
        const char *name = kind_at(which) == INSTANCE ? "py.attribute" : "py.item";
        CHECK(run_native(&machine, name, operands, 2, &found, &(Note){0}) == (wanted >= 0));
        entries += wanted >= 0;
        if (wanted < 0) continue;
        require_value(found, wanted);
        drop(heap, found);
    }
    if (kind_at(which) == LIST) CHECK(list_in(x)->length == (size_t)entries);
    if (kind_at(which) == DICTIONARY) CHECK(entries_in(x)->length == (size_t)entries);
    if (kind_at(which) == INSTANCE) CHECK(python_in(instance_in(x)->layout) == LAYOUT_OF(entries));
}

static void check_all(const Model *model) {
    for (int i = 0; i < CONTAINERS; i++) check_content(i, &model->contents[i]);
}

static void update(const char *name, int which, Value second, Value third) {
    const Value operands[] = {containers[which], second, third};
    Value result;
    CHECK(run_native(&machine, name, operands, 3, &result, &(Note){0}));
    CHECK(result.object == containers[which].object);
    drop(heap, result);
}

static void change_list_of(Content *content, int which, int64_t value) {
    const int at = (int)random_below(MOST);
    if (random_below(9) == 0) {
        update("py.clear", which, nothing(), nothing());
        for (int i = 0; i < MOST; i++) content->values[i] = -1;
        content->length = 0;
    } else if (at < content->length && random_below(4) == 0) {
        update("py.delete", which, of_integer(at), nothing());
        for (int i = at; i < MOST - 1; i++) content->values[i] = content->values[i + 1];
        content->values[MOST - 1] = -1;
        content->length--;
    } else if (at < content->length) {
        update("py.set", which, of_integer(at), value_at(value));
        content->values[at] = value;
    } else if (content->length < MOST) {
        update("py.append", which, value_at(value), nothing());
        content->values[content->length++] = value;
    }
}

static void change_one(Model *model) {
    const int which = (int)random_below(CONTAINERS), key = (int)random_below(MOST);
    const int64_t value = random_below(3) ? CONTAINERS + random_below(1000) : random_below(CONTAINERS);
    Content *content = &model->contents[which];
    switch (kind_at(which)) {
    case LIST: change_list_of(content, which, value); break;
    case DICTIONARY:
        if (content->values[key] < 0 || random_below(2)) {
            update("py.set", which, of_integer(key), value_at(value));
            content->values[key] = value;
        } else {
            update("py.delete", which, of_integer(key), nothing());
            content->values[key] = -1;
        }
        break;
    default: {
        const int at = key < content->length ? key : content->length;
        if (at == MOST) break;
        const bool sets = value < CONTAINERS || random_below(2); /* a container is not put back: it is the same one */
        update(sets ? "py.set-attribute" : "py.put-back-attribute", which, names[at], value_at(value));
        content->values[at] = value;
        if (at == content->length) content->length++;
    }
    }
}

static void begin(Model *model) {
    Value result;
    for (int i = 0; i < CONTAINERS; i++) {
        for (int k = 0; k < MOST; k++) model->contents[i].values[k] = -1;
        const Value layout = new_foreign(heap, LAYOUT_OF(0), false);
        const char *name = kind_at(i) == LIST ? "py.list" : kind_at(i) == DICTIONARY ? "py.dict" : "py.new";
        CHECK(run_native(&machine, name, &layout, kind_at(i) == INSTANCE, &result, &(Note){0}));
        drop(heap, layout);
        containers[i] = result;
    }
}

static void drop_state(Model *state) {
    if (state->version) version_release(heap, state->version);
    state->version = NULL;
}

static void keep_state(const Model *model, Model *state) {
    drop_state(state);
    *state = *model;
    state->version = writer_version(heap, &machine.writer);
}

/* Looks at a state, and goes on; or runs from it. */
static void visit(Model *model, const Model *state) {
    if (!state->version) return;
    if (random_below(2)) {
        version_show(heap, state->version);
        check_all(state);
        writer_show(heap, &machine.writer);
    } else {
        writer_end(heap, &machine.writer);
        writer_begin(heap, &machine.writer, state->version);
        *model = *state;
        model->version = NULL;
    }
    check_all(model);
}

static void run(uint32_t states) {
    Model model = {0}, kept[KEPT] = {0};
    begin(&model);
    for (int round = 0; round < ROUNDS; round++) {
        change_one(&model);
        if (random_below(states) == 0) keep_state(&model, &kept[random_below(KEPT)]);
        if (random_below(2 * states) == 0) visit(&model, &kept[random_below(KEPT)]);
        if (random_below(2 * states) == 0) drop_state(&kept[random_below(KEPT)]);
        if (round % 512 == 0) check_all(&model);
        if (round % 512 == 0) heap_check(heap);
    }
    for (int i = 0; i < KEPT; i++) drop_state(&kept[i]);
    /* the containers refer to one another: what they hold is let go first */
    for (int i = 0; i < CONTAINERS; i++) {
        if (kind_at(i) != INSTANCE) {
            update("py.clear", i, nothing(), nothing());
            continue;
        }
        for (int k = 0; k < model.contents[i].length; k++) update("py.set-attribute", i, names[k], nothing());
    }
    for (int i = 0; i < CONTAINERS; i++) drop(heap, containers[i]);
}

/* A state that is kept costs what has changed since, once, however long the run goes on. */
static void test_cost(void) {
    Value list, result;
    CHECK(run_native(&machine, "py.list", NULL, 0, &list, &(Note){0}));
    for (int64_t i = 0; i < 1000; i++) {
        const Value operands[] = {list, of_integer(i)};
        CHECK(run_native(&machine, "py.append", operands, 2, &result, &(Note){0}));
        drop(heap, result);
    }
    Version *kept = writer_version(heap, &machine.writer), *last = NULL;
    const size_t before = heap->bytes;
    for (int64_t i = 0; i < 10000; i++) {
        const Value operands[] = {list, of_integer(i % 1000), of_integer(-i)};
        CHECK(run_native(&machine, "py.set", operands, 3, &result, &(Note){0}));
        drop(heap, result);
        if (i % 7) continue;
        if (last) version_release(heap, last);
        last = writer_version(heap, &machine.writer);
        CHECK(heap->bytes < before + 2 * 1000 * sizeof(Value) + 4096);
    }
    version_release(heap, last);
    CHECK(heap->bytes > before + 1000 * sizeof(Value));
    version_release(heap, kept);
    CHECK(heap->bytes < before + 4096);
    drop(heap, list);
}

/* What a cycle holds is freed with the heap. */
static void test_cycle(void) {
    Heap *own = heap_create(SIZE_MAX, &TEST_HOOKS);
    Value list, result;
    begin_machine(&machine, own);
    CHECK(run_native(&machine, "py.list", NULL, 0, &list, &(Note){0}));
    for (int i = 0; i < 100; i++) {
        const Value text = text_value(own, i), of_itself[] = {list, list}, of_text[] = {list, text};
        CHECK(run_native(&machine, "py.append", i % 2 ? of_itself : of_text, 2, &result, &(Note){0}));
        drop(own, result);
        drop(own, text);
    }
    drop(own, list);
    heap_check(own);
    CHECK(own->foreign_count == 50);
    const int before = releases();
    heap_destroy(own);
    CHECK(releases() == before + 50);
}

int main(void) {
    test_cycle();
    heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    begin_machine(&machine, heap);
    for (int i = 0; i < MOST; i++) names[i] = text_value(heap, i);
    test_cost();
    for (uint32_t seed = 0; seed < 4; seed++) {
        random_seed(seed);
        run(seed % 2 ? 5 : 200);
    }
    writer_end(heap, &machine.writer);
    for (int i = 0; i < MOST; i++) drop(heap, names[i]);
    heap_check(heap);
    CHECK(heap->foreign_count <= MOST); /* the layouts that the heap keeps */
    heap_destroy(heap);
    return 0;
}
