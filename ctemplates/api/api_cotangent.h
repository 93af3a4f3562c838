/* What Python calls of cotangents (checkpoint/ctarget/cotangent.py); the rules of api.h hold here too.
 *
 * Accumulators cross as Python has them, through lists: appended to `cotangents`, or read from it, a list or tuple. What
 * goes wrong is in `errors`, or memory ended where that is empty.
 */
#ifndef CK_API_COTANGENT_H
#define CK_API_COTANGENT_H

#include "api/api.h"

/* Of a state that stands at the point: no slot has received anything, there are no frames. */
Held *ck_cotangent_create(const Held *any, const Block *block, uint32_t index, void *helper);

/* As reverse_tape. Where it is FAILED the helper has the exception. */
Outcome ck_cotangent_reverse(Held *cotangent, Held *tape);

size_t ck_cotangent_bytes(const Held *cotangent); /* its own storage */

/* The slots of the present point, all of them. */
bool ck_cotangent_slots(const Held *cotangent, void *cotangents, void *errors);
bool ck_cotangent_set_slots(const Held *cotangent, void *cotangents, uint32_t count, void *errors);

/* The stack: `count` cotangents that have `above` others on top of them, the lowest first. What is pushed and popped
 * has the top last. */
bool ck_cotangent_frames(const Held *cotangent, size_t above, size_t count, void *cotangents, void *errors);
bool ck_cotangent_push(const Held *cotangent, void *cotangents, size_t count, void *errors);
bool ck_cotangent_pop(const Held *cotangent, size_t count, void *cotangents, void *errors);

/* Fields of objects. Found: NONE; REAL_COTANGENT, which is in `real`; or OTHER_COTANGENT, which was appended. */
typedef enum Found { NO_COTANGENT, REAL_COTANGENT, OTHER_COTANGENT, FIND_FAILED } Found;
Found ck_cotangent_find(const Held *cotangent, uint64_t birth, int64_t field, bool takes, double *real, void *cotangents,
                        void *errors);

/* Adds to a field, or sets it: the item of `cotangents`, or `real` where that is NULL. */
bool ck_cotangent_change(const Held *cotangent, uint64_t birth, int64_t field, bool adds, double real, void *cotangents,
                         void *errors);

/* The field of the first key of the Dict that is the item of the list. */
bool ck_key_field(const Held *any, void *dictionaries, int64_t *field, void *errors);

#endif
