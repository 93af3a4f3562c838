/* Dictionaries against a model that searches from the first entry on; keys of every kind, equal ones of several. */
#include "checks.h"

enum { KEYS = 40, ROUNDS = 40000, KEPT = 6 };

typedef struct Model {
    Value dictionary;
    int keys[KEYS];
    int64_t values[KEYS];
    int length;
    Version *version; /* of a state; NULL: there is none */
} Model;

static Heap *heap;
static Machine machine;
static int64_t steps = 1;

static int64_t field_of(Value key) { return key_field(heap, key, KEYS_OF_PROGRAMS); }

static Value tuple_value(Value first, Value second, Value layout) {
    Cells *cells = new_cells(heap, RECORD, 3);
    cells->cells[0] = layout;
    cells->cells[1] = first;
    cells->cells[2] = second;
    cells->head.birth = random_below(2) ? 77 : 0;
    return of_object(RECORD, cells);
}

static Value tuple_layout(void) {
    return random_below(2) ? nothing() : new_foreign(heap, TUPLE_LAYOUT, false);
}

static Value pair_value(Value second) { return tuple_value(of_integer(1), second, tuple_layout()); }

/* A new key of the class `number`: equal to all others of it. */
static Value key_value(int number) {
    const int64_t i = number / 8;
    switch (number % 8) {
    case 0: return i < 2 && random_below(2) ? of_boolean(i) : of_integer(i);
    case 1: return i ? of_integer(-i) : nothing();
    case 2: return text_value(heap, (int)i);
    case 3: return large_value(heap, (int)i);
    case 4: return of_integer(i % 2 ? INT64_MAX - i : INT64_MIN + i);
    case 5: return tuple_value(random_below(2) ? of_boolean(1) : of_integer(1), of_integer(i), tuple_layout());
    case 6: return tuple_value(pair_value(text_value(heap, (int)i)), nothing(), nothing());
    default: return pair_value(tuple_value(text_value(heap, (int)i), nothing(), nothing()));
    }
}

static int find(const Model *model, int key) {
    for (int i = 0; i < model->length; i++)
        if (model->keys[i] == key) return i;
    return -1;
}

static void check_key(const Model *model, int key) {
    Value found = nothing();
    Note note = {0};
    const int place = find(model, key);
    const Value operands[] = {model->dictionary, key_value(key)};
    CHECK(run_native(&machine, "py.contains", operands, 2, &found, &note));
    CHECK(found.integer == (place >= 0));
    CHECK(run_native(&machine, "py.item", operands, 2, &found, &note) == (place >= 0));
    if (place >= 0) {
        CHECK(found.integer == model->values[place]);
        CHECK(note.field == field_of(operands[1]) && note.birth == 0); /* an integer receives nothing */
    }
    drop(heap, operands[1]);
}

/* Returns whether C makes values of all keys; it may leave large numbers and tuples in tuples to Python. */
static bool must_give_keys(const Model *model) {
    for (int i = 0; i < model->length; i++) {
        const int form = model->keys[i] % 8;
        if (form == 3 || form > 5) return false;
    }
    return true;
}

static void check_order(const Model *model) {
    Value keys, values;
    Note note;
    const bool given = run_native(&machine, "py.keys", &model->dictionary, 1, &keys, &note);
    CHECK(given || !must_give_keys(model));
    if (!given) return;
    CHECK(run_native(&machine, "py.values", &model->dictionary, 1, &values, &note));
    CHECK(keys.object->length == (uint32_t)model->length + 1 && values.object->length == keys.object->length);
    for (int i = 0; i < model->length; i++) {
        const Value key = key_value(model->keys[i]);
        CHECK(field_of(cells_of(keys)[i + 1]) == field_of(key));
        CHECK(cells_of(values)[i + 1].integer == model->values[i]);
        drop(heap, key);
    }
    drop(heap, keys);
    drop(heap, values);
}

static void change(Model *model, const char *name, int key, Value value) {
    const Value operands[] = {model->dictionary, key_value(key), value};
    Value result;
    Note note;
    steps++;
    CHECK(run_native(&machine, name, operands, 3, &result, &note));
    CHECK(result.object == operands[0].object);
    drop(heap, operands[0]);
    drop(heap, operands[1]);
}

static void set(Model *model, int key) {
    int place = find(model, key);
    change(model, "py.set", key, of_integer(steps));
    if (place < 0) {
        place = model->length++;
        model->keys[place] = key;
    }
    model->values[place] = steps - 1;
}

static void remove_key(Model *model, int key) {
    const int place = find(model, key);
    if (place < 0) return;
    change(model, "py.delete", key, nothing());
    model->length--;
    for (int i = place; i < model->length; i++) {
        model->keys[i] = model->keys[i + 1];
        model->values[i] = model->values[i + 1];
    }
}

