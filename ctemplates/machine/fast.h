/* Translated code: the interface between the machine and the C that checkpoint/ctarget/translate writes.
 *
 * A *unit* is a region of a program, translated for values of certain kinds. It is entered at the start of a block by
 * an instruction FAST, which precedes the plain and the taped code of that block. It runs whole blocks, values in C's
 * locals, until it exits at the start of a block: because the steps left until `stop` might end within what it does
 * next, because the tape has no room for that, or because the block is not translated, or its values are of another
 * kind. The machine continues there with the code behind FAST: so a unit may exit anywhere, and never fails.
 *
 * What always holds: after a unit has run, the machine is as after the blocks' own code, births and steps counted
 * alike; so is the cotangent after a run has been reversed, in every bit.
 *
 * On the tape a unit records a *run*: words, in this order
 *     header   residuals of its entry: unit->header words
 *     records  residuals of each path, the first one first
 *     ways     one byte for each path that continued with another one: its number, the last one first, padded to words
 *     RunEnd   (tape.h)
 *     the mark RUN_MARK
 */
#ifndef CK_FAST_H
#define CK_FAST_H

#include "containers/collector.h"
#include "containers/containers.h"
#include "containers/peek.h"
#include "machine/strip_team.h"
#include "memory/memo.h"
#include "state/cotangent_stack.h"
#include "state/lane_gifts.h"

/* Runs from the header `entry` of the unit, at whose block the machine is (m->block, m->steps; m->index is 0; all
 * parameters in their registers), while steps stay at or below `stop`. false: nothing was done. true: some blocks were
 * run; the machine is at the start of a block. `tape` also records on m->tape, by run_begin and run_end. */
typedef bool RunUnit(const Unit *unit, Machine *machine, uint32_t entry, int64_t stop);

/* Pulls the cotangent of the point where the run exited back to the point where it was entered (c->block; all
 * accumulators of its parameters in the window). header: the first word; up: behind the last record; ways: the first,
 * which is the last path. false: a cotangent is of another kind than its value, nothing was done. */
typedef bool ReverseUnit(const Unit *unit, Cotangent *c, const RunEnd *end, const Word *header, const Word *up,
                         const uint8_t *ways);

/* Runs several segments of one run, each from the header `entry`, where all machines are, and on the tape of its own, as
 * `tape` does; all make the same number of turns of a loop, while steps stay at or below `stops`. Nothing but numbers is
 * read, and nothing is made. false: nothing was done. */
enum { ABREAST = 4 };
typedef bool TapeAbreast(const Unit *unit, Machine *const *machines, uint32_t entry, const int64_t *stops);

struct Unit {
    RunUnit *plain, *tape; /* NULL: not there */
    ReverseUnit *reverse;
    TapeAbreast *abreast; /* NULL: not there */
    uint32_t header;       /* words */
    const void *const *references; /* blocks, procedures, return points: the references that its code uses by number */
};

/* The target of a FAST. */
typedef struct UnitEntry UnitEntry;
struct UnitEntry {
    const Unit *unit;
    uint32_t head;
    const UnitEntry *next; /* the next entry, for values of other kinds; or NULL */
};

/* Runs the unit that the instruction FAST of the block points to, from the block's start on; false: nothing was
 * done, or it lacks the form that is wanted. A machine that pauses, at a unit that tapes several segments at once, has
 * `paused` and is where it was; the result is true. */
bool run_unit(Machine *machine, const Instruction *fast, const Block *block, int64_t steps, int64_t stop);
/* Returns how many runs of units there were in the process: about, where several threads have some at a time. */
uint64_t unit_runs(void);
/* Reserves room for a run on the machine's tape: from the result to *end, `least` words at least, `wanted` where the
 * limit of the tape leaves many times as much, in one chunk, and not much more than what the limit leaves. NULL: the
 * tape is nearly full. */
Word *run_begin(Machine *machine, size_t least, size_t wanted, Word **end);

/* Ends the run: its header and records are from `start` to `up`, its ways from `ways` to `end`. */
void run_end(Machine *machine, const Unit *unit, uint32_t entry, uint32_t exit, Word *start, Word *up,
             const uint8_t *ways, Word *end);

/* The functions of the runtime that translated code calls: it is loaded apart from the runtime, and bound to it by
 * this. SERVICE(type, name, parameters, their names) */
