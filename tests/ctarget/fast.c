/* A unit as translation writes it, by hand, of tests/ctarget/test_fast.py:
 *
 *     (let loop ((i n) (x x)) (if (= i 0) x (loop (- i 1) (* x (- 1.0001 (* x 0.0001))))))
 *
 * I, X: the registers of the loop's parameters. COST: steps of one way round. A run keeps i at its entry as its
 * header, x of each way round as a record. What cannot be is fatal. */
#include "machine/fast.h"

#ifndef REFUSES
#define REFUSES 0
#endif

enum { WAY = 7, ENTRY = 3, EXIT = 5 };
#define EXPORTED __attribute__((visibility("default")))
#define EXPECT(IT)                                                                                             \
    do {                                                                                                       \
        if (!(IT)) __builtin_trap();                                                                           \
    } while (0)

static const Services *services;
EXPORTED int64_t unit_runs_of[3]; /* how often each function did something: plain, tape, reverse */
EXPORTED int64_t unit_refused;

EXPORTED void unit_bind(const Services *given) { services = given; }

static bool enters(const Unit *unit, const Machine *m, uint32_t entry) {
    EXPECT(m->block == unit->references[0] && m->block->procedure == unit->references[1]);
    EXPECT(entry == ENTRY && m->index == 0);
    const bool goes = !REFUSES && (m->registers[I].tag | m->registers[X].tag) == REAL;
    unit_refused += !goes;
    return goes;
}

static void leave(Machine *m, double i, double x, int64_t steps) {
    m->registers[I].real = i;
    m->registers[X].real = x;
    m->steps = steps;
}

EXPORTED bool unit_plain(const Unit *unit, Machine *m, uint32_t entry, int64_t stop) {
    if (!enters(unit, m, entry)) return false;
    int64_t steps = m->steps;
    double i = m->registers[I].real, x = m->registers[X].real;
    for (; stop - steps >= COST && i != 0.0; steps += COST) {
        i = i - 1.0;
        x = x * (1.0001 - x * 0.0001);
    }
    if (steps == m->steps) return false;
    leave(m, i, x, steps);
    unit_runs_of[0]++;
    return true;
}

EXPORTED bool unit_tape(const Unit *unit, Machine *m, uint32_t entry, int64_t stop) {
    if (!enters(unit, m, entry)) return false;
    int64_t steps = m->steps;
    double i = m->registers[I].real, x = m->registers[X].real;
    if (stop - steps < COST || i == 0.0) return false;
    Word *end, *start = services->run_begin(m, 3, 0, &end), *up = start;
    if (!start) return false;
    EXPECT(end - start >= 3 && unit->header == 1);
    uint8_t *ways = (uint8_t *)(void *)end;
    (up++)->real = i;
    for (; stop - steps >= COST && i != 0.0 && ways - (uint8_t *)(void *)up >= 9; steps += COST) {
        (up++)->real = x;
        *--ways = WAY;
        i = i - 1.0;
        x = x * (1.0001 - x * 0.0001);
    }
    EXPECT(steps > m->steps);
    services->run_end(m, unit, ENTRY, EXIT, start, up, ways, end);
    leave(m, i, x, steps);
    unit_runs_of[1]++;
    return true;
}

EXPORTED bool unit_reverse(const Unit *unit, Cotangent *c, const RunEnd *end, const Word *header, const Word *up,
                           const uint8_t *ways) {
    EXPECT(end->unit == unit && end->entry == ENTRY && end->exit == EXIT && c->block == unit->references[0]);
    EXPECT(up - header == 1 + (ptrdiff_t)end->ways && (const void *)up == ways);
    const Word *behind = (const Word *)(const void *)end;
    EXPECT(behind - header == end->words - RUN_END_WORDS && behind[RUN_END_WORDS].mark == RUN_MARK);
    for (const uint8_t *way = ways; way < (const uint8_t *)end; way++) EXPECT(*way == (way < ways + end->ways) * WAY);
    EXPECT(header->real >= (double)end->ways);
    if ((c->window[I].tag | c->window[X].tag) != REAL) return false;
    double cotangent = c->window[X].real;
    for (uint32_t k = 0; k < end->ways; k++) {
        const double x = (--up)->real, difference = 1.0001 - x * 0.0001, by_difference = 0.0 + x * cotangent;
        double by_x = 0.0 + difference * cotangent;
        by_x += 0.0001 * (0.0 - by_difference);
        cotangent = by_x;
    }
    EXPECT(up == header + 1);
    c->window[X].real = cotangent;
    c->block = unit->references[0];
    c->index = 0;
    unit_runs_of[2]++;
    return true;
}
