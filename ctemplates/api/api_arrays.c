/* api_arrays.h: forwards to array_memory.h. */
#include "api/api_arrays.h"

ArrayMemory *ck_array_memory_begin(void) { return array_memory_begin(); }
void ck_array_memory_suspend(ArrayMemory *memory) { array_memory_suspend(memory); }
void ck_array_memory_resume(ArrayMemory *memory) { array_memory_resume(memory); }
void ck_array_memory_end(ArrayMemory *memory) { array_memory_end(memory); }
int64_t ck_array_memory_live(const ArrayMemory *memory) { return array_memory_live(memory); }
int64_t ck_array_memory_peak(const ArrayMemory *memory) { return array_memory_peak(memory); }
