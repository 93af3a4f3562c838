"""Opening packages for translation: functions outside of the user's own code that programs may call.

In: names of packages or modules. Out: from then on, or within a `with`, their Python functions are translated
where a program calls them (checkpoint.lang.python.source.boundary), also by functions that were met before.
"""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType, TracebackType

from checkpoint import config
from checkpoint.errors import RunError


class Translation:
    """Packages that are open for translation; leaving a `with` closes them again."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages
        config.open_packages(packages)

    def __enter__(self) -> Translation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        config.close_packages(self.packages)

    def __repr__(self) -> str:
        return f"<translation of {', '.join(self.packages)}>"


def translate(*packages: str | ModuleType) -> Translation:
    """Translate the Python functions of packages where a program calls them, as the user's own are.

    The packages that they require are opened with them, unless they have compiled code (NumPy, pandas).
    It holds for the process, from this call on, or, as `with translate(...):`, within the `with`. What a
    package has written in C has no text, and needs `checkpoint.primitive` all the same. The environment
    variable CHECKPOINT_CONVERT, names with commas between, does the same for a whole process.

    Args:
        packages: packages or modules, or their names; "scipy.optimize" opens that part of scipy alone.

    Raises:
        RunError: where there is no such package.

    Examples:
        >>> import colorsys
        >>> from checkpoint import grad
        >>> def saturation(red):
        ...     return colorsys.rgb_to_hls(red, 0.25, 0.5)[2]
        >>> with translate("colorsys"):
        ...     grad(saturation)(0.75)
        0.5
    """
    names = tuple([each.__name__ if isinstance(each, ModuleType) else each for each in packages])
    for name in names:
        if not _is_there(name):
            raise RunError(f"there is no package {name!r} to translate: write the name that `import` takes")
    return Translation(names)


def _is_there(name: str) -> bool:
    try:
        return isinstance(name, str) and bool(name) and find_spec(name) is not None
    except (ImportError, ValueError):
        return False
