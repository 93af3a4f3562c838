/* The cotangent of the value of an inner run: see seeds.h. */
#include "operators/seeds.h"

#include "state/built_in.h"

enum { RESULT = 0 }; /* any register: the value itself */

void seeds_begin(Seeds *seeds, Heap *heap) {
    locations_begin(&seeds->value, heap);
    locations_begin(&seeds->paths, heap);
    locations_begin(&seeds->cotangents, heap);
}

void seeds_end(Seeds *seeds) {
    locations_end(&seeds->value);
    locations_end(&seeds->paths);
    locations_end(&seeds->cotangents);
}

bool seeds_open(Seeds *seeds, Heap *heap, Value cotangent, Tags *tags) {
    seeds->cotangent = cotangent;
    seeds->is_one = kind_of(cotangent) == FOREIGN && ((Foreign *)cotangent.object)->python == built_in.unit;
    if (seeds->is_one) return true;
    Locations found;
    locations_begin(&found, heap);
    const Sharing sharing = heap_is_alone(heap) ? AS_GRAPH : AS_TREE; /* what does not fit the value is found later */
    const bool done = locations_add(&found, cotangent, in_register(NO_REGISTER), sharing) && tags_add(tags, &found, 0);
    locations_end(&found);
    return done;
}

bool seeds_match(Seeds *seeds, Value value, Register at) {
    const Site place = in_register(RESULT);
    if (!locations_add(&seeds->value, value, place, AS_DATA)) return false;
    if (!seeds->is_one)
        return locations_match(&seeds->paths, &seeds->cotangents, value, place, seeds->cotangent, in_register(at));
    return kind_of(value) == REAL || kind_of(value) == DUAL;
}

/* Gives one number its cotangent, at the tags of the run; the upper half of the components where there is one tag more. */
static void give(Inner *run, const Tags *tags, const Location *number, Value cotangent) {
    double row[1 << MOST_TAGS];
    const uint32_t rows = row_of(tags), above = row_of(&run->tags) - rows;
    for (uint32_t b = 0; b < rows; b++) {
        row[b] = 0.0;
        row[above + b] = component(tags, cotangent, ~b & (rows - 1));
    }
    inner_seed(run, number, row);
}

static void give_received(Inner *run, const Tags *tags, const Location *number, const double *received) {
    double row[1 << MOST_TAGS];
    const uint32_t rows = row_of(tags);
    for (uint32_t b = 0; b < rows; b++) {
        row[b] = received[b];
        row[rows + b] = 0.0;
    }
    inner_seed(run, number, row);
}

void seeds_give(const Seeds *seeds, Inner *run, const Tags *tags, const double *received) {
    if (seeds->is_one) give(run, tags, &seeds->value.all[0], of_real(1.0));
    for (uint32_t i = seeds->paths.count; i-- > 0;)
        give(run, tags, &seeds->paths.all[i], seeds->cotangents.all[i].number);
    for (uint32_t i = 0; received && i < seeds->value.count; i++)
        give_received(run, tags, &seeds->value.all[i], received + ((size_t)i << tags->count));
}
