/* Stand-ins for what the runtime is linked with: Python objects are numbers, lists are simple, and the rest is
 * not there. */
#include "memory/memory.h"
#include "checks.h"
#include "scalars/step_tape.h"
#include "memory/pages.h"

int alive[OBJECTS];
int alive_in_all;
void (*on_release)(void *python);

Value object_value(Heap *heap, int number) {
    const Value v = new_foreign(heap, (void *)(intptr_t)(number + 1), false);
    alive[number]++;
    alive_in_all++;
    return v;
}

int number_of(Value foreign) { return (int)(intptr_t)((Foreign *)foreign.object)->python - 1; }

static void release_python(void *python) {
    const int number = (int)(intptr_t)python - 1;
    CHECK(number >= 0 && number < OBJECTS && alive[number] > 0);
    alive[number]--;
    alive_in_all--;
    if (on_release) on_release(python);
}

Value simple_list(Heap *heap, uint32_t length) {
    Value *values = heap_allocate(heap, length * sizeof(Value));
    List *list = (List *)new_object(heap, LIST, sizeof(List));
    list->length = list->room = length;
    list->values = values;
    return of_object(LIST, list);
}

static void destroy_list(Heap *heap, Object *object) {
    const List *list = (List *)object;
    for (size_t i = 0; i < list->length; i++) drop(heap, list->values[i]);
    heap_free(heap, list->values, list->room * sizeof(Value));
}

static Value add_foreign(Heap *heap, Value a, Value b) {
    drop(heap, b);
    return a;
}

const HeapHooks TEST_HOOKS = {
    .release_python = release_python, .destroy_container = destroy_list, .add_foreign = add_foreign};

size_t step_tape_bytes(const StepTape *tape) {
    (void)tape;
    return 0;
}

void step_tape_destroy(Heap *heap, StepTape *tape) { heap_free(heap, tape, 40); }

static uint64_t state = 1;

void random_seed(uint64_t seed) { state = seed * 2 + 1; }

uint32_t random_below(uint32_t bound) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % bound);
}

static bool survives(Heap *heap, void (*body)(Heap *heap)) {
    jmp_buf place;
    heap->escape = &place;
    if (setjmp(place)) return false;
    body(heap);
    return true;
}

void with_every_failure(void (*body)(Heap *heap)) {
    for (int64_t at = 1;; at++) {
        Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
        heap->fail_at = at;
        const bool done = survives(heap, body);
        CHECK(done == (heap->fail_at > 0));
        heap->fail_at = 0;
        heap_check(heap);
        heap_destroy(heap);
        CHECK(alive_in_all == 0);
        if (done) return;
    }
}

void *memory_take(size_t bytes) { return pages_take(bytes); }
void *memory_resize(void *memory, size_t old_bytes, size_t bytes) { return pages_resize(memory, old_bytes, bytes); }
void memory_give(void *memory, size_t bytes) { pages_give(memory, bytes); }
