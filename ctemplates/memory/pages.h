/* The memory of the process: small blocks are malloc's, blocks of MAPPED bytes or more are mappings of their own.
 *
 * malloc mostly keeps what is freed, and large blocks of many sizes leave holes that fit no other block; a mapping
 * returns to the system as a whole, and grows without being copied. Blocks of nearly LARGE_PAGE bytes or more are on
 * large pages where the system has those: touching new memory page by page takes longer than writing everything on it.
 * Whoever requests such a block will use all of it. What is freed is used again: the last blocks of less than LARGE_PAGE
 * bytes, and of those that are one large page, which tapes consist of, up to half a GiB. Of all these 128 MiB stay as they
 * are, and the rest until the system needs it (of machines with less than 8 GiB: a 64th, and a 16th for large pages).
 *
 * The size of a block is what was last requested; its owner knows it. Any thread.
 */
#ifndef CK_PAGES_H
#define CK_PAGES_H

#include <stdlib.h>

enum { LARGE_PAGE = 2 * 1024 * 1024, MAPPED = 512 * 1024 };

/* The bytes of freed blocks that the process keeps, about where several threads keep some; and the most that it may keep. */
size_t pages_kept(void);
size_t pages_kept_at_most(void);

void pages_give_back(size_t bytes); /* returns so many of the bytes that are kept to the system, or all */

double pages_seconds(void); /* the processor time that this thread has spent on new mappings */

void *pages_take(size_t bytes); /* NULL: there is no memory; so for pages_resize, and then nothing has changed */
void *pages_resize(void *memory, size_t old_bytes, size_t bytes);
void pages_give(void *memory, size_t bytes);

#endif
