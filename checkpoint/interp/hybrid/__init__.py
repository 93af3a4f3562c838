"""The hybrid engine: blocks and their adjoints, evaluated in Python.

code        blocks as the machine runs them; when to emit Python for one
machine     registers, frames, states; the loops over whole blocks
steps       one step at a time, for parts of blocks and for what cannot be emitted
emit        Python source of a block's plain, taped and adjoint variants
parts       taped parts of blocks, recorded and reversed step by step
structured  steps that work on whole values, recorded on a tape of their own
cotangent   accumulators: of slots, of frames, of objects by birth
engine      checkpoint.driver.engine.Engine
"""
