/* Implements resident.h by /proc/self/statm: sizes in pages, of which the second is the resident one. */
#define _GNU_SOURCE
#include "memory/resident.h"

#include <stdlib.h> /* __GLIBC__ */
#ifdef __GLIBC__
#include <malloc.h>
#endif

void resident_return_free(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* Older versions of the library count in int, which may overflow. */
int64_t resident_malloced(void) {
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 found = mallinfo2();
    return (int64_t)(found.uordblks + found.hblkhd);
#else
    return 0;
#endif
}

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

Resident resident_open(void) { return (Resident){open("/proc/self/statm", O_RDONLY | O_CLOEXEC)}; }

void resident_close(Resident resident) {
    if (resident.file >= 0) (void)close(resident.file);
}

int64_t resident_bytes(Resident resident) {
    char text[64], *at;
    if (resident.file < 0) return -1;
    const ssize_t length = pread(resident.file, text, sizeof text - 1, 0);
    if (length <= 0) return -1;
    text[length] = '\0';
    (void)strtoll(text, &at, 10);
    return (int64_t)strtoll(at, NULL, 10) * (int64_t)sysconf(_SC_PAGESIZE);
}
#else
Resident resident_open(void) { return (Resident){-1}; }
void resident_close(Resident resident) { (void)resident; }
int64_t resident_bytes(Resident resident) { return (void)resident, -1; }
#endif
