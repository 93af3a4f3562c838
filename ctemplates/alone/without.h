/* What an executable has in the place of Python and of arrays: nothing.
 *
 * Implements bridge/gil.h, memory/memory.h, operators/code.h, arrays/array_memory.h and arrays/storage_table.h, and
 * bridge_share of bridge/sequences.h.
 */
#ifndef CK_WITHOUT_H
#define CK_WITHOUT_H

#include "arrays/array_memory.h"
#include "arrays/storage_table.h"
#include "bridge/gil.h"
#include "bridge/sequences.h"
#include "memory/memory.h"
#include "operators/code.h"

#endif
