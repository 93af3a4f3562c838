/* POISON and UNPOISON: mark memory for the address sanitizer, in the hostile build. */
#ifndef CK_POISON_H
#define CK_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define CK_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CK_POISONS 1
#endif
#endif
#ifdef CK_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#else
#define POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#endif