static void step(Model *model) {
    const int key = (int)random_below(KEYS);
    const uint32_t what = random_below(100);
    if (what == 0) {
        change(model, "py.clear", key, nothing());
        model->length = 0;
    } else if (what < 2) {
        Value copy;
        CHECK(run_native(&machine, "py.copy", &model->dictionary, 1, &copy, &(Note){0}));
        drop(heap, model->dictionary);
        model->dictionary = copy;
    } else if (what < 55) {
        set(model, key);
    } else {
        remove_key(model, key);
    }
}

static void drop_state(Model *kept) {
    if (!kept->version) return;
    drop(heap, kept->dictionary);
    version_release(heap, kept->version);
    kept->version = NULL;
}

/* A state: it keeps the dictionary with its content. */
static void keep_state(const Model *model, Model *kept) {
    drop_state(kept);
    *kept = *model;
    kept->version = writer_version(heap, &machine.writer);
    keep(kept->dictionary);
}

/* Looks at a state while the machine goes on, or runs from it again. */
static void visit(Model *model, Model *kept) {
    if (!kept->version) return;
    version_show(heap, kept->version);
    check_key(kept, (int)random_below(KEYS));
    check_order(kept);
    if (random_below(3)) {
        writer_show(heap, &machine.writer);
        return;
    }
    writer_end(heap, &machine.writer);
    drop(heap, model->dictionary);
    *model = *kept;
    keep(model->dictionary);
    writer_begin(heap, &machine.writer, kept->version);
}

static void run(void) {
    Model model = {0}, kept[KEPT] = {0};
    CHECK(run_native(&machine, "py.dict", NULL, 0, &model.dictionary, &(Note){0}));
    for (int round = 0; round < ROUNDS; round++) {
        step(&model);
        check_key(&model, (int)random_below(KEYS));
        if (random_below(60) == 0) keep_state(&model, &kept[random_below(KEPT)]);
        if (round % 16 == 0) visit(&model, &kept[random_below(KEPT)]);
        if (round % 16 == 8) check_order(&model);
        if (round % 64 == 0) heap_check(heap);
    }
    for (int i = 0; i < KEPT; i++) drop_state(&kept[i]);
    drop(heap, model.dictionary);
}

static void test_fields(void) {
    for (int i = 0; i < KEYS; i++)
        for (int j = 0; j < KEYS; j++) {
            const Value a = key_value(i), b = key_value(j);
            CHECK((field_of(a) == field_of(b)) == (i == j));
            drop(heap, a);
            drop(heap, b);
        }
    const Value real = tuple_value(of_integer(1), tuple_value(of_real(1.0), nothing(), nothing()), nothing());
    CHECK(field_of(real) == NO_FIELD && field_of(of_real(1.0)) == NO_FIELD);
    drop(heap, real);
}

static void test_deep_key(void) {
    int64_t fields[2];
    for (int time = 0; time < 2; time++) {
        Value key = nothing();
        for (int i = 0; i < 5000; i++) key = tuple_value(key, of_integer(i), nothing());
        fields[time] = field_of(key);
        drop(heap, key);
    }
    CHECK(fields[0] == fields[1] && fields[0] != NO_FIELD);
}

/* Memory ends at every allocation in turn: what was held is freed with the heap. */
static bool survives(void) {
    jmp_buf place;
    heap->escape = &place;
    if (setjmp(place)) return false;
    Model model = {0};
    Version *kept = NULL;
    begin_machine(&machine, heap);
    random_seed(9);
    CHECK(run_native(&machine, "py.dict", NULL, 0, &model.dictionary, &(Note){0}));
    for (int i = 0; i < 60; i++) {
        step(&model);
        if (i % 16 == 0) {
            if (kept) version_release(heap, kept);
            kept = writer_version(heap, &machine.writer);
        }
    }
    drop(heap, model.dictionary);
    version_release(heap, kept);
    writer_end(heap, &machine.writer);
    return true;
}

static void test_failures(void) {
    for (int64_t at = 1, done = 0; !done; at++) {
        heap = heap_create(SIZE_MAX, &TEST_HOOKS);
        heap->fail_at = at;
        done = survives();
        heap->fail_at = 0;
        heap_check(heap);
        heap_destroy(heap);
    }
}

int main(void) {
    test_failures();
    heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    begin_machine(&machine, heap);
    test_fields();
    const size_t bytes = heap->bytes; /* of the keys that were interned, and of one text or integer for each */
    for (uint64_t seed = 0; seed < 4; seed++) {
        random_seed(seed);
        run();
    }
    CHECK(heap->bytes == bytes);
    writer_end(heap, &machine.writer);
    test_deep_key();
    heap_check(heap);
    heap_destroy(heap);
    CHECK(releases() > 0);
    return 0;
}
