"""The errors of reading a parameter file: one line that names file, field and fault.

Standard library only.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class ParameterError(ValueError):
    """A parameter file cannot be used; ``str()`` is one line naming file, field and fault."""


class FieldError(Exception):
    """A fault in one field (or in the whole file, when the field is None)."""

    def __init__(self, name: str | None, message: str) -> None:
        self.name = name
        self.message = message

    def in_source(self, source: str) -> ParameterError:
        place = "" if self.name is None else f"field {self.name}: "
        return ParameterError(f"{one_line(source)}: {place}{self.message}")


@contextmanager
def within(place: str) -> Iterator[None]:
    """Say of every :class:`FieldError` raised inside that it is in a part: "layers[0]"."""
    try:
        yield
    except FieldError as error:
        name = place if error.name is None else f"{place}.{error.name}"
        raise FieldError(name, error.message) from None


def one_line(text: str) -> str:
    """Escape what could break a line or an output encoding, such as odd file names."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode()
        for char in text
    )
