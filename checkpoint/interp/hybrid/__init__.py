"""The hybrid engine: blocks and their adjoints, evaluated in Python.

code        blocks as the machine runs them; when Python source is emitted for one
machine     registers, frames, states; what the ends of blocks do
run         the loop over blocks, by emitted functions or step by step
parts       parts of blocks, run step by step, and what a tape keeps of them
reversal    parts of blocks, reversed step by step
emit        Python source for a block: its adjoint; emit_forward: its plain and taped variants
structured  steps that work on whole values, recorded on a tape of their own
origins     steps on containers, and where their fields come from; tensors: steps on arrays
cotangent   accumulators: of slots, of frames, of objects by birth
engine      checkpoint.driver.engine.Engine
"""
