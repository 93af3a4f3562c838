/* api_code.h: the tables of primitives, by name. */
#include "api/api_code.h"

#include "natives/natives.h"
#include "scalars/scalars.h"

void ck_set_built_in(const Block *entry, const ReturnPoint *halt, const ReturnPoint *leave, uintptr_t unit) {
    built_in = (BuiltIn){.entry = entry, .halt = halt, .leave = leave, .unit = (const void *)unit};
}

void ck_set_code(Block *block, Form form, const Instruction *code) {
    switch (form) {
        case PLAIN: PUBLISH_CODE(block, plain, code); return;
        case TAPED: PUBLISH_CODE(block, taped, code); return;
        case STEPPED: PUBLISH_CODE(block, stepped, code); return;
    }
}

uint16_t ck_native_number(const char *name) { return native_number(name); }

bool ck_native_copies(const char *name) {
    const uint16_t number = native_number(name);
    return number != NO_NATIVE && NATIVES[number].copies;
}

uint16_t ck_scalar_number(const char *name) { return scalar_number(name); }

const void *ck_scalar(const char *name) {
    const uint16_t number = scalar_number(name);
    return number == NO_SCALAR ? NULL : &SCALARS[number];
}

const char *ck_scalar_name(uint16_t number) { return SCALARS[number].name; }
