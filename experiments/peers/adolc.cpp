/* ADOL-C: records the run with the values that reversal needs, in memory and then in files of the folder, and reverses. */
#include "tapes.h"

#include <adolc/adolc.h>

extern "C" double taped(int64_t n, const double *u, int64_t size, double *g) {
    double value = 0.0, one = 1.0;
    trace_on(1, 1);
    {
        std::vector<adouble> x(size);
        for (int64_t i = 0; i < size; i++) x[i] <<= u[i];
        program(x, n) >>= value;
    }
    trace_off();
    reverse(1, 1, static_cast<int>(size), 0, &one, g);
    return value;
}
