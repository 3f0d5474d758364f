"""What is in the wheel, and what is in the repository."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"symbolic", "numeric", "proofs"}
TOP_LEVEL = PACKAGES | {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "notebooks",
    "pyproject.toml",
    "tests",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def repository_files() -> list[PurePosixPath]:
    """The files of the repository, those not yet added included, relative to its root."""
    if (ROOT / ".git").exists():
        command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
        command += ["--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        names = [PurePosixPath(name) for name in listing.stdout.split("\0") if name]
    else:  # an unpacked archive
        names = [
            PurePosixPath(path.relative_to(ROOT).as_posix())
            for path in ROOT.glob("[!.]*/**/*")
            if "__pycache__" not in path.parts
        ] + [PurePosixPath(path.name) for path in ROOT.iterdir()]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    built = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_wheel_holds_the_three_packages_and_nothing_else(wheel):
    name = f"{PROJECT['name']}-{PROJECT['version']}.dist-info"
    assert {member.split("/")[0] for member in wheel.namelist()} == PACKAGES | {name}


def test_wheel_holds_every_file_of_the_packages(wheel):
    shipped = {member for member in wheel.namelist() if member.split("/")[0] in PACKAGES}
    assert shipped == {str(name) for name in repository_files() if name.parts[0] in PACKAGES}


@pytest.mark.parametrize("prefix", ["numeric/examples/", "proofs/"])
def test_wheel_holds_the_json_data(wheel, prefix):
    names = [m for m in wheel.namelist() if m.startswith(prefix) and m.endswith(".json")]
    assert names
    for name in names:
        json.loads(wheel.read(name))


def test_wheel_declares_the_command(wheel):
    (name,) = [m for m in wheel.namelist() if m.endswith(".dist-info/entry_points.txt")]
    assert "lemmaformer = proofs.cli:main" in wheel.read(name).decode()


def test_wheel_carries_the_readme(wheel):
    """Once there is a README.md, pyproject.toml must name it: readme = "README.md"."""
    if (ROOT / "README.md").exists():
        assert PROJECT.get("readme") == "README.md"


def test_command_runs_from_the_wheel(wheel, tmp_path):
    """Away from the repository: modules and data are found inside what the wheel unpacked."""
    wheel.extractall(tmp_path / "site")
    script = (
        "import sys, numeric, proofs, symbolic\n"
        "for package in (numeric, proofs, symbolic):\n"
        "    assert package.__file__.startswith(sys.argv[1]), package.__file__\n"
        "from proofs.cli import main\n"
        "sys.argv = ['lemmaformer', 'verify', '--example', 'softmax-to-line', '--json']\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "site")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["format"] == "lemmaformer/verify/1"


def test_every_folder_of_modules_is_a_package():
    folders = {n.parent for n in repository_files() if n.parts[0] in PACKAGES and n.suffix == ".py"}
    assert {folder.parts[0] for folder in folders} == PACKAGES
    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()] == []


def test_tests_are_no_packages():
    """A tests/symbolic/__init__.py could pass for the package symbolic."""
    names = repository_files()
    assert [n for n in names if n.parts[0] == "tests" and n.name == "__init__.py"] == []


def test_top_level_holds_only_what_belongs_there():
    names = {name.parts[0] for name in repository_files()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def test_no_file_names_a_machine_path():
    roots = ["work", "root", "home", "Users"]
    needles = re.compile("|".join(f"(?<![A-Za-z0-9_.-])/{root}/" for root in roots).encode())
    hits = {str(n): needles.findall((ROOT / n).read_bytes()) for n in repository_files()}
    assert {name: found for name, found in hits.items() if found} == {}


def test_constraints_pin_every_dependency():
    lines = (ROOT / ".constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", pin)] == []

    def normal(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    pinned = {normal(pin.split("==")[0]) for pin in pins}
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
    named = {normal(re.match(r"[A-Za-z0-9._-]+", requirement)[0]) for requirement in wanted}
    assert named <= pinned
