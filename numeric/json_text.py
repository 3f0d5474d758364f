"""JSON text read without losing anything: exact numbers, no duplicate keys, bounded size.

Standard library only.
"""

import json
import os

from numeric.errors import FieldError
from numeric.files import opened
from numeric.rationals import json_constant, json_float, json_integer, quote

MAX_BYTES = 64 * 2**20
"""Largest JSON file read, in bytes."""


def read_bytes(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """Return the content of a file of at most ``limit`` bytes, :data:`MAX_BYTES` if not given.

    Raises :class:`numeric.errors.ParameterError` when that fails.
    """
    most = MAX_BYTES if limit is None else limit
    with opened(path, "a JSON file") as stream:
        # Pipes and devices do not tell their size.
        data = stream.read(most + 1) if os.fstat(stream.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        reason = f"larger than {most // 2**20} MiB, the limit for JSON"
        raise FieldError(None, reason).in_source(os.fspath(path))
    return data


def decode(data: bytes, source: str) -> object:
    """Decode JSON text, keeping numbers exact; raises :class:`numeric.errors.ParameterError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text at byte {error.start + 1}, expected JSON"
        raise FieldError(None, reason).in_source(source) from None
    if not text.strip():
        raise FieldError(None, "empty file, expected a JSON object").in_source(source)
    try:
        decoded: object = json.loads(
            text,
            parse_int=json_integer,
            parse_float=json_float,
            parse_constant=json_constant,
            object_pairs_hook=_unique_keys,
        )
    except FieldError as error:
        raise error.in_source(source) from None
    except json.JSONDecodeError as error:
        truncated = "the text ends too early" if error.pos >= len(text.rstrip()) else error.msg
        reason = f"not valid JSON at line {error.lineno}, column {error.colno}: {truncated}"
        raise FieldError(None, reason).in_source(source) from None
    except RecursionError:
        raise FieldError(None, "nested too deeply").in_source(source) from None
    return decoded


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            # The decoder would silently keep the last one.
            raise FieldError(None, f"field {quote(key)} appears twice")
        result[key] = value
    return result
