/* api_arrays.h: forwards to results.h, operators.h and array_memory.h. */
#include "arrays/results.h"

#include "arrays/operators.h"
#include "bridge/gil.h"

#include "api/api_arrays.h"

int ck_operator_named(const char *name) { return operator_named(name); }

bool ck_make_results(void *accumulators, void *numbers, void *zero, void *made) {
    void *lock = python_lock();
    const bool done = make_results(accumulators, numbers, zero, made);
    if (!done) PyErr_Clear();
    python_unlock(lock);
    return done;
}

ArrayMemory *ck_array_memory_begin(void) { return array_memory_begin(); }
void ck_array_memory_suspend(ArrayMemory *memory) { array_memory_suspend(memory); }
void ck_array_memory_resume(ArrayMemory *memory) { array_memory_resume(memory); }
void ck_array_memory_end(ArrayMemory *memory) { array_memory_end(memory); }
int64_t ck_array_memory_live(const ArrayMemory *memory) { return array_memory_live(memory); }
int64_t ck_array_memory_peak(const ArrayMemory *memory) { return array_memory_peak(memory); }
