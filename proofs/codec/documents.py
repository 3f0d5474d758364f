"""Documents: strict JSON, and the digest."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from proofs.codec.parts import CodecError, shown


def read_json(text: str) -> Any:
    """Parse strict JSON: no repeated keys, no NaN or infinity, no excessive nesting or digits.

    Raises:
        CodecError: the text is not such a document.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except CodecError:
        raise
    except RecursionError:
        raise CodecError("the document is nested too deeply") from None
    except ValueError as error:
        raise CodecError(f"not JSON: {error}") from None


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its ``digest``, as canonical JSON.

    >>> digest({"a": 1}) == digest({"digest": "sha256:0", "a": 1})
    True

    Raises:
        CodecError: the document is not JSON.
    """
    rest = {key: value for key, value in document.items() if key != "digest"}
    try:
        canonical = json.dumps(
            rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"the document is not JSON: {error}") from None
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise CodecError("an object repeats a key")
    return result


def _no_constant(name: str) -> float:
    raise CodecError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CodecError(f"{shown(text)} is too large for a number")
    return value
