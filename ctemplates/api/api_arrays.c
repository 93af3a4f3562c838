/* api_arrays.h: forwards to results.h, operators.h, formulas.h, formula_trees.h, scattering.h and array_memory.h. */
#include "arrays/results.h"

#include "arrays/operators.h"
#include "bridge/gil.h"
#include "by_name/functions.h"
#include "scalars/formula_trees.h"

#include "api/api_arrays.h"
#include "memory/exceptions.h"

int ck_operator_named(const char *name) { return operator_named(name); }

bool ck_make_results(void *accumulators, void *numbers, void *zero, void *made) {
    void *lock = python_lock();
    const bool done = make_results(accumulators, numbers, zero, made);
    if (!done) forget_exception();
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

static Formula formula_of(CodeOfFormula code) {
    return (Formula){.inputs = code.counts[0], .constants = code.counts[1], .steps = code.counts[2],
                     .results = code.counts[3], .places = code.counts[4], .constant = code.constants,
                     .step = (const FormulaStep *)(const void *)code.steps, .result = code.results};
}

int ck_formula(CodeOfFormula code, const uintptr_t *arrays) {
    const Formula formula = formula_of(code);
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

int ck_formula_tree(CodeOfFormula code, CodeOfFormula pulled, const uintptr_t *arrays) {
    const Formula pair = formula_of(code);
    const int32_t width = pair.results;
    int64_t items = 0, single = 0, received = 0;
    FormulaColumn *columns = malloc((size_t)(3 * width) * sizeof *columns);
    if (!columns) return FORMULA_REFUSED;
    void *lock = python_lock();
    bool fits = columns_of(columns, arrays, width, &items) && columns_of(columns + width, arrays + width, width, &single) &&
                items > 0 && single == 1 && pair.inputs == 2 * width;
    if (fits && pulled.counts) fits = columns_of(columns + 2 * width, arrays + 2 * width, width, &received) && received == items;
    python_unlock(lock);
    FormulaOutcome outcome = FORMULA_REFUSED;
    if (fits && pulled.counts) {
        const Formula reversed = formula_of(pulled);
        outcome = formula_reduce_reversed(&pair, &reversed, columns, items);
    } else if (fits) {
        outcome = formula_reduce(&pair, columns, items);
    }
    free(columns);
    return outcome;
}

bool ck_enter_functions(uintptr_t by_name) {
    void *lock = python_lock();
    const bool done = enter_functions((PyObject *)by_name);
    if (!done) forget_exception();
    python_unlock(lock);
    return done;
}

ArrayMemory *ck_array_memory_begin(void) { return array_memory_begin(); }
void ck_array_memory_suspend(ArrayMemory *memory) { array_memory_suspend(memory); }
void ck_array_memory_resume(ArrayMemory *memory) { array_memory_resume(memory); }
void ck_array_memory_end(ArrayMemory *memory) { array_memory_end(memory); }
int64_t ck_array_memory_live(const ArrayMemory *memory) { return array_memory_live(memory); }
int64_t ck_array_memory_peak(const ArrayMemory *memory) { return array_memory_peak(memory); }
