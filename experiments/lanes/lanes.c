/* The programs of programs.py, lane by lane, as written by hand. */
#include <math.h>

void turns(const double *x, const double *n, double *to, long count) {
    for (long i = 0; i < count; i++) {
        double a = x[i], t = 0.0;
        while (t < n[i]) {
            if (a > 1.0)
                a = a * 0.5;
            else
                a = a * 1.5 + 0.1;
            t = t + 1.0;
        }
        to[i] = a;
    }
}

void waves(const double *x, const double *n, double *to, long count) {
    for (long i = 0; i < count; i++) {
        double a = x[i], t = 0.0;
        while (t < n[i]) {
            a = sin(a) + exp(-a);
            t = t + 1.0;
        }
        to[i] = a;
    }
}
