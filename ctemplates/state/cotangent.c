/* Cotangents: the accumulators of objects' fields.
 *
 * Those of fields are in a map (field_map.h). A page is an entry of it, too, whose field no key has, and whose cotangent is
 * the address of the page as a REAL. A field on a page has no entry of its own.
 * Fields of objects made one after another are in rows, where many of these in turn receive (birth_rows.h); the fields of one
 * object that receive at once are a row of reals (real_rows.h). A field is in one of the four.
 *
 * What always holds: an accumulator that is not a REAL has one owner, so moving it is free.
 */
#include "state/cotangent.h"

#include <string.h>

enum {
    FIRST_REGISTERS = 16,
    NEAR = 4,                 /* between the births of neighbours */
    IN_TURN = 8,              /* neighbours without a row that receive in turn before there is one */
    FEWEST_SPREAD = 32,       /* entries of a birth before it has pages wherever another field receives, */
    SPREAD = 4                /* and of how many fields one has an entry by then: a page takes what 16 entries take */
};

static void clear_values(Value *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = of_real(0.0);
}

static void drop_values(Heap *heap, Value *values, size_t count) {
    for (size_t i = 0; i < count; i++) drop(heap, values[i]);
}

void *cotangent_allocate(Cotangent *c, size_t bytes) {
    void *memory = heap_allocate(c->heap, bytes);
    c->bytes += bytes;
    return memory;
}

void *cotangent_allocate_fixed(Cotangent *c, size_t bytes) {
    c->fixed += bytes;
    return cotangent_allocate(c, bytes);
}

void cotangent_free(Cotangent *c, void *memory, size_t bytes) {
    if (!memory) return;
    c->bytes -= bytes;
    heap_free(c->heap, memory, bytes);
}

Cotangent *cotangent_create(Heap *heap, void *helper) {
    Cotangent *c = heap_allocate(heap, sizeof(Cotangent));
    memset(c, 0, sizeof *c);
    c->heap = heap;
    c->helper = helper;
    c->bytes = sizeof(Cotangent);
    c->rows.heap = c->map.heap = heap;
    c->rows.bytes = c->map.bytes = &c->bytes;
    cotangent_reserve(c, FIRST_REGISTERS);
    return c;
}

/* Returns the field of the entry of a page; fields of keys are larger (keys.c). */
static int64_t field_of_page(int64_t number) { return INT64_MIN + 1 + number; }

static void destroy_entry(Cotangent *c, const Entry *entry) {
    if (!entry->birth) return;
    if (is_real_row(entry)) {
        real_row_free(&c->map, real_row_in(entry));
    } else if (is_page(entry)) {
        drop_values(c->heap, page_in(entry)->cotangents, PAGE_FIELDS);
        heap_free(c->heap, page_in(entry), sizeof(Page));
    } else {
        drop(c->heap, entry->cotangent);
    }
}

void cotangent_destroy(Cotangent *c) {
    Heap *heap = c->heap;
    drop_values(heap, c->window, c->registers);
    heap_free(heap, c->window, c->registers * sizeof(Value));
    heap_free(heap, c->scratch, c->registers * sizeof(Value));
    for (AccumulatorChunk *chunk = c->stack, *previous; chunk; chunk = previous) {
        previous = chunk->previous;
        drop_values(heap, chunk->cotangents, chunk->count);
        heap_free(heap, chunk, accumulator_chunk_bytes(chunk->room));
    }
    if (c->spare) heap_free(heap, c->spare, accumulator_chunk_bytes(c->spare->room));
    for (size_t i = 0; i < c->map.room; i++) destroy_entry(c, &c->map.all[i]);
    field_map_free(&c->map, c->map.all, c->map.room);
    birth_rows_destroy(&c->rows);
    heap_free(heap, c, sizeof(Cotangent));
}

static Value *wider(Cotangent *c, Value *values, uint32_t old, uint32_t room) {
    values = heap_resize(c->heap, values, old * sizeof(Value), room * sizeof(Value));
    c->bytes += (room - old) * sizeof(Value);
    c->fixed += (room - old) * sizeof(Value);
    clear_values(values + old, room - old);
    return values;
}

void cotangent_reserve_slowly(Cotangent *c, uint32_t registers) {
    const uint32_t more = c->registers + c->registers / 4;
    const uint32_t room = registers > more ? registers : more;
    c->window = wider(c, c->window, c->registers, room);
    c->scratch = wider(c, c->scratch, c->registers, room);
    c->registers = room;
}

