/* A cotangent, and what stands for its fields in the tests: a plain table. */
#ifndef CK_COTANGENT_MODEL_H
#define CK_COTANGENT_MODEL_H

#include "checks.h"

#include "reversal/reverse_program.h"
#include "scalars/scalars.h"
#include "accumulators/birth_rows.h"
#include "state/cotangent_stack.h"
#include "reversal/left_over.h"

/* Stand-ins: no step is arithmetic. */
const uint16_t SCALAR_COUNT = 3;
const Scalar SCALARS[3] = {{.arity = 1}, {.arity = 2}, {.arity = 2}};

/* With its programs, as the api makes and ends it. */
static Cotangent *create(Heap *heap) {
    Cotangent *c = cotangent_create(heap, NULL);
    programs_create(c);
    return c;
}
static void destroy(Cotangent *c) {
    programs_destroy(c);
    cotangent_destroy(c);
}

typedef struct Plain {
    bool there;
    double cotangent;
} Plain;

/* Does something at random with a field, and with what stands for it in the table. */
static void one_turn(Cotangent *c, uint64_t b, int64_t field, Plain *p) {
    const double cotangent = (double)random_below(100) / 3.0;
    switch (random_below(4)) {
    case 0:
        cotangent_give(c, b, field, of_real(cotangent));
        p->cotangent = (p->there ? p->cotangent : 0.0) + cotangent;
        p->there = true;
        break;
    case 1:
        cotangent_set(c, b, field, of_real(cotangent));
        *p = (Plain){true, cotangent};
        break;
    case 2:
        CHECK(cotangent_take(c, b, field).real == (p->there ? p->cotangent : 0.0));
        *p = (Plain){false, 0.0};
        break;
    default: {
        const Value *found = cotangent_find(c, b, field);
        CHECK((found != NULL) == p->there);
        CHECK(!found || found->real == p->cotangent);
    }
    }
}

static Value dual(Heap *heap, Value primal, Value tangent) {
    Cells *cells = new_cells(heap, DUAL, 2);
    cells->cells[0] = primal;
    cells->cells[1] = tangent;
    return of_object(DUAL, cells);
}

#endif
