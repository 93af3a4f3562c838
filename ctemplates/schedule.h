/* What a schedule asks for, and what it is told: the actions and reports of checkpoint/driver/schedule.py. (Also read
 * by cffi: declarations only.)
 *
 *     DO_KEEP      keep the current state, under its step
 *     DO_RESTORE   the state that is kept at `step` becomes the current one
 *     DO_DROP      forget the state that is kept at `step`
 *     DO_ADVANCE   run on to `step`, or to the end of the run
 *     DO_TAPE      the same, recorded; stops early, after at least one step, where the tape is larger than `bytes`
 *     DO_REVERSE   reverse the last tape
 */

typedef enum Deed { DO_KEEP, DO_RESTORE, DO_DROP, DO_ADVANCE, DO_TAPE, DO_REVERSE } Deed;

/* step: the largest int64_t for the end of the run. bytes: the largest size_t for no bound. */
typedef struct Directive {
    Deed deed;
    int64_t step;
    size_t bytes;
} Directive;

/* Where the run stands: the current state's step, whether that is the end, the size of the tape (0 without one). */
typedef struct Report {
    int64_t step;
    bool finished;
    size_t bytes;
} Report;
