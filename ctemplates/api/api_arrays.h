/* Results of gradients by arrays (results.h); the operators of arrays (operators.h), and the bytes of NumPy arrays
 * (array_memory.h), for tests. (Also read by cffi.) */
#ifndef CK_API_ARRAYS_H
#define CK_API_ARRAYS_H

#include "arrays/array_memory.h"

typedef struct ArrayMemory ArrayMemory;

int ck_operator_named(const char *name);

/* False: memory has run out, and what is in the list must not be used. */
bool ck_make_results(void *accumulators, void *numbers, void *zero, void *made);

ArrayMemory *ck_array_memory_begin(void);
void ck_array_memory_suspend(ArrayMemory *memory);
void ck_array_memory_resume(ArrayMemory *memory);
void ck_array_memory_end(ArrayMemory *memory);
int64_t ck_array_memory_live(const ArrayMemory *memory);
int64_t ck_array_memory_peak(const ArrayMemory *memory);

#endif
