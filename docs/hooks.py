"""Pages of the site that are made from files outside of docs/, and links that leave the site.

In: the files that MkDocs found under docs/. Out: these and the pages of PAGES, with links as they are within
the site. Each document is written once, where readers of the repository expect it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from docs.files import HOUSES, listing

ROOT = Path(__file__).resolve().parent.parent
# The page of the site that is made from a file of the repository.
PAGES = {
    "README.md": "index.md",
    "tensorlib/README.md": "array-functions.md",
    "CONTRIBUTING.md": "contributing.md",
    "tests/README.md": "tests.md",
    "experiments/README.md": "experiments.md",
    "CHANGELOG.md": "changelog.md",
}
LINK = re.compile(r"(!?\[[^\]]*\])\((?!https?:|#)([^)\s#]+)(#[^)\s]+)?\)")
# A program of the gallery, in a paragraph of its own.
PROGRAM = re.compile(r"\[\w+\.py\]\((programs/\w+\.py)\)\n")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made, and the pictures and programs that documents show."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=rewritten(source, page)))
    files.append(
        File.generated(config, "files.md", content="\n".join(["# The files\n", *map(listing, HOUSES)]))
    )
    for picture in sorted((ROOT / "experiments").rglob("*.png")):
        name = str(picture.relative_to(ROOT))
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page under docs/ with links as they are within the site, and with its programs."""
    name = page.file.src_uri
    if name in PAGES.values():
        return markdown
    folder = (ROOT / "docs" / name).parent
    return relinked(PROGRAM.sub(lambda found: shown(folder / found[1]), markdown), f"docs/{name}", name)


def shown(program: Path) -> str:
    """Return a block with the text of a program."""
    return f'```python title="{program.name}"\n{program.read_text(encoding="utf-8")}```\n'


def rewritten(source: str, page: str) -> str:
    """Return the text of a document for its page."""
    return relinked((ROOT / source).read_text(), source, page)


def relinked(text: str, source: str, page: str) -> str:
    """Return a text whose relative links, valid in the file `source`, are valid on the page `page`."""

    def link(found: re.Match[str]) -> str:
        text, path, anchor = found.groups(default="")
        target = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if target not in PAGES and not target.startswith("docs/") and not target.endswith(".png"):
            return f"`{target}`"  # a file of the repository that is no page of the site
        place = PAGES.get(target, target.removeprefix("docs/"))
        return f"{text}({os.path.relpath(place, os.path.dirname(page) or '.')}{anchor})"

    return LINK.sub(link, text)
