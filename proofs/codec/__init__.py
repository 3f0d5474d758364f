"""JSON for terms, statements and proofs, and the digest of a document.

========================  =====================================================================
object                    JSON
========================  =====================================================================
variable                  its name, a string; ``["var", name, sort]`` when the table of variables
                          gives that name another sort
size                      an integer
rational number, matrix   ``["number", "1/2"]``, ``["matrix", [["1", "2"], ["3", "4"]]]``
matrix of floats          ``["floats", "float32", m, n, base64]``, or ``"float64"``
matrix of the parameters  ``["parameter", "layers/0/heads/3/Q"]``
entry of the table        ``["listed", 3]``
function                  ``["lambda", name, sort, body]``; inside the body the name is bound
the number i of 1..n      ``["index", i, n]``
any other term            ``[operation, argument, ...]``
sort                      ``"Dim"``, ``"Ext"``, ``"Prop"``, ``"Real"``, ``["Mat", m, n]``,
                          ``["Index", n]``, ``["Measure", n]``, ``["Fun", source, target]``
statement                 ``{"variables": {name: sort}, "hypotheses": [...], "conclusion": ...}``
proof                     ``{"variables": {...}, "steps": [...], "lemmas": {name: lemma}}``
lemma                     ``{"statement": ..., "proof": ...}``
step                      ``{"rule": ..., "uses": [...], "args": {...}}``
argument of a step        null, booleans, integers, strings, lists and objects as they are;
                          ``{"term": ...}``, ``{"rational": "1/2"}``; ``{"map": {...}}`` for an
                          object that could be taken for one of these three
========================  =====================================================================

A statement by itself and a proof have one more field, ``"matrices": [...]``, when long literals
are repeated: the table of these, each written once.  Lemmas share that of the proof they are in.
Which of the forms a matrix has is said in :mod:`proofs.codec.literals`.

Decoding trusts nothing: what it returns is well formed and bounded, everything else is a
:class:`CodecError` with one line that says what was expected.
"""

from proofs.codec.decoding import decode_proof, decode_statement, decode_term
from proofs.codec.documents import digest, read_json
from proofs.codec.encoding import encode_proof, encode_statement, encode_term
from proofs.codec.floats import float_literal
from proofs.codec.literals import Arrays
from proofs.codec.parts import CodecError, Json

__all__ = [
    "Arrays",
    "CodecError",
    "Json",
    "decode_proof",
    "decode_statement",
    "decode_term",
    "digest",
    "encode_proof",
    "encode_statement",
    "encode_term",
    "float_literal",
    "read_json",
]
