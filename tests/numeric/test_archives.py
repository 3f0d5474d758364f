"""Parameter files in .npz: equal to JSON, and one clear line for every fault."""

import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from numeric import archives
from numeric.errors import ParameterError
from numeric.loading import load_model
from numeric.parameters import load

RNG = np.random.default_rng(0)
ARRAYS = {
    "variant": "softmax",
    "scale": "1/sqrt(k)",
    "layers.0.heads.0.Q": RNG.standard_normal((2, 3)),
    "layers.0.heads.0.K": np.asfortranarray(RNG.standard_normal((2, 3))),
    "layers.0.heads.0.V": RNG.standard_normal((2, 3)).astype("f4"),
    "layers.0.heads.0.W": RNG.standard_normal((3, 2)).astype(">f8"),
    "layers.0.heads.0.b_q": np.array(["1/3", "2"]),
    "layers.0.heads.1.Q": np.array([[1, 2, 3]]),
    "layers.0.heads.1.K": np.array([[1, 2, 3]], dtype="u1"),
    "layers.0.heads.1.V": np.eye(3, dtype="f2"),
    "layers.0.output_bias": RNG.standard_normal(3).astype("f4"),
    "layers.0.time": "3/2",
    "layers.1.V": np.eye(3),
    "layers.1.Q": np.array([["1/3", "0.1", "-2"]]),
    "layers.1.K": RNG.standard_normal((1, 3)),
    "layers.1.time": 0.5,
    "Sigma0": np.eye(3, dtype="i8"),
    "comment": "made of arrays",
}


def nested(arrays):
    """The same content as JSON, written by hand."""

    def of(start):
        return {
            name.removeprefix(start): np.asarray(value).tolist()
            for name, value in arrays.items()
            if name.startswith(start) and "." not in name.removeprefix(start)
        }

    both = [of("layers.0.heads.0."), of("layers.0.heads.1.")]
    first = {"heads": both, **of("layers.0.")}
    return {**of(""), "layers": [first, of("layers.1.")]}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_are_equal_to_json(tmp_path, save):
    save(tmp_path / "model.npz", **ARRAYS)
    (tmp_path / "model.json").write_text(json.dumps(nested(ARRAYS)))
    read, expected = load_model(tmp_path / "model.npz"), load_model(tmp_path / "model.json")
    assert read == expected
    assert read.comment == "made of arrays"
    one = load_model(tmp_path / "model.npz", layer=0, head=1)
    assert one == expected.select(layer=0, head=1)


def test_one_head(tmp_path):
    np.savez(tmp_path / "one.npz", variant="linear", A=np.eye(2), V=np.eye(2))
    assert load(tmp_path / "one.npz").V == ((1, 0), (0, 1))


def npy(values=None, header=None):
    stream = io.BytesIO()
    if header is None:
        np.lib.format.write_array(stream, values, allow_pickle=True)
        return stream.getvalue()
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + b"\0" * 8


def zipped(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


ONE = npy(np.eye(1))
GOOD = {"variant.npy": npy(np.array("linear")), "A.npy": ONE, "V.npy": ONE}
GIANT = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000)}"
NEGATIVE = "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}"


def broken_sum():
    data = bytearray(zipped(GOOD))
    data[data.index(np.float64(1).tobytes())] ^= 1
    return bytes(data)


FAULTS = {
    "empty": (b"", "damaged or truncated, or no .npz file"),
    "truncated": (zipped(GOOD)[:-30], "damaged or truncated, or no .npz file"),
    "JSON": (b'{"variant": "softmax"}', "damaged or truncated, or no .npz file"),
    "changed": (broken_sum(), "is damaged"),
    "objects": (
        zipped({**GOOD, "V.npy": npy(np.array([[{}]], dtype=object))}),
        'array "V": pickled objects, expected numbers or strings',
    ),
    "complex": (zipped({**GOOD, "V.npy": npy(np.eye(1) * 1j)}), "dtype complex128, expected"),
    "boolean": (zipped({**GOOD, "V.npy": npy(np.eye(1) > 0)}), "dtype bool, expected float16"),
    "long double": (zipped({**GOOD, "V.npy": npy(np.eye(1, dtype="g"))}), "expected float16"),
    "NaN": (
        zipped({**GOOD, "V.npy": npy(np.array([[np.nan]]))}),
        "field V: row 1, column 1: nan is not a finite number",
    ),
    "NaN bias": (
        zipped({**GOOD, "output_bias.npy": npy(np.array([np.inf]))}),
        "field output_bias: entry 1: inf is not a finite number",
    ),
    "wrong shape": (
        zipped({**GOOD, "A.npy": npy(np.eye(2))}),
        "field A: wrong shape 2 x 2, expected 1 x 1",
    ),
    "three axes": (zipped({**GOOD, "V.npy": npy(np.ones((2, 2, 2)))}), "field V: row 1, column 1"),
    "no axes": (zipped({**GOOD, "V.npy": npy(np.float64(3))}), "field V: expected a matrix"),
    "no rows": (zipped({**GOOD, "V.npy": npy(np.ones((0, 2)))}), "field V: empty"),
    "giant claim": (
        zipped({**GOOD, "V.npy": npy(header=GIANT)}),
        'array "V": 8 bytes, expected 80000000000 for float64 of shape 100000 x 100000',
    ),
    "negative shape": (zipped({**GOOD, "V.npy": npy(header=NEGATIVE)}), 'array "V": 8 bytes'),
    "code for a header": (
        zipped({**GOOD, "V.npy": npy(header="__import__('os').abort()")}),
        'array "V": no .npy file',
    ),
    "no array": (zipped({**GOOD, "V.npy": b"hello"}), 'array "V": no .npy file'),
    "another file": (zipped({**GOOD, "notes.txt": b"hello"}), 'holds "notes.txt", expected arrays'),
    "unknown": (zipped({**GOOD, "sigma0.npy": ONE}), 'did you mean "Sigma0"?'),
    "gap": (
        zipped({"heads.0.V.npy": ONE, "heads.2.V.npy": ONE}),
        'arrays "heads.N": number 1 is missing, of 2',
    ),
    "array and parts": (zipped({"heads.npy": ONE, "heads.0.V.npy": ONE}), '"heads" is an array'),
    "parts and array": (zipped({"heads.0.V.npy": ONE, "heads.npy": ONE}), "arrays below it"),
    "deep": (zipped({"a.b.c.d.e.f.npy": ONE}), "no name of a field"),
    "empty part": (zipped({"heads..V.npy": ONE}), "no name of a field"),
}


@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(tmp_path, data, message):
    path = tmp_path / "model.npz"
    path.write_bytes(data)
    with pytest.raises(ParameterError) as caught:
        load_model(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert message in line
    assert line.isprintable()
    assert len(line) < 400


def test_a_name_twice_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("V.npy", ONE)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("V.npy", ONE)
    with pytest.raises(ParameterError, match='array "V" appears twice'):
        load_model(path)


def test_a_small_file_of_giant_arrays_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    path.write_bytes(zipped({"V.npy": bytes(10**7)}, zipfile.ZIP_DEFLATED))
    monkeypatch.setattr(archives, "MAX_BYTES", 10**6)
    tracemalloc.start()
    with pytest.raises(ParameterError, match="10000000 bytes when uncompressed, at most 1000000"):
        load_model(path)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ParameterError, match="no such file"):
        load_model(tmp_path / "none.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ParameterError, match=r"a directory, expected an \.npz file"):
        load_model(tmp_path / "folder.npz")
