/* The executable: one run of a program.
 *
 * In: the program's tables (program.h). Out: what `checkpoint run` prints of it, and its exit status; with --steps, what
 * `checkpoint primops` prints.
 */
#include "alone/main.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone/failing.h"
#include "alone/operators.h"
#include "alone/raising.h"
#include "alone/things.h"
#include "alone/writing.h"
#include "containers/lists.h"
#include "machine/clock.h"
#include "machine/vm.h"
#include "natives/natives.h"
#include "state/built_in.h"

/* USAGE: the exit status for wrong arguments. STACK: bytes; runs within steps, and values, may be deep. RAISED_LIMIT:
 * characters of a raised value that are shown. */
enum { USAGE = 2, RAISED_LIMIT = 200 };
#define STACK ((size_t)1 << 30)

/* There are no other containers. */
static void destroy_reference(Heap *heap, Object *object) { list_destroy(heap, (List *)object); }

static const HeapHooks HOOKS = {
    .release_python = thing_release,
    .destroy_container = destroy_reference,
    .forget_layouts = layouts_destroy,
    .gradient = alone_gradient,
    .reverse_gradient = alone_reverse,
    .mismatched = note_mismatch,
    .left = raised_within,
};

typedef struct Run {
    bool counts; /* the number of steps is wanted, not the value */
    int status;
} Run;

static void print_raised(void) {
    Buffer message = {NULL, 0, 0}, shown = {NULL, 0, 0};
    const bool is_failure = kind_of(raise.value) == FOREIGN && thing_in(raise.value)->kind == FAILURE;
    if (is_failure) {
        buffer_put(&message, thing_in(raise.value)->text);
    } else {
        write_value(&shown, raise.value, RAISED_LIMIT);
        buffer_format(&message, TEXTS.uncaught, shown.text);
    }
    print_error(raise.place, message.text);
    if (is_failure && raise.step && strncmp(message.text, TEXTS.no_reset, strlen(TEXTS.no_reset)) == 0) {
        Buffer note = {NULL, 0, 0};
        buffer_format(&note, TEXTS.within_step, raise.step->where);
        fprintf(stderr, "%s\n", note.text);
        buffer_end(&note);
    }
}

static void print_result(const Run *run, const Machine *machine) {
    Buffer line = {NULL, 0, 0};
    if (run->counts)
        buffer_format(&line, "%lld", (long long)machine->steps);
    else
        write_value(&line, machine->registers[0], 0);
    puts(line.text);
    buffer_end(&line);
}

static State *first_state(Heap *heap) {
    State *start = state_create(heap, built_in.entry, 0, 2, version_create(heap));
    start->births = 1;
    start->values[0] = of_procedure(PROCEDURE, PROGRAM.thunk, NULL);
    stack_push(heap, &start->stack, built_in.halt, NULL);
    return start;
}

static void run_in(Heap *heap, Run *run) {
    Machine *machine = machine_create(heap, first_state(heap), NULL, NULL);
    Outcome outcome;
    do outcome = machine_run(machine, INT64_MAX, SLICE);
    while (outcome == SLICED);
    run->status = outcome == FINISHED ? EXIT_SUCCESS : EXIT_FAILURE;
    if (outcome == FINISHED) print_result(run, machine);
    else if (raise.uncaught) print_raised();
    else print_error(PROGRAM.place, TEXTS.too_much);
}

static void *start(void *arguments) {
    Run *run = arguments;
    jmp_buf place;
    Heap *heap = heap_create(PROGRAM.memory, &HOOKS);
    if (heap && setjmp(place) == 0) {
        heap->escape = &place;
        run_in(heap, run);
    } else {
        run->status = EXIT_FAILURE;
        print_error(PROGRAM.place, TEXTS.out_of_memory);
    }
    if (fflush(stdout)) run->status = EXIT_FAILURE;
    return NULL;
}

int main(int count, char **arguments) {
    Run run = {.counts = count == 2 && strcmp(arguments[1], "--steps") == 0};
    if (count > 1 + run.counts) {
        fprintf(stderr, "usage: %s [--steps]\n", arguments[0]);
        return USAGE;
    }
    built_in = (BuiltIn){.entry = PROGRAM.entry, .halt = PROGRAM.halt, .leave = PROGRAM.leave};
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    if (pthread_create(&thread, &attributes, start, &run)) start(&run);
    else pthread_join(thread, NULL);
    return run.status;
}
