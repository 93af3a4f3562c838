"""The device on which the tests of this folder put tensors: CHECKPOINT_TEST_DEVICE, or else the host.

On the host they only show that the tests themselves run; `make test-cuda` names a device.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.utils import _pytree as pytree

DEVICE = os.environ.get("CHECKPOINT_TEST_DEVICE", "cpu")


def there(nest: Any) -> Any:
    """Return a nest with its tensors on the device."""
    return pytree.tree_map(lambda leaf: leaf.to(DEVICE) if isinstance(leaf, torch.Tensor) else leaf, nest)
