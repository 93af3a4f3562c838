/* api_arrays.h: forwards to results.h, operators.h, formulas.h, scattering.h and array_memory.h. */
#include "arrays/results.h"

#include "arrays/operators.h"
#include "bridge/gil.h"
#include "numpy/functions.h"
#include "numpy/scattering.h"
#include "scalars/formulas.h"

#include "api/api_arrays.h"

int ck_operator_named(const char *name) { return operator_named(name); }

bool ck_make_results(void *accumulators, void *numbers, void *zero, void *made) {
    void *lock = python_lock();
    const bool done = make_results(accumulators, numbers, zero, made);
    if (!done) PyErr_Clear();
    python_unlock(lock);
    return done;
}

/* Stores where the reals of some arrays are; false: some is not as the others, or none of NumPy's of aligned doubles. */
static bool columns_of(FormulaColumn *columns, const uintptr_t *arrays, int32_t count, int64_t *items) {
    for (int32_t i = 0; i < count; i++) {
        PyObject *array = (PyObject *)arrays[i];
        if (!is_numpy(array) || !is_row_of_reals(array)) return false;
        const NumpyArray *row = numpy_of(array);
        if (i > 0 && row->shape[0] != *items) return false;
        *items = row->shape[0];
        columns[i] = (FormulaColumn){row->data, row->strides[0]};
    }
    return true;
}

int ck_formula(const int32_t *counts, const double *constants, const int32_t *steps, const int32_t *results,
               const uintptr_t *arrays) {
    const Formula formula = {.inputs = counts[0], .constants = counts[1], .steps = counts[2], .results = counts[3],
                             .places = counts[4], .constant = constants, .step = (const FormulaStep *)(const void *)steps,
                             .result = results};
    const int32_t count = formula.inputs + formula.results;
    int64_t items = 0;
    FormulaColumn *columns = malloc((size_t)count * sizeof *columns);
    if (!columns) return FORMULA_REFUSED;
    void *lock = python_lock();
    const bool fits = columns_of(columns, arrays, count, &items);
    python_unlock(lock);
    const FormulaOutcome outcome = !fits ? FORMULA_REFUSED : items ? formula_run(&formula, columns, items) : FORMULA_DONE;
    free(columns);
    return outcome;
}

bool ck_add_at_rows(uintptr_t whole, uintptr_t index, uintptr_t added) {
    void *lock = python_lock();
    const bool done = add_at_rows((PyObject *)whole, (PyObject *)index, (PyObject *)added);
    python_unlock(lock);
    return done;
}

bool ck_enter_functions(uintptr_t by_name) {
    void *lock = python_lock();
    const bool done = enter_functions((PyObject *)by_name);
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
