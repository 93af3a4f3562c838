"""Read attributes of Python objects as they are stored, without the `__getattr__` of their classes.

Some objects have an attribute of any name: mocks, proxies, parts of compiled functions. What this package
finds out about an object must not depend on that, nor run the user's code.
"""

from __future__ import annotations

import types
from typing import Any


def stored(value: Any, name: str, default: Any = None) -> Any:
    """Return an attribute that an object or its class stores; the default if it stores none of this name.

    >>> class Any_:
    ...     def __getattr__(self, name):
    ...         return name
    >>> Any_().anything, stored(Any_(), "anything"), stored(len, "__name__")
    ('anything', None, 'len')
    """
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return default


def own_attributes(value: Any) -> dict[str, Any]:
    """Return the dictionary of an object's own attributes; an empty one where it has none."""
    found = stored(value, "__dict__")
    return found if isinstance(found, dict) else {}


def set_own(made: Any, name: str, value: Any) -> None:
    """Give an object an attribute of its own, without `__setattr__`, setters or properties of its class.

    Names in parentheses are fields of the machine's, no attributes.
    """
    if name.startswith("("):
        return
    for base in type(made).__mro__:
        found = base.__dict__.get(name)
        if isinstance(found, types.MemberDescriptorType | types.GetSetDescriptorType):
            found.__set__(made, value)
            return
    made.__dict__[name] = value