/* The births of one row have the same bit. */
static uint64_t strewn_bit(uint64_t birth) { return paged_bit(birth / ROW_BIRTHS); }

/* Pages */

#define LAST_IN_PAGES (INT64_C(1) << 61)

static PageUse *use_of(Cotangent *c, uint64_t birth) { return &c->uses[birth % PAGE_WAYS]; }

static void make_pages(Cotangent *c, uint64_t birth);

RealRow *cotangent_row(Cotangent *c, uint64_t birth, int64_t field) {
    RealRow *row = c->real_row_count && may_be_paged(c, birth) ? real_row_of(&c->map, birth) : NULL;
    return row && 0 <= field && field < row->count ? row : NULL;
}

Page *cotangent_page(Cotangent *c, uint64_t birth, int64_t field) {
    if (LIKELY(!may_be_paged(c, birth)) || field < 0 || field >= LAST_IN_PAGES) return NULL;
    PageUse *use = use_of(c, birth);
    const int64_t number = field >> PAGE_BITS;
    if (use->page && use->birth == birth && use->number == number) return use->page;
    if (UNLIKELY(cotangent_row(c, birth, field))) make_pages(c, birth);
    const Entry *entry = field_map_find(&c->map, birth, field_of_page(number));
    if (!entry) return NULL;
    if (use->birth != birth) *use = (PageUse){.birth = birth};
    use->number = number;
    return use->page = page_in(entry);
}

void cotangent_free_page(Cotangent *c, uint64_t birth, int64_t field, Page *page) {
    PageUse *use = use_of(c, birth);
    if (use->page == page) use->page = NULL;
    field_map_remove(&c->map, field_map_place(&c->map, birth, field_of_page(field >> PAGE_BITS)));
    cotangent_free(c, page, sizeof(Page));
    if (!--c->page_count) c->paged = 0;
}

/* Returns the word that has the bit of fields as a page has them, paged_bit of their mark. */
static uint64_t *entered_word(Cotangent *c, uint64_t mark) {
    return &c->entered[(mark * UINT64_C(0x9E3779B97F4A7C15) >> 32) % ENTERED_WORDS];
}
static uint64_t mark_of(uint64_t birth, int64_t field) {
    return birth + (uint64_t)(field >> PAGE_BITS) * UINT64_C(0xC2B2AE3D27D4EB4F);
}
bool cotangent_may_be_entered(Cotangent *c, uint64_t birth, int64_t field) {
    const uint64_t mark = mark_of(birth, field);
    return *entered_word(c, mark) & paged_bit(mark);
}

/* Moves an accumulator that is no page's to `to`; returns whether there was one. */
static bool collect(Cotangent *c, uint64_t birth, int64_t field, Value *to) {
    BirthRow *row = birth_row_of(&c->rows, birth, field);
    if (row && birth_row_has(row, birth)) {
        *to = birth_row_take(&c->rows, row, birth);
        return true;
    }
    if (!cotangent_may_be_entered(c, birth, field)) return false;
    const Entry *entry = field_map_find(&c->map, birth, field);
    if (!entry) return false;
    *to = entry->cotangent;
    field_map_remove(&c->map, entry);
    return true;
}

/* Moves the accumulators of the fields of a new page there. */
static void collect_fields(Cotangent *c, uint64_t birth, int64_t first, Page *page) {
    if (c->map.count == c->page_count) memset(c->entered, 0, sizeof c->entered);
    const int64_t count = cotangent_may_be_entered(c, birth, first) ? PAGE_FIELDS : ROW_FIELDS - first; /* others have no entry */
    for (int64_t i = 0; i < count; i++)
        if (collect(c, birth, first + i, &page->cotangents[i])) page->present |= page_bit(i);
}

static bool is_expected(const PageUse *use, uint64_t birth, int64_t field) {
    return use->birth == birth && field - use->first >= 0 && field - use->first < use->count;
}
/* Returns whether fields of a birth have received in turn up to this one, none of which has a page. The first fields are
 * those of pairs and other small objects, whose births have rows. After a page, whose fields are not seen here, the next
 * one is near. */
