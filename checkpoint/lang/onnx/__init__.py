"""The front end for graphs of ONNX: a file as a Python function, which that for Python translates."""
