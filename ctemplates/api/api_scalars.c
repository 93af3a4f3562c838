/* api_scalars.h: loops over arrays; and arithmetic for tests, each call in a heap of its own. */
#include "api/api_scalars.h"

#include <stdlib.h>

#include "api/held.h"
#include "scalars/numbers.h"
#include "scalars/step_tape.h"

enum { LEFT_TO_PYTHON = -1, NOT_GIVEN_BACK = -2, MOST_REGISTERS = 8 };

ScalarFacts ck_scalar_facts(uint16_t number) {
    const Scalar *s = &SCALARS[number];
    return (ScalarFacts){s->arity, s->is_predicate, s->takes_integers, s->singular, s->integers != NULL};
}

bool ck_scalar_value(uint16_t number, bool strict, const double *operands, double *result) {
    return (strict ? SCALARS[number].value : SCALARS[number].ieee)(operands, result);
}

double ck_scalar_partial(uint16_t number, int position, const double *operands, double result) {
    return SCALARS[number].partials[position](operands, result);
}

bool ck_scalar_integers(uint16_t number, const int64_t *operands, int *kind, int64_t *integer, double *real) {
    Value value;
    if (!SCALARS[number].integers(operands, &value)) return false;
    *kind = (int)kind_of(value);
    *integer = value.tag == REAL ? 0 : value.integer;
    *real = value.tag == REAL ? value.real : 0.0;
    return true;
}

int64_t ck_scalar_loop(uint16_t number, bool strict, int64_t count, const double *x, const double *y, double *z) {
    bool (*const function)(const double *, double *) = strict ? SCALARS[number].value : SCALARS[number].ieee;
    const bool two = SCALARS[number].arity > 1;
    for (int64_t i = 0; i < count; i++) {
        const double operands[2] = {x[i], two ? y[i] : 0.0};
        if (!function(operands, &z[i])) return i;
    }
    return -1;
}

/* Reads one number, and moves on behind it. */
static Value number_from(Heap *heap, const Piece **at) {
    const Piece piece = *(*at)++;
    if (piece.kind == PIECE_REAL) return of_real(piece.real);
    if (piece.kind == PIECE_INTEGER) return of_integer((int64_t)piece.real);
    if (piece.kind == PIECE_BOOLEAN) return of_boolean(piece.real != 0.0);
    Cells *cells = new_cells(heap, DUAL, 2);
    cells->head.birth = (uint64_t)piece.kind & LARGEST_BIRTH;
    cells->cells[0] = number_from(heap, at);
    cells->cells[1] = number_from(heap, at);
    return of_object(DUAL, cells);
}

static Piece *number_to(Value number, Piece *at) {
    if (number.tag == BOOLEAN) {
        *at = (Piece){.kind = PIECE_BOOLEAN, .real = (double)number.integer};
    } else if (kind_of(number) == DUAL) {
        *at = (Piece){.kind = (int64_t)number.object->birth, .real = 0.0};
        at = number_to(cells_of(number)[0], at + 1);
        return number_to(cells_of(number)[1], at);
    } else {
        *at = (Piece){.kind = PIECE_REAL, .real = number.real};
    }
    return at + 1;
}

static Heap *fresh_heap(void) {
    Heap *heap = heap_create(SIZE_MAX, &HELD_HOOKS);
    if (!heap) abort();
    return heap;
}

static int64_t checked(Heap *heap, int64_t pieces) {
    if (heap->bytes) pieces = NOT_GIVEN_BACK;
    heap_destroy(heap);
    return pieces;
}

int64_t ck_scalar_apply(uint16_t number, bool strict, const Piece *operands, Piece *result) {
    Numbers numbers = {.heap = fresh_heap(), .tape = NULL};
    Value given[2], value;
    const uint32_t count = SCALARS[number].arity;
    int64_t pieces = LEFT_TO_PYTHON;
    for (uint32_t i = 0; i < count; i++) given[i] = number_from(numbers.heap, &operands);
    if (numbers_apply(&numbers, number, given, &value, strict)) {
        pieces = number_to(value, result) - result;
        drop(numbers.heap, value);
    }
    for (uint32_t i = 0; i < count; i++) drop(numbers.heap, given[i]);
    return checked(numbers.heap, pieces);
}

/* Gives the cotangents to the step and writes what its accumulators are then. */
static Piece *reversed(Heap *heap, StepTape *tape, uint32_t registers, const Piece *cotangents, Piece *at) {
    Value window[MOST_REGISTERS], received = number_from(heap, &cotangents);
    for (uint32_t i = 0; i < registers; i++) window[i] = number_from(heap, &cotangents);
    if (tape) step_tape_reverse(heap, tape, received, window);
    drop(heap, received);
    for (uint32_t i = 0; i < registers; i++) {
        at = number_to(window[i], at);
        drop(heap, window[i]);
    }
    return at;
}

int64_t ck_scalar_tape(uint16_t number, const Piece *operands, const uint32_t *places, uint32_t registers,
                       const Piece *cotangents, Piece *result) {
    Heap *heap = fresh_heap();
    const uint32_t count = SCALARS[number].arity;
    Value given[2], value;
    StepTape *tape;
    int64_t pieces = LEFT_TO_PYTHON;
    for (uint32_t i = 0; i < count; i++) given[i] = number_from(heap, &operands);
    if (registers <= MOST_REGISTERS && numbers_apply_taped(heap, number, given, places, &value, &tape)) {
        Piece *end = reversed(heap, tape, registers, cotangents, number_to(value, result));
        pieces = end - result;
        if (tape) step_tape_destroy(heap, tape);
        drop(heap, value);
    }
    for (uint32_t i = 0; i < count; i++) drop(heap, given[i]);
    return checked(heap, pieces);
}
