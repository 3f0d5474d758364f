"""Every notebook runs from top to bottom."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
#: what the outputs of each say
SAYS = {
    "layers.ipynb": ("exists to the end of the last layer", "1/2 ∈ [0, T₁)", "image/png"),
    "softmax.ipynb": ("global", "blow-up at 1"),
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells), "saved without outputs"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    text = "".join(str(o.get("text", "")) + str(o.get("data", "")) for o in outputs)
    for words in SAYS[path.name]:
        assert words in text
