/* Entry points for translated code (checkpoint/ctarget/translate/, fast.h); the rules of api.h apply.
 *
 * In: memory that Python owns, of the size returned below and aligned like a pointer; addresses as numbers. Out: that
 * memory filled, as a Unit or a UnitEntry. It must outlive all code and tapes that refer to it.
 */
#ifndef CK_API_FAST_H
#define CK_API_FAST_H

#include "api/api.h"

uintptr_t ck_services(void); /* the address of SERVICES, for a library's unit_bind */

/* How many runs of units there were, each of which has left its unit: about, where several threads have some. */
uint64_t ck_unit_runs(void);

/* How many threads run strips of lanes, the caller's among them (threads/pool.h); how many strips the others have run or
 * reversed in this process. */
void ck_set_threads(int threads);
int ck_threads(void);
uint64_t ck_strips_by_helpers(void);
void ck_wait_for_helpers(int waits); /* for tests: see threads/team.h */

/* How many steps are taped at once within steps (natives/natives_derive.h). */
void ck_set_base(int64_t steps);

/* The steps of runs within steps (operators/inner.h), for the watch of translation. */
void ck_watch_inner(int64_t steps);
void ck_inner_taken(void *procedure, int64_t patience, int64_t *steps, int64_t *runs);

uint64_t ck_segments_abreast(void); /* how many were taped beside another, for tests */

size_t ck_unit_bytes(void);
size_t ck_entry_bytes(void);

/* A unit without code; then its code, of either form, also while other threads run it. */
void ck_unit_begin(void *unit, const uintptr_t *references);
void ck_unit_plain(void *unit, uintptr_t plain);
void ck_unit_taped(void *unit, uintptr_t tape, uintptr_t reverse, uintptr_t abreast, uint32_t header);
void ck_entry_fill(void *entry, const void *unit, uint32_t head, uintptr_t next); /* next: an entry, or 0 */

/* The shapes of the parameters of the block at whose start a machine, or the machine of a sweep, is: of each value in
 * its registers and of its parts (specialise/observe.py of translate/; of a list, its first element), in preorder.
 * Four numbers for each: its kind, the address of its procedure (0: none; 1: it is a plain tuple; of a real its bits),
 * that of its object (0: none; one more if that is a constant, two more if the procedure that runs has held it from the
 * beginning), how many parts follow. Parts deeper than `depth`, and more than `most` of one parameter, are left out, all of
 * one value together; but of a plain tuple of too many the first follows (-1 in the place of their number).
 * Returns how many numbers; 0: the machine is elsewhere, or there are more than `room`. */
size_t ck_parameter_shapes(const Held *held, uint32_t depth, uint32_t most, int64_t *numbers, size_t room);

/* The same for the values that the innermost frame of a loop over lanes (vmap) has saved; the block to which it returns
 * is stored. 0: there is none. */
size_t ck_lane_shapes(const Held *held, uint32_t depth, uint32_t most, int64_t *numbers, size_t room,
                      const Block **block);

/* The block to which this frame returns, or one so many calls outwards; NULL: there is none. And the integer that such
 * a frame has saved at a position; 0: there is none. */
const Block *ck_lane_block(const Held *held, uint32_t outwards);
int64_t ck_lane_integer(const Held *held, uint32_t outwards, uint32_t position);

#endif