static bool receives_in_turn(Cotangent *c, uint64_t birth, int64_t field) {
    if (field < ROW_FIELDS || field >= LAST_IN_PAGES) return false;
    FieldTurn *turn = &c->turns[birth % PAGE_WAYS];
    const int64_t near = turn->in_turn < IN_TURN ? NEAR : PAGE_FIELDS, distance = field - turn->last;
    const bool is_near = turn->birth == birth && -near <= distance && distance <= near;
    *turn = (FieldTurn){birth, field, is_near ? turn->in_turn + 1 : 0};
    return turn->in_turn >= IN_TURN;
}

/* Returns whether a field that gets an entry is one of many of its birth, in any order. Births whose counts are in one
 * place wear each other down: the one of most entries stays. */
static bool fills(Cotangent *c, uint64_t birth, int64_t field) {
    if (field < ROW_FIELDS || field >= LAST_IN_PAGES) return false;
    FieldSpread *spread = &c->spreads[birth % PAGE_WAYS];
    if (spread->birth != birth && spread->made > 0) {
        spread->made--;
        return false;
    }
    if (spread->birth != birth) *spread = (FieldSpread){.birth = birth};
    spread->made++;
    if (spread->end <= field) spread->end = field + 1;
    return spread->made > FEWEST_SPREAD && spread->made > spread->end / SPREAD;
}

/* Makes the page of a field, which has none. A row of reals with fields of the page is made into pages, too. */
static Page *new_page(Cotangent *c, uint64_t birth, int64_t field) {
    if (UNLIKELY(cotangent_row(c, birth, field - field % PAGE_FIELDS))) {
        make_pages(c, birth);
        Page *made = cotangent_page(c, birth, field);
        if (made) return made;
    }
    Page *page = cotangent_allocate(c, sizeof(Page));
    memset(page, 0, sizeof *page); /* REALs, all 0 */
    collect_fields(c, birth, field - field % PAGE_FIELDS, page);
    field_map_enter(&c->map, birth, field_of_page(field >> PAGE_BITS))->cotangent.object = (Object *)(void *)page;
    c->page_count++;
    c->paged |= paged_bit(birth);
    return page;
}

/* Rows of reals */

RealRow *cotangent_new_row(Cotangent *c, uint64_t birth, int64_t count) {
    c->real_row_count++;
    c->page_count++;
    c->paged |= paged_bit(birth);
    return real_row_create(&c->map, birth, count);
}

static void forget_row(Cotangent *c, uint64_t birth) {
    real_row_remove(&c->map, birth);
    c->real_row_count--;
    if (!--c->page_count) c->paged = 0;
}

void cotangent_end_row(Cotangent *c, uint64_t birth, RealRow *row, int64_t count) {
    while (count && row->reals[count - 1] == 0.0) count--;
    row->count = count;
    if (count) return;
    forget_row(c, birth);
    real_row_free(&c->map, row);
}

static void make_pages(Cotangent *c, uint64_t birth) {
    RealRow *row = real_row_of(&c->map, birth);
    forget_row(c, birth);
    for (int64_t i = 0; i < row->count; i++) {
        if (row->reals[i] == 0.0) continue;
        Page *page = cotangent_page(c, birth, i);
        if (!page) page = new_page(c, birth, i);
        page->present |= page_bit(i);
        page->cotangents[i % PAGE_FIELDS] = of_real(row->reals[i]);
    }
    real_row_free(&c->map, row);
}

/* Returns the page of a field, or a new one where so many are expected or receive in turn; NULL: it needs none. */
static Page *page_for(Cotangent *c, uint64_t birth, int64_t field) {
    Page *page = cotangent_page(c, birth, field);
    if (page || (!is_expected(use_of(c, birth), birth, field) && !receives_in_turn(c, birth, field))) return page;
    return new_page(c, birth, field);
}

void cotangent_expect(Cotangent *c, uint64_t birth, int64_t first, int64_t count) {
    if (!birth || first < 0 || count < PAGE_FIELDS / 2 || first >= LAST_IN_PAGES - count) return;
    PageUse *use = use_of(c, birth);
    if (use->birth != birth) *use = (PageUse){.birth = birth};
    use->first = first;
    use->count = count;
}

