/* Reals as texts, and words as reals: see reals.h.
 *
 * The shortest digits that read back as a real are, as long as it is not a power of 2, those of the nearest decimal of so many
 * digits. Below a power of 2 other reals are nearer than above it: there the next larger decimal may read back where the
 * nearest one does not.
 */
#include "alone/reals.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 17, LEAST_FIXED = -4, MOST_FIXED = 16, ROOM = 40 };

typedef struct Decimal {
    char digits[MOST_DIGITS + 1];
    int exponent; /* that of the first digit */
} Decimal;

/* Reads what printf has written of a positive real: "d.ddde+xx". */
static Decimal decimal_of(double real, int digits) {
    char text[ROOM];
    Decimal found;
    snprintf(text, sizeof text, "%.*e", digits - 1, real);
    found.digits[0] = text[0];
    memcpy(found.digits + 1, text + 2, (size_t)(digits - 1));
    found.digits[digits] = 0;
    found.exponent = atoi(strchr(text, 'e') + 1);
    return found;
}

static void next_larger(Decimal *decimal) {
    size_t i = strlen(decimal->digits);
    while (i-- > 0) {
        if (decimal->digits[i]++ != '9') return;
        decimal->digits[i] = '0';
    }
    decimal->digits[0] = '1';
    decimal->exponent++;
}

static bool reads_back(const Decimal *decimal, double real) {
    char text[ROOM];
    snprintf(text, sizeof text, "%c.%se%d", decimal->digits[0], decimal->digits + 1, decimal->exponent);
    return strtod(text, NULL) == real;
}

static Decimal shortest(double real) {
    int exponent;
    const bool is_power = frexp(real, &exponent) == 0.5;
    Decimal found = decimal_of(real, MOST_DIGITS);
    for (int digits = 1; digits < MOST_DIGITS; digits++) {
        Decimal tried = decimal_of(real, digits);
        if (reads_back(&tried, real)) return tried;
        if (!is_power) continue;
        next_larger(&tried);
        if (reads_back(&tried, real)) return tried;
    }
    return found;
}

static void put_zeros(Buffer *buffer, int count) {
    while (count-- > 0) buffer_put(buffer, "0");
}

static void write_fixed(Buffer *buffer, const Decimal *decimal) {
    const int count = (int)strlen(decimal->digits), whole = decimal->exponent + 1;
    if (whole <= 0) {
        buffer_put(buffer, "0.");
        put_zeros(buffer, -whole);
        buffer_put(buffer, decimal->digits);
    } else if (count <= whole) {
        buffer_put(buffer, decimal->digits);
        put_zeros(buffer, whole - count);
        buffer_put(buffer, ".0");
    } else {
        buffer_format(buffer, "%.*s.%s", whole, decimal->digits, decimal->digits + whole);
    }
}

static void write_scientific(Buffer *buffer, const Decimal *decimal) {
    buffer_add(buffer, decimal->digits, 1);
    if (decimal->digits[1]) buffer_format(buffer, ".%s", decimal->digits + 1);
    buffer_format(buffer, "e%c%02d", decimal->exponent < 0 ? '-' : '+', abs(decimal->exponent));
}

void write_real(Buffer *buffer, double real) {
    if (isnan(real)) {
        buffer_put(buffer, "+nan.0");
        return;
    }
    if (isinf(real)) {
        buffer_put(buffer, real < 0 ? "-inf.0" : "+inf.0");
        return;
    }
    if (signbit(real)) buffer_put(buffer, "-");
    if (real == 0.0) {
        buffer_put(buffer, "0.0");
        return;
    }
    const Decimal decimal = shortest(fabs(real));
    if (decimal.exponent >= LEAST_FIXED && decimal.exponent < MOST_FIXED)
        write_fixed(buffer, &decimal);
    else
        write_scientific(buffer, &decimal);
}

void write_float(Buffer *buffer, double real) {
    if (isnan(real)) buffer_put(buffer, "nan");
    else if (isinf(real)) buffer_put(buffer, real < 0 ? "-inf" : "inf");
    else write_real(buffer, real);
}

/* Words */

/* Passes digits, between which there may be single underscores; copies the digits. NULL: there is no digit. */
static const char *pass_digits(const char *at, Buffer *plain) {
    if (!isdigit((unsigned char)*at)) return NULL;
    while (isdigit((unsigned char)*at)) {
        buffer_add(plain, at++, 1);
        if (*at == '_' && isdigit((unsigned char)at[1])) at++;
    }
    return at;
}

/* Copies a numeral without its underscores; false: it is none. */
static bool plain_numeral(const char *at, Buffer *plain) {
    const char *after = pass_digits(at, plain);
    const bool has_whole = after != NULL;
    if (after) at = after;
    if (*at == '.') {
        buffer_put(plain, ".");
        after = pass_digits(++at, plain);
        if (!after && !has_whole) return false;
        if (after) at = after;
    } else if (!has_whole) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        buffer_put(plain, "e");
        at++;
        if (*at == '+' || *at == '-') buffer_add(plain, at++, 1);
        at = pass_digits(at, plain);
    }
    return at && !*at;
}

static bool is_word(const char *text, const char *word) {
    while (*text && *word && tolower((unsigned char)*text) == *word) text++, word++;
    return !*text && !*word;
}

bool read_real(const char *word, double *real) {
    const bool is_negative = *word == '-';
    if (*word == '-' || *word == '+') word++;
    Buffer plain = {NULL, 0, 0};
    bool found = true;
    if (is_word(word, "inf") || is_word(word, "infinity"))
        *real = (double)INFINITY;
    else if (is_word(word, "nan"))
        *real = (double)NAN;
    else if ((found = plain_numeral(word, &plain)))
        *real = strtod(plain.text, NULL);
    buffer_end(&plain);
    if (found && is_negative) *real = -*real;
    return found;
}
