/* Memory for large blocks: where the system has large pages, on those.
 *
 * To touch new memory page by page takes longer than to write everything that stands on it; with large pages it
 * does not. Who asks for a block of nearly LARGE_PAGE bytes, or of more, will use it all. What is given out here is
 * freed, and made larger, as what malloc gives. A file that includes this defines _DEFAULT_SOURCE first.
 */
#ifndef CK_PAGES_H
#define CK_PAGES_H

#include <stdlib.h>

#include "heap.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

static inline void *pages_allocate(size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes > LARGE_PAGE - 1024 && bytes < SIZE_MAX / 2) {
        void *memory;
        if (posix_memalign(&memory, LARGE_PAGE, bytes)) return NULL;
        /* a hint: where it is not taken there are small pages */
        (void)madvise(memory, (bytes + 1023) & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
        return memory;
    }
#endif
    return malloc(bytes);
}

#endif
