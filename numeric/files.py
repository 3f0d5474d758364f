"""Opening files: every fault of the operating system as one clear line.

Standard library only.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from numeric.errors import FieldError


@contextmanager
def opened(path: str | os.PathLike[str], expected: str) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; ``expected`` says what it should be, "a JSON file".

    Raises :class:`numeric.errors.ParameterError` when it cannot be opened or read.
    """
    source = os.fspath(path)
    try:
        stream = open(path, "rb")  # noqa: SIM115
    except FileNotFoundError:
        reason = "no such file"
    except IsADirectoryError:
        reason = f"a directory, expected {expected}"
    except OSError as error:
        reason = _unreadable(error)
    except ValueError:
        reason = "not a valid file name"
    else:
        with stream:
            try:
                yield stream
            except OSError as error:
                raise FieldError(None, _unreadable(error)).in_source(source) from None
        return
    raise FieldError(None, reason).in_source(source)


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def size_of(stream: BinaryIO, source: str, expected: str) -> int:
    """Return the size of an open regular file in bytes; refuses pipes and devices."""
    status = os.fstat(stream.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise FieldError(None, f"not a regular file, expected {expected}").in_source(source)
    return status.st_size