/* Rows of births */
/* Returns the row of a field, or a new one where neighbours have received in turn; NULL: it has none. */
static BirthRow *row_for(Cotangent *c, uint64_t birth, int64_t field) {
    BirthRow *row = birth_row_of(&c->rows, birth, field);
    const bool is_near = birth - c->last_birth + NEAR <= 2 * NEAR;
    c->last_birth = birth;
    if (row) return row;
    c->in_turn = is_near ? c->in_turn + 1 : 0;
    if (c->in_turn < IN_TURN || (uint64_t)field >= ROW_FIELDS) return NULL;
    const uint64_t first = birth - birth % ROW_BIRTHS;
    BirthRow *made = birth_row_create(&c->rows, birth, field);
    const bool is_strewn = c->strewn & strewn_bit(birth);
    for (uint64_t i = 0; i < ROW_BIRTHS && is_strewn && c->map.count > c->page_count; i++) {
        const Entry *entry = field_map_find(&c->map, first + i, field);
        if (!entry || !(first + i)) continue;
        *birth_row_at(made, first + i) = entry->cotangent;
        field_map_remove(&c->map, entry);
    }
    return made;
}

/* Access */
/* Returns the accumulator of a field that is in no row, outside of pages; NULL: a page has it from now on. */
static Value *entered_for(Cotangent *c, uint64_t birth, int64_t field) {
    Entry *entry = field_map_find(&c->map, birth, field);
    if (entry) return &entry->cotangent;
    if (fills(c, birth, field)) return NULL;
    if (c->map.count == c->page_count) c->strewn = 0;
    c->strewn |= strewn_bit(birth);
    const uint64_t mark = mark_of(birth, field);
    *entered_word(c, mark) |= paged_bit(mark);
    return &field_map_enter(&c->map, birth, field)->cotangent;
}
Value *cotangent_accumulator(Cotangent *c, uint64_t birth, int64_t field) {
    Page *page = page_for(c, birth, field);
    BirthRow *row = page ? NULL : row_for(c, birth, field);
    if (row) return birth_row_at(row, birth);
    Value *entered = page ? NULL : entered_for(c, birth, field);
    if (entered) return entered;
    if (!page) page = new_page(c, birth, field);
    page->present |= page_bit(field);
    return &page->cotangents[field % PAGE_FIELDS];
}

Value *cotangent_find(Cotangent *c, uint64_t birth, int64_t field) {
    if (!birth) return NULL;
    Page *page = cotangent_page(c, birth, field);
    if (page) return page->present & page_bit(field) ? &page->cotangents[field % PAGE_FIELDS] : NULL;
    BirthRow *row = birth_row_of(&c->rows, birth, field);
    if (row) return birth_row_has(row, birth) ? birth_row_at(row, birth) : NULL;
    Entry *entry = field_map_find(&c->map, birth, field);
    return entry ? &entry->cotangent : NULL;
}

void cotangent_give(Cotangent *c, uint64_t birth, int64_t field, Value cotangent) {
    if (!birth || birth - c->unread < c->unread_count) {
        drop(c->heap, cotangent);
        return;
    }
    RealRow *row = cotangent_row(c, birth, field);
    if (row && cotangent.tag == REAL)
        row->reals[field] += cotangent.real;
    else
        accumulate(c->heap, cotangent_accumulator(c, birth, field), cotangent);
}

void cotangent_set(Cotangent *c, uint64_t birth, int64_t field, Value cotangent) {
    if (!birth) {
        drop(c->heap, cotangent);
        return;
    }
    Value *accumulator = cotangent_accumulator(c, birth, field);
    drop(c->heap, *accumulator);
    *accumulator = cotangent;
}

Value cotangent_take(Cotangent *c, uint64_t birth, int64_t field) {
    if (!birth) return of_real(0.0);
    RealRow *reals = cotangent_row(c, birth, field);
    if (reals) {
        const double taken = reals->reals[field];
        reals->reals[field] = 0.0;
        if (field == reals->count - 1) cotangent_end_row(c, birth, reals, field);
        return of_real(taken);
    }
    Page *page = cotangent_page(c, birth, field);
    if (page) {
        const Value taken = take_accumulator(&page->cotangents[field % PAGE_FIELDS]);
        if (!(page->present &= ~page_bit(field))) cotangent_free_page(c, birth, field, page);
        return taken;
    }
    BirthRow *row = birth_row_of(&c->rows, birth, field);
    if (row) return birth_row_take(&c->rows, row, birth);
    const Entry *entry = field_map_find(&c->map, birth, field);
    if (!entry) return of_real(0.0);
    const Value cotangent = entry->cotangent;
    field_map_remove(&c->map, entry);
    FieldSpread *spread = &c->spreads[birth % PAGE_WAYS];
    if (spread->birth == birth && spread->made > 0) spread->made--;
    return cotangent;
}
