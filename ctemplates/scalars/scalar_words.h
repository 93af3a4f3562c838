/* The words of scalars.def, as operations on doubles: x and y are the operands, r the result.
 *
 * In: an entry's value or partial. Out: C that computes it. The runtime (scalars.c) and translated code
 * (translated.h) both read them so: what they compute is the same in every bit. No guard: scalars.c defines the
 * words anew for numbers of any nesting, once it has done with these.
 */
#define REAL_X (x)
#define REAL_Y (y)
#define REAL_Z (r)
#define X (x)
#define Y (y)
#define Z (r)
#define CONSTANT(c) (c)
#define EITHER(condition, then, otherwise) ((condition) ? (then) : (otherwise))
#define ADD(a, b) ((a) + (b))
#define SUBTRACT(a, b) ((a) - (b))
#define MULTIPLY(a, b) ((a) * (b))
#define DIVIDE(a, b) ((a) / (b))
#define NEGATE(a) (-(a))
#define POWER(a, b) power(a, b)
#define SQRT(a) __builtin_sqrt(a)
#define LOG(a) log(a)
#define EXP(a) exp(a)
#define SIN(a) sin(a)
#define COS(a) cos(a)
#define SINH(a) sinh(a)
#define COSH(a) cosh(a)
#define FLOOR(a) whole_below(a)
