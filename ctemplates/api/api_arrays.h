/* Results of gradients by arrays (results.h); formulas of arrays; additions at indices (numpy/scattering.h); NumPy's functions by kernels; the operators of arrays
 * (operators.h), and the bytes of NumPy arrays (array_memory.h), for tests. (Also read by cffi.) */
#ifndef CK_API_ARRAYS_H
#define CK_API_ARRAYS_H

#include "arrays/array_memory.h"

typedef struct ArrayMemory ArrayMemory;

int ck_operator_named(const char *name);

/* False: memory has run out, and what is in the list must not be used. */
bool ck_make_results(void *accumulators, void *numbers, void *zero, void *made);

/* A formula. counts: of inputs, constants, steps, results, places. */
typedef struct CodeOfFormula {
    const int32_t *counts;
    const double *constants;
    const int32_t *steps, *results;
} CodeOfFormula;

/* Fills arrays with the results of a formula (scalars/formulas.h): 0: done; 1: a quotient is not finite; 2: some array is
 * none of NumPy's of doubles with one axis of the same length, or there is no memory. arrays: the addresses of those of the
 * inputs, then of the results. */
int ck_formula(CodeOfFormula code, const uintptr_t *arrays);
/* The same of a formula of pairs (scalars/formula_trees.h), whose result has one item. arrays: of the columns, then of the
 * result. pulled: with counts the formula of a pair's cotangents; then of the columns, of the result's cotangent, and of those
 * of the columns. */
int ck_formula_tree(CodeOfFormula code, CodeOfFormula pulled, const uintptr_t *arrays);

/* Enters NumPy's functions by kernels (by_name/functions.h); the address of a dictionary. */
bool ck_enter_functions(uintptr_t by_name);

ArrayMemory *ck_array_memory_begin(void);
void ck_array_memory_suspend(ArrayMemory *memory);
void ck_array_memory_resume(ArrayMemory *memory);
void ck_array_memory_end(ArrayMemory *memory);
int64_t ck_array_memory_live(const ArrayMemory *memory);
int64_t ck_array_memory_peak(const ArrayMemory *memory);

#endif
