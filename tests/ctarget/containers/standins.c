/* Stand-ins for what Python objects are here: texts are numbers, a layout is the number of a tuple's class or not. */
#include "checks.h"
#include "natives/natives_derive.h"

static int released;

static void release_python(void *python) {
    (void)python;
    released++;
}
int releases(void) { return released; }

static intptr_t number_of(Value v) { return (intptr_t)((Foreign *)v.object)->python; }
Value text_value(Heap *heap, int number) { return new_foreign(heap, (void *)(intptr_t)(number * 2 + 2), false); }
Value large_value(Heap *heap, int number) { return new_foreign(heap, (void *)(intptr_t)(number * 2 + 1), false); }

/* What peek.c tells. Half of the texts have one hash. */
bool is_text(Value v) { return kind_of(v) == FOREIGN && number_of(v) % 2 == 0; }
bool is_any_text(Value v) { return is_text(v); }
bool like_text(Value v) { return (void)v, false; }
bool is_large_integer(Value v) { return kind_of(v) == FOREIGN && number_of(v) % 2 == 1; }
size_t text_length(Value v) { return (size_t)number_of(v); }
bool texts_equal(Value a, Value b) { return number_of(a) == number_of(b); }
uint64_t text_hash(Value v) { return number_of(v) % 4 ? 7 : (uint64_t)number_of(v); }
bool objects_equal(Value a, Value b) { return number_of(a) == number_of(b); }
bool object_hash(Value v, uint64_t *hash) { return *hash = (uint64_t)number_of(v), true; }
bool whole_of(Value v, int64_t *whole) { return (void)v, (void)whole, false; }
bool same_python_type(Value a, Value b) { return number_of(a) % 2 == number_of(b) % 2; }
bool layout_is_tuple(Heap *heap, void *layout) { return (void)heap, layout == TUPLE_LAYOUT; }
bool layout_is_overloads(Heap *heap, void *layout) { return (void)heap, (void)layout, false; }
int32_t layout_position(Heap *heap, void *layout, void *name) {
    const int32_t at = (int32_t)((intptr_t)name / 2 - 1);
    (void)heap;
    return layout == OBJECT_LAYOUT || (layout >= LAYOUT_OF(0) && layout > LAYOUT_OF(at)) ? at : -1;
}
int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity) {
    return (void)heap, (void)layout, (void)arity, -1;
}
Value layout_with_name(Heap *heap, Value layout, Value name) {
    static Value made[64];
    static Heap *of;
    if (of != heap) memset(made, 0, sizeof made);
    of = heap;
    (void)name;
    Value *found = &made[((intptr_t)python_in(layout) - 1000) / 2];
    if (!found->object) *found = new_foreign(heap, (char *)python_in(layout) + 2, false); /* the heap keeps it */
    return *found;
}
int32_t instance_of(Heap *heap, Value v, Value types) { return (void)heap, (void)v, (void)types, -1; }
int32_t of_class(Heap *heap, Value v, Value types) { return (void)heap, (void)v, (void)types, -1; }

static void destroy_container(Heap *heap, Object *object) {
    suspects_remove(heap, (const Storage *)object);
    if (object->kind == LIST)
        list_destroy(heap, (List *)object);
    else if (object->kind == INSTANCE)
        instance_destroy(heap, (Instance *)object);
    else
        dictionary_destroy(heap, (Dictionary *)object);
}

const HeapHooks TEST_HOOKS = {.release_python = release_python, .destroy_container = destroy_container};

static uint64_t state = 1;

void random_seed(uint64_t seed) { state = seed * 2 + 1; }

uint32_t random_below(uint32_t bound) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % bound);
}

bool run_native(Machine *m, const char *name, const Value *operands, uint32_t count, Value *result,
                Note *note) {
    for (uint16_t i = 0; i < NATIVE_COUNT; i++)
        if (strcmp(NATIVES[i].name, name) == 0) return NATIVES[i].run(m, operands, count, result, note);
    fprintf(stderr, "there is no native %s\n", name);
    abort();
}

void begin_machine(Machine *m, Heap *heap) {
    Version *version = version_create(heap);
    *m = (Machine){.heap = heap, .births = 1};
    writer_begin(heap, &m->writer, version);
    version_release(heap, version);
}

void *memory_take(size_t bytes) { return malloc(bytes); }
void *memory_resize(void *memory, size_t old_bytes, size_t bytes) { return (void)old_bytes, realloc(memory, bytes); }
void memory_give(void *memory, size_t bytes) { (void)bytes, free(memory); }

/* Derivatives, which no container takes. */
NATIVE(native_exit) { return UNUSED, false; }
NATIVE(native_reverse) { return UNUSED, false; }
NATIVE(native_checkpoint_reverse) { return UNUSED, false; }
NATIVE(native_gradient) { return UNUSED, false; }
