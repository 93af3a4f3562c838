/* Runs the taped function of a unit, and reverses the run: the numbers that come out, in hexadecimal.
 *
 * In: UNIT, a file with `unit_tape` and `unit_reverse`, entered at the head 0, whose registers hold reals; as
 * arguments how far it may count, and the registers. Out: the number of the block where it stands, the steps, the
 * registers; after the reversal, from the cotangents 1, 1.5, 2 ..., the cotangents. There is no runtime: only the tape.
 */
#include <stdio.h>
#include <stdlib.h>

#include UNIT

enum { REGISTERS = 16, BLOCKS = 8, ROOM = 1 << 12 };

static Word words[ROOM];
static RunEnd ended;
static Word *first, *behind;
static const uint8_t *last_way;

static Word *begin(Machine *machine, size_t least, size_t wanted, Word **end) {
    (void)machine;
    (void)wanted;
    *end = words + ROOM;
    return least < ROOM ? words : NULL;
}
static void finish(Machine *machine, const Unit *unit, uint32_t entry, uint32_t exit, Word *start, Word *up,
                   const uint8_t *ways, Word *end) {
    (void)machine;
    ended = (RunEnd){.unit = unit, .entry = entry, .exit = exit};
    ended.ways = (uint32_t)((const uint8_t *)(const void *)end - ways);
    first = start;
    behind = up;
    last_way = ways;
}

int main(int count, char **arguments) {
    static const Services runtime = {.run_begin = begin, .run_end = finish};
    static Block blocks[BLOCKS];
    static Value registers[REGISTERS], window[REGISTERS];
    const void *references[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) references[i] = &blocks[i];
    const Unit unit = {.references = references};
    Machine machine = {.registers = registers, .block = &blocks[0]};
    Cotangent cotangent = {.window = window, .registers = REGISTERS};
    unit_bind(&runtime);
    for (int i = 2; i < count; i++) registers[i - 2] = of_real(strtod(arguments[i], NULL));
    if (!unit_tape(&unit, &machine, 0, atoll(arguments[1]))) return puts("nothing done") < 0;
    printf("%d %lld", (int)(machine.block - blocks), (long long)machine.steps);
    for (int i = 0; i < count - 2; i++) printf(" %a", registers[i].real);
    for (int i = 0; i < REGISTERS; i++) window[i] = of_real(1.0 + i / 2.0);
    if (!unit_reverse(&unit, &cotangent, &ended, first, behind, last_way)) return 1;
    printf("\n%d", (int)(cotangent.block - blocks));
    for (int i = 0; i < count - 2; i++) printf(" %a", window[i].real);
    puts("");
    return 0;
}
