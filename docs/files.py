"""List the files of the house: each with the line by which it opens, folder by folder.

    python -m docs.files                       # all of them, as Markdown: the page "The files" of the site
    python -m docs.files checkpoint/driver     # those of a folder and of the folders in it

In: the sources. Out: what each file does, and each package, in its own words: the first line of a module's
docstring, the first paragraph of a header in C, which speaks for its source too.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSES = ("checkpoint", "ctemplates", "tensorlib")


def listing(top: str) -> str:
    """Return the list of the files below a folder, which is named from the root, as Markdown."""
    folders = sorted({path.parent for path in _sources(ROOT / top)})
    if not folders:
        raise SystemExit(f"there are no sources in {top}: name a folder of {', '.join(HOUSES)}")
    return "\n".join(_section(folder) for folder in folders)


def headline(path: Path) -> str:
    """Return the line by which a file says what it does, or "" for a file without one."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    opening = text.partition("*/")[0].removeprefix("/*")
    paragraph = opening.partition("\n *\n")[0].replace("\n *", " ")
    return " ".join(paragraph.split())


def _section(folder: Path) -> str:
    own = folder / "__init__.py"
    lines = [f"## {folder.relative_to(ROOT)}/\n"]
    if own.exists():
        lines.append(f"{headline(own)}\n")
    files = [path for path in sorted(_sources(folder)) if path.parent == folder and path != own]
    lines += [f"- `{path.name}`: {headline(path)}" for path in files]
    return "\n".join(lines) + "\n"


def _sources(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in {".py", ".h", ".def"}]


def main() -> None:
    """Print the lists of the folders that the command line names."""
    for top in sys.argv[1:] or HOUSES:
        print(listing(top))


if __name__ == "__main__":
    main()
