"""Programs inside of PyTorch's models, and PyTorch's modules inside of programs.

    function       a program as a function that PyTorch's autograd records
    from_module    a module as one step of programs

It needs PyTorch, `pip install 'checkpoint-ad[torch]'`, and is imported where it is first used.
"""

from checkpoint.torch.functions import function
from checkpoint.torch.modules import from_module

__all__ = ["from_module", "function"]
