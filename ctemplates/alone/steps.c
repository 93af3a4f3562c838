/* Steps and ends of blocks that no instruction performs: see steps.h. */
#include "alone/steps.h"

#include <math.h>

#include "alone/capsules.h"
#include "alone/effects.h"
#include "alone/failing.h"
#include "alone/raising.h"
#include "alone/reals.h"
#include "alone/things.h"
#include "alone/writing.h"
#include "control/control.h"
#include "foreign/unwind.h"
#include "state/parts.h"

#define LONGEST 0x1p62 /* more steps than any run makes */

typedef struct Task { /* one step on borrowed operands */
    Machine *m;
    const StepFacts *facts;
    const Value *operands;
    uint32_t count;
    Value value; /* the result, or what it raises */
} Task;

/* Makes the failure of the step; returns that it has failed. */
static bool fails(Task *task, const char *message) {
    task->value = failure_of(task->m->heap, task->facts->operation->name, task->operands, task->count, message);
    raise.place = task->facts->place;
    raise.step = NULL;
    return false;
}

/* Takes what a run within the step has raised, and its place. */
static bool raises_again(Task *task) {
    note_raised(task->m, task->operands);
    task->value = raise.value;
    raise.uncaught = false;
    if (!raise.step) raise.step = task->facts->place;
    return false;
}

/* Input and output */

static bool read_word(Task *task) {
    const char *word = effect_read(task->m->helper, task->m->steps);
    double real;
    if (!*word) return fails(task, TEXTS.end_of_input);
    if (read_real(word, &real)) {
        task->value = of_real(real);
        return true;
    }
    Buffer shown = {NULL, 0, 0}, message = {NULL, 0, 0};
    write_quoted(&shown, word);
    buffer_format(&message, TEXTS.no_real, shown.text);
    fails(task, message.text);
    buffer_end(&shown);
    buffer_end(&message);
    return false;
}

static bool write_line(Task *task) {
    Buffer line = {NULL, 0, 0};
    write_value(&line, task->operands[0], 0);
    effect_write(task->m->helper, task->m->steps, &line);
    buffer_end(&line);
    task->value = copied(task->operands[0]);
    return true;
}

/* Data */

static bool same_kind(Value x, Value y) {
    const Kind one = kind_of(x), other = kind_of(y);
    if (one == FOREIGN && other == FOREIGN) return thing_in(x)->kind == thing_in(y)->kind;
    const bool procedure = one == PROCEDURE || one == CLOSURE;
    return one == other || (procedure && (other == PROCEDURE || other == CLOSURE));
}

static bool answers(Task *task, bool answer) {
    task->value = of_boolean(answer);
    return true;
}

/* Operators */

static bool operates(Task *task, bool done) {
    if (done) return true;
    if (raise.uncaught) return raises_again(task);
    Buffer message = {NULL, 0, 0};
    if (raise.mismatch.length)
        buffer_put(&message, raise.mismatch.text);
    else if (is_resume(task->operands[0]))
        buffer_put(&message, TEXTS.no_capsule);
    else if (!call_fails(&message, task->operands[0], 1))
        buffer_put(&message, TEXTS.too_much);
    fails(task, message.text);
    buffer_end(&message);
    buffer_end(&raise.mismatch);
    return false;
}

static bool count_steps(Task *task) {
    int64_t steps;
    const bool done = run_apart(task->m, task->operands, INT64_MAX, &steps, NULL);
    if (done) task->value = of_real((double)steps);
    return operates(task, done);
}

/* Says that a number of steps is none; or, of a run of so many steps, that it is too large. */
static bool fails_to_stop(Task *task, double limit, const int64_t *steps) {
    Buffer message = {NULL, 0, 0}, wanted = {NULL, 0, 0};
    if (steps) {
        buffer_format(&wanted, "%.0f", limit);
        buffer_format(&message, TEXTS.too_short, (long long)*steps, wanted.text);
    } else {
        write_float(&wanted, limit);
        buffer_format(&message, TEXTS.no_whole, wanted.text);
    }
    fails(task, message.text);
    buffer_end(&message);
    buffer_end(&wanted);
    return false;
}

static bool interrupt(Task *task) {
    double limit;
    int64_t steps;
    if (!real_in(task->operands[2], &limit)) return fails(task, task->facts->operation->refused[0]);
    if (!(limit >= 0.0 && limit == floor(limit) && isfinite(limit))) return fails_to_stop(task, limit, NULL);
    const int64_t most = limit < LONGEST ? (int64_t)limit : INT64_MAX;
    if (!run_apart(task->m, task->operands, most, &steps, &task->value)) return operates(task, false);
    return steps == most || fails_to_stop(task, limit, &steps);
}

/* Of what cannot be assigned to: a reference that came in from outside ends the run, and no handler receives that. */
static bool assigns(Task *task) {
    if (kind_of(task->operands[0]) != LIST) return fails(task, task->facts->operation->refused[0]);
    end_run(task->facts->place, TEXTS.came_in);
}

