"""The engine "c": blocks run by a register machine in C (ctemplates/).

build      compiles the module, at install or as a command
library    the compiled module, or why there is none
code       peers: what C has of a procedure and a block, and when it is made
registers  which register each slot has
tables     the tables of a block: steps, constants, live registers, its end
selection  which instruction does which step
assemble   the instructions of a block from block IR; adjoints: the actions that reverse it
ways       which function of Python does a step: of arrays, or of its record
foreign    steps that Python does for a run; cotangent: their reversal
states     states of this engine as hybrid's, and back; their heaps
run        a run from a state, in slices; sweep: a gradient by the driver in C
engine     checkpoint.driver.engine.WithDriver
"""
