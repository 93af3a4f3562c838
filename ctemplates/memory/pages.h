/* The memory of the process: small blocks are malloc's, blocks of MAPPED bytes or more are mappings of their own.
 *
 * What malloc is given back mostly stays with the process, and large blocks of many sizes leave holes there that no
 * other block fits; a mapping goes back to the system with its last byte, and grows without being copied. Blocks of
 * nearly LARGE_PAGE bytes, or of more, stand on large pages where the system has those: to touch new memory page by
 * page takes longer than to write everything that stands on it. Who asks for such a block will use it all.
 *
 * A block's bytes are what was asked for last; who has it knows them. Any thread.
 */
#ifndef CK_PAGES_H
#define CK_PAGES_H

#include <stdlib.h>

enum { LARGE_PAGE = 2 * 1024 * 1024, MAPPED = 512 * 1024 };

void *pages_take(size_t bytes); /* NULL: there is no memory; so for pages_resize, and then nothing has changed */
void *pages_resize(void *memory, size_t old_bytes, size_t bytes);
void pages_give(void *memory, size_t bytes);

#endif
