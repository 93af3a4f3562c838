/* Entry points for cotangents (checkpoint/ctarget/cotangent.py); the rules of api.h apply.
 *
 * Accumulators are converted to Python's, and passed in lists: appended to `cotangents`, or read from it, a list or
 * tuple. An exception is appended to `errors`; if that is empty, memory ran out.
 */
#ifndef CK_API_COTANGENT_H
#define CK_API_COTANGENT_H

#include "api/api.h"

/* Returns the cotangent of a state at the point, all zero, without frames. */
Held *ck_cotangent_create(const Held *any, const Block *block, uint32_t index, void *helper);

/* Calls reverse_tape. FAILED: the helper has the exception. */
Outcome ck_cotangent_reverse(Held *cotangent, Held *tape);

/* Lets nothing be added to the fields of `count` births from `first` on: nobody reads their cotangents. */
void ck_cotangent_ignore(Held *cotangent, uint64_t first, uint64_t count);

size_t ck_cotangent_bytes(const Held *cotangent); /* its own storage */
size_t ck_cotangent_left_over(const Held *cotangent, uint64_t birth); /* calls cotangent_left_over */

/* Exports or imports the accumulators of all slots of the current point. */
bool ck_cotangent_slots(const Held *cotangent, void *cotangents, void *errors);
bool ck_cotangent_set_slots(const Held *cotangent, void *cotangents, uint32_t count, void *errors);

/* Access to the stack: `count` cotangents that have `above` others on top of them, the lowest first. Pushed and popped
 * cotangents are listed with the top last. */
bool ck_cotangent_frames(const Held *cotangent, size_t above, size_t count, void *cotangents, void *errors);
bool ck_cotangent_push(const Held *cotangent, void *cotangents, size_t count, void *errors);
bool ck_cotangent_pop(const Held *cotangent, size_t count, void *cotangents, void *errors);

/* Fields of objects. A REAL_COTANGENT is stored in `real`; an OTHER_COTANGENT is appended to the list. */
typedef enum Found { NO_COTANGENT, REAL_COTANGENT, OTHER_COTANGENT, FIND_FAILED } Found;
Found ck_cotangent_find(const Held *cotangent, uint64_t birth, int64_t field, bool takes, double *real, void *cotangents,
                        void *errors);

/* Exports the accumulators of the first fields of an object whose fields are positions; 0 where there is none. Of a
 * dictionary: of all its keys, which are those of the Dict in the list `dictionaries`; NULL for any other object. */
bool ck_cotangent_fields(const Held *cotangent, uint64_t birth, size_t count, void *dictionaries, void *cotangents,
                         void *errors);

/* Adds to the accumulator of a field, or sets it: the item of `cotangents`, or `real` if that is NULL. */
bool ck_cotangent_change(const Held *cotangent, uint64_t birth, int64_t field, bool adds, double real, void *cotangents,
                         void *errors);

/* Takes the accumulators of the first fields of an object whose fields are positions, all of which are REAL or not
 * there; adds to them, the last first. false: one is of another kind, nothing was done; or memory ran out. */
bool ck_cotangent_take_reals(const Held *cotangent, uint64_t birth, size_t count, double *reals);
bool ck_cotangent_give_reals(const Held *cotangent, uint64_t birth, size_t count, const double *reals);

/* Stores the field of the first key of the Dict that is the item of the list. */
bool ck_key_field(const Held *any, void *dictionaries, int64_t *field, void *errors);

#endif