#define RUNTIME_SERVICES(SERVICE)                                                                              \
    SERVICE(Word *, run_begin, (Machine * m, size_t least, size_t wanted, Word **end), (m, least, wanted, end)) \
    SERVICE(void, run_end,                                                                                     \
            (Machine * m, const Unit *unit, uint32_t entry, uint32_t exit, Word *start, Word *up,              \
             const uint8_t *ways, Word *end),                                                                  \
            (m, unit, entry, exit, start, up, ways, end))                                                      \
    SERVICE(void, release, (Heap * heap, Object *object), (heap, object))                                      \
    SERVICE(void, heap_peaked, (Heap * heap, size_t added), (heap, added))                                     \
    SERVICE(void *, heap_block, (Heap * heap, uint32_t size_class), (heap, size_class))                        \
    SERVICE(Object *, new_large_object, (Heap * heap, Kind kind, size_t bytes), (heap, kind, bytes))           \
    SERVICE(Value, new_list, (Heap * heap, size_t length, uint64_t owner), (heap, length, owner))              \
    SERVICE(bool, heap_recall, (const Heap *heap, const void *key, Value *value), (heap, key, value))          \
    SERVICE(bool, is_text, (Value v), (v))                                                                     \
    SERVICE(Value, new_dictionary, (Heap * heap, uint64_t owner), (heap, owner))                               \
    SERVICE(bool, change_instance, (Machine * m, Instance *instance, uint32_t more), (m, instance, more))      \
    SERVICE(Value, new_instance_of, (Heap * heap, Value layout, uint32_t length, uint64_t owner),              \
            (heap, layout, length, owner))                                                                     \
    SERVICE(Value, layout_value, (Heap * heap, void *layout), (heap, layout))                                  \
    SERVICE(void, suspects_add, (Heap * heap, Storage *container), (heap, container))                         \
    SERVICE(bool, change_list, (Machine * m, List *list, size_t more), (m, list, more))                        \
    SERVICE(bool, writer_saves, (Heap * heap, Writer *writer, Storage *container), (heap, writer, container))  \
    SERVICE(void, stack_grow, (Heap * heap, Stack *stack, uint32_t count), (heap, stack, count))               \
    SERVICE(void, stack_own_top, (Heap * heap, Stack *stack), (heap, stack))                                   \
    SERVICE(void, stack_leave, (Heap * heap, Stack *stack), (heap, stack))                                     \
    SERVICE(void, stack_set_call, (Heap * heap, Stack *stack, const Block *call), (heap, stack, call))         \
    SERVICE(void, machine_reserve, (Machine * m, uint32_t registers), (m, registers))                          \
    SERVICE(void, cotangent_reserve_slowly, (Cotangent * c, uint32_t registers), (c, registers))               \
    SERVICE(void, cotangent_give, (Cotangent * c, uint64_t birth, int64_t field, Value cotangent),                \
            (c, birth, field, cotangent))                                                                         \
    SERVICE(void, cotangent_give_lanes, (Cotangent * c, const LaneGifts *gifts, size_t count, int lanes),         \
            (c, gifts, count, lanes))                                                                             \
    SERVICE(void, cotangent_take_row,                                                                             \
            (Cotangent * c, uint64_t birth, int64_t first, int64_t count, double *reals),                        \
            (c, birth, first, count, reals))                                                                      \
    SERVICE(Value, cotangent_take, (Cotangent * c, uint64_t birth, int64_t field), (c, birth, field))          \
    SERVICE(Value, accumulator_sum, (Heap * heap, Value a, Value b), (heap, a, b))                             \
    SERVICE(void, cotangent_push, (Cotangent * c, Value cotangent), (c, cotangent))                                  \
    SERVICE(Value, cotangent_pop, (Cotangent * c), (c))                                                        \
    SERVICE(int64_t, strips_may_join, (const Machine *m), (m))                                                    \
    SERVICE(bool, strips_together, (Machine * m, StripTask *task), (m, task))                                  \
    SERVICE(bool, strips_reversed,                                                                             \
            (Cotangent * c, const StripBack *back, uint8_t mark, int64_t exit, const Word **up,                \
             const uint8_t **ways, const uint8_t *last),                                                       \
            (c, back, mark, exit, up, ways, last))

#define SERVICE_POINTER(type, name, parameters, names) type(*name) parameters;
typedef struct Services { RUNTIME_SERVICES(SERVICE_POINTER) } Services;
extern const Services SERVICES;

#endif
