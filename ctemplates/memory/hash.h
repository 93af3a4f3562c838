/* Hashing of addresses. */
#ifndef CK_HASH_H
#define CK_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline size_t mix_pointer(const void *pointer) {
    uint64_t bits = (uint64_t)(uintptr_t)pointer >> 4;
    return (size_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
}

#endif
