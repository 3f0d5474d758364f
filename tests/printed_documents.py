"""What tests of documents share: pages that are well formed, LaTeX that is balanced."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from proofs.reports.pdf import ENGINES, TexError, engine

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


def has_engine() -> bool:
    try:
        engine()
    except TexError:
        return False
    return True


needs_tex = pytest.mark.skipif(
    not has_engine(), reason=f"no TeX engine on PATH: none of {', '.join(ENGINES)}"
)


class Page(HTMLParser):
    """Checks that elements are nested, and collects what the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def flat(text: str) -> str:
    return " ".join(text.split())


def assert_balanced(printed: str) -> None:
    assert printed.isascii()
    assert printed.count("{") == printed.count("}")
    assert len(re.findall(r"\\left(?![A-Za-z])", printed)) == len(
        re.findall(r"\\right(?![A-Za-z])", printed)
    )
    opened = re.findall(r"\\begin\{(\w+)\}", printed)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", printed))
    assert printed.count(r"\[") == printed.count(r"\]")
    assert all(line.count("$") % 2 == 0 for line in printed.splitlines())


def assert_converted(html: str) -> None:
    """Formulas are well formed and nothing of LaTeX is left."""
    visible = "".join(Page(html).text)
    assert not set(visible) & set("\\$`")
    for math in re.findall(r"<math.*?</math>", html, re.DOTALL):
        tree = ElementTree.fromstring(math)
        texts = [element.text or "" for element in tree.iter()]
        assert not any(set(text) & set("\\&") for text in texts)
        assert not any("{" in text and len(text) > 1 for text in texts)
