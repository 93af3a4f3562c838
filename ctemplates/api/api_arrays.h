/* The operators of arrays (operators.h), and the bytes of NumPy arrays (array_memory.h), for tests. (Also read by
 * cffi.) */
#ifndef CK_API_ARRAYS_H
#define CK_API_ARRAYS_H

#include "arrays/array_memory.h"

typedef struct ArrayMemory ArrayMemory;

int ck_operator_named(const char *name);

ArrayMemory *ck_array_memory_begin(void);
void ck_array_memory_suspend(ArrayMemory *memory);
void ck_array_memory_resume(ArrayMemory *memory);
void ck_array_memory_end(ArrayMemory *memory);
int64_t ck_array_memory_live(const ArrayMemory *memory);
int64_t ck_array_memory_peak(const ArrayMemory *memory);

#endif
