"""The front end for graphs of ONNX: a file as a Python function, which the front end for Python translates."""
