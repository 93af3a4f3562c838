"""The methods of str for objects of classes that derive from it; see values.py.

Written in the language that is translated.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.standard.bases import items_of


class StrBase:
    """See str."""

    def __len__(self) -> Any:
        return len(items_of(self))

    def __iter__(self) -> Any:
        return iter(items_of(self))

    def __contains__(self, part: Any) -> Any:
        return items_of(part) in items_of(self)

    def __getitem__(self, index: Any) -> Any:
        return items_of(self)[index]

    def __hash__(self) -> Any:
        return hash(items_of(self))

    def __str__(self) -> Any:
        return items_of(self)

    def __repr__(self) -> Any:
        return repr(items_of(self))

    def __format__(self, spec: Any) -> Any:
        return str(self) if spec == "" else format(items_of(self), spec)

    def __mul__(self, count: Any) -> Any:
        return items_of(self) * items_of(count)

    def __rmul__(self, count: Any) -> Any:
        return items_of(count) * items_of(self)

    def __mod__(self, values: Any) -> Any:
        return items_of(self) % values

    def __add__(self, other: Any) -> Any:
        value = items_of(other)
        if isinstance(value, str):
            return items_of(self) + value
        raise TypeError(f'can only concatenate str (not "{type(other).__name__}") to str')

    def __radd__(self, other: Any) -> Any:
        return other + items_of(self) if isinstance(other, str) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) == value if isinstance(value, str) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) != value if isinstance(value, str) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) < value if isinstance(value, str) else NotImplemented

    def __le__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) <= value if isinstance(value, str) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) > value if isinstance(value, str) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) >= value if isinstance(value, str) else NotImplemented

    def upper(self) -> Any:
        return items_of(self).upper()

    def lower(self) -> Any:
        return items_of(self).lower()

    def title(self) -> Any:
        return items_of(self).title()

    def capitalize(self) -> Any:
        return items_of(self).capitalize()

    def casefold(self) -> Any:
        return items_of(self).casefold()

    def swapcase(self) -> Any:
        return items_of(self).swapcase()

    def isalpha(self) -> Any:
        return items_of(self).isalpha()

    def isdigit(self) -> Any:
        return items_of(self).isdigit()

    def isalnum(self) -> Any:
        return items_of(self).isalnum()

    def isspace(self) -> Any:
        return items_of(self).isspace()

    def isupper(self) -> Any:
        return items_of(self).isupper()

    def islower(self) -> Any:
        return items_of(self).islower()

    def istitle(self) -> Any:
        return items_of(self).istitle()

    def isnumeric(self) -> Any:
        return items_of(self).isnumeric()

    def isdecimal(self) -> Any:
        return items_of(self).isdecimal()

    def isidentifier(self) -> Any:
        return items_of(self).isidentifier()

    def split(self, sep: Any = None, maxsplit: Any = -1) -> Any:
        return items_of(self).split(items_of(sep), items_of(maxsplit))

    def rsplit(self, sep: Any = None, maxsplit: Any = -1) -> Any:
        return items_of(self).rsplit(items_of(sep), items_of(maxsplit))

    def splitlines(self, keepends: Any = False) -> Any:
        return items_of(self).splitlines(items_of(keepends))

    def strip(self, chars: Any = None, /) -> Any:
        return items_of(self).strip(items_of(chars))

    def lstrip(self, chars: Any = None, /) -> Any:
        return items_of(self).lstrip(items_of(chars))

    def rstrip(self, chars: Any = None, /) -> Any:
        return items_of(self).rstrip(items_of(chars))

    def startswith(self, part: Any, /) -> Any:
        return items_of(self).startswith(items_of(part))

    def endswith(self, part: Any, /) -> Any:
        return items_of(self).endswith(items_of(part))

    def find(self, part: Any, /) -> Any:
        return items_of(self).find(items_of(part))

    def rfind(self, part: Any, /) -> Any:
        return items_of(self).rfind(items_of(part))

    def index(self, part: Any, /) -> Any:
        return items_of(self).index(items_of(part))

    def rindex(self, part: Any, /) -> Any:
        return items_of(self).rindex(items_of(part))

    def count(self, part: Any, /) -> Any:
        return items_of(self).count(items_of(part))

    def replace(self, old: Any, new: Any, count: Any = -1, /) -> Any:
        return items_of(self).replace(items_of(old), items_of(new), items_of(count))

    def join(self, parts: Any, /) -> Any:
        return items_of(self).join(parts)

    def partition(self, sep: Any, /) -> Any:
        return items_of(self).partition(items_of(sep))

    def rpartition(self, sep: Any, /) -> Any:
        return items_of(self).rpartition(items_of(sep))

    def removeprefix(self, part: Any, /) -> Any:
        return items_of(self).removeprefix(items_of(part))

    def removesuffix(self, part: Any, /) -> Any:
        return items_of(self).removesuffix(items_of(part))

    def zfill(self, width: Any, /) -> Any:
        return items_of(self).zfill(items_of(width))
