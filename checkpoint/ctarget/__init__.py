"""The engine "c": blocks run by a register machine in C (ctemplates/).

library    the compiled module, or why there is none
code       peers: what C has of a procedure and a block, and when it is made
assemble   instructions of a block from block IR; assemble_ends: of its end
tables     the tables of a block: steps, ends, live registers, actions of the adjoint
foreign    steps that Python does for a run; cotangent: their reversal
states     states of this engine as hybrid's, and back; their heaps
run        a run from a state, in slices
engine     checkpoint.driver.engine.Engine
"""
