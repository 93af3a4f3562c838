/* CppAD: records the run, then reverses the record. */
#include "tapes.h"

#include <cppad/cppad.hpp>

extern "C" double taped(int64_t n, const double *u, int64_t size, double *g) {
    std::vector<CppAD::AD<double>> x(u, u + size), y(1);
    CppAD::Independent(x);
    y[0] = program(x, n);
    CppAD::ADFun<double> record(x, y);
    const std::vector<double> gradient = record.Reverse(1, std::vector<double>{1.0});
    for (int64_t i = 0; i < size; i++) g[i] = gradient[i];
    return CppAD::Value(y[0]);
}
