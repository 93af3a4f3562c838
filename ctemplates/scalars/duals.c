/* Duals as values. */
#include "scalars/duals.h"

double number_real(Value number) {
    while (kind_of(number) == DUAL) number = cells_of(number)[0];
    return number.real;
}

Value dual_of(Heap *heap, uint64_t tag, Value primal, Value tangent) {
    Cells *cells = new_cells(heap, DUAL, 2);
    cells->head.birth = tag & LARGEST_BIRTH;
    cells->cells[0] = primal;
    cells->cells[1] = tangent;
    return of_object(DUAL, cells);
}
