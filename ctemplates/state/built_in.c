/* The blocks that every run has: see built_in.h. */
#include "state/built_in.h"

BuiltIn built_in;
