"""The HTML page around a document: one file that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files


def page(title: str, plain_title: str, contents: Sequence[tuple[str, str]], body: str) -> str:
    """The whole file.

    Args:
        title: as HTML.
        plain_title: for the name of the window.
        contents: for each section where to find it, and its title as HTML.
        body: the sections as HTML.
    """
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{escape(plain_title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
</header>
{_contents(contents)}<main>
{body}
</main>
</body>
</html>
"""


def _contents(entries: Sequence[tuple[str, str]]) -> str:
    if not entries:
        return ""
    lines = [f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in entries]
    return "\n".join(
        [
            '<nav aria-labelledby="contents">',
            '<h2 id="contents">Contents</h2>',
            "<ul>",
            *lines,
            "</ul>",
            "</nav>\n",
        ]
    )
