"""Programs inside of PyTorch's models, and PyTorch's modules inside of programs.

    function       a program as a function that PyTorch's autograd records

It needs PyTorch, `pip install 'checkpoint-ad[torch]'`, and is imported where it is first used.
"""

from checkpoint.torch.functions import function

__all__ = ["function"]