/* Performs the step; false: it raises the value. */
static bool perform(Task *task) {
    const Operation *operation = task->facts->operation;
    double real;
    switch (operation->doing) {
    case DOES_SCALAR: return fails(task, scalar_failure(operation, task->operands, task->count));
    case DOES_SYMBOL_TEST:
        return answers(task, kind_of(task->operands[0]) == FOREIGN && thing_in(task->operands[0])->kind == SYMBOL);
    case DOES_OTHER_TEST: return answers(task, false);
    case DOES_ASSIGN: return assigns(task);
    case DOES_SAME:
        if (!same_kind(task->operands[0], task->operands[1])) return answers(task, false);
        return fails(task, operation->refused[0]);
    case DOES_READ_REAL: return read_word(task);
    case DOES_WRITE_REAL:
        if (!real_in(task->operands[0], &real)) return fails(task, operation->refused[0]);
        return write_line(task);
    case DOES_WRITE: return write_line(task);
    case DOES_GRADIENT: return operates(task, false);
    case DOES_PRIMOPS: return count_steps(task);
    case DOES_INTERRUPT: return interrupt(task);
    case DOES_NOTHING_ELSE:
    case DOES_DATA:
    case DOES_CONTROL: break;
    }
    if (!operation->refused) end_run(task->facts->place, TEXTS.too_much); /* the end of a j* */
    return fails(task, operation->refused[0]);
}

Outcome foreign_step(Machine *m, uint32_t index, bool *jumped) {
    const Step *step = &m->block->steps[index];
    Value operands[step->count + 1];
    for (uint32_t i = 0; i < step->count; i++) operands[i] = operand_value(m, m->block, &step->operands[i]);
    Task task = {m, &facts_of(m->block)->steps[index], operands, step->count, nothing()};
    const bool done = perform(&task);
    drop_moved(m, step->operands, step->count);
    *jumped = !done;
    if (!done) {
        drop_live(m, index + 1, step->result);
        return machine_unwind(m, task.value) ? STOPPED : FAILED;
    }
    store(&m->registers[step->result], task.value);
    return STOPPED;
}

/* Ends */

static void say_why(Heap *heap, Buffer *message, const End *end, const Value *operands) {
    if (end->kind == BRANCH)
        buffer_put(message, TEXTS.test);
    else if (end->kind == CONTROL && end->resumes)
        buffer_put(message, TEXTS.no_capsule);
    else if (end->kind == CALL)
        call_fails(message, operands[0], end->count - 1);
    else if (!tangent_differs(heap, message, TEXTS.tangent, operands[1], operands[2]) && !call_fails(message, operands[0], 1))
        buffer_put(message, TEXTS.too_much);
}

/* Returns what the end raises. */
static Value end_failure(Machine *m) {
    const End *end = &m->block->end;
    const StepFacts *facts = &facts_of(m->block)->end;
    Value operands[end->count + 1];
    for (uint32_t i = 0; i < end->count; i++) operands[i] = operand_value(m, m->block, &end->operands[i]);
    raise.place = facts->place;
    raise.step = NULL;
    if (end->kind == THROW) return copied(operands[0]);
    Buffer message = {NULL, 0, 0}, called = {NULL, 0, 0};
    const bool is_call = end->kind == CALL;
    say_why(m->heap, &message, end, operands);
    if (is_call) write_value(&called, operands[0], SHOWN_CHARACTERS);
    const char *name = is_call ? called.text : facts->operation->name;
    const Value made = failure_of(m->heap, name, operands + is_call, end->count - is_call, message.text);
    buffer_end(&message);
    buffer_end(&called);
    return made;
}

/* Performs resume; false: the operand is no capsule. */
static bool resumes(Machine *m) {
    const End *end = &m->block->end;
    if (end->kind != CONTROL || !end->resumes) return false;
    const Value operand = operand_value(m, m->block, &end->operands[0]);
    const Capsule *capsule = capsule_in(operand);
    if (!capsule) return false;
    State *state = capsule->state;
    state->count++;
    if (state->tags > m->tags) m->tags = state->tags;
    continue_state(m, state, copied(operand));
    state_release(m->heap, state);
    return true;
}

Outcome foreign_end(Machine *m) {
    if (resumes(m) || differentiates(m)) return STOPPED;
    const Value raised = end_failure(m);
    drop_live(m, m->block->step_count, NO_REGISTER);
    return machine_unwind(m, raised) ? STOPPED : FAILED;
}

/* Raised values */

bool foreign_strip(Machine *m, uint32_t k, int64_t tag, Value *raised) {
    strip_raised(m, k, tag, raised);
    return true;
}

void foreign_uncaught(Machine *m, Value raised) {
    (void)m;
    raise.value = raised;
    raise.uncaught = true;
}

/* Reversal */

Outcome foreign_reverse_on(Cotangent *c, const Block *block, const Origin *origin, Value *received, Value *accumulators,
                           uint32_t count) {
    (void)block, (void)count;
    if (!origin->whole || origin->whole->kind != WHOLE_STRIP) return FAILED;
    reverse_strip(c, origin->whole, received, accumulators);
    return STOPPED;
}

void *foreign_origin_of(Cotangent *c, const Block *block, int32_t key, const Whole *whole) {
    (void)c, (void)block, (void)key, (void)whole;
    return NULL;
}

Outcome foreign_scale(Cotangent *c, const Block *block, const Action *action, const Value *values, Value result,
                      double *cotangents) {
    (void)c, (void)block, (void)action, (void)values, (void)result, (void)cotangents;
    return FAILED;
}

Outcome foreign_resumed(Cotangent *c, void *capsule) {
    (void)c, (void)capsule;
    return FAILED;
}

void foreign_run_stays(Cotangent *c) { (void)c; }
