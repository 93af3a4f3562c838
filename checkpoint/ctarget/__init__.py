"""The engine "c": blocks run by a register machine in C (ctemplates/).

build      compiles the module, at install or as a command; flags: what it shares with translate/
library    loads the compiled module, or says why there is none
peers      Python mirrors of procedures and blocks; code: fills in their tables and code when C needs them
registers  assigns a register to each slot
tables     the tables of a block: steps, constants, live registers, its end
selection  selects instructions; assemble: the instructions of a block; adjoints: the actions that reverse it
plans      which function of Python does a step: a library's of arrays, or its record's
foreign    performs steps in Python for a run; cotangent: their reversal
states     states of this engine, converted to hybrid's and back; their heaps
run        a run from a state, in slices; sweep: a gradient by the driver in C
directives actions and reports as structs of C; reporting: calls observers
engine     checkpoint.driver.engine.WithDriver
translate/ translates hot code to C
"""
