"""A case: a few files and a few commands. And what many cases start from."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Callable

from . import surfaces
from .process import Outcome, Surroundings
from .rules import Finding

Check = Callable[[Path, Outcome], list[Finding]]


@dataclass
class Step:
    words: list[str]  # after the name of the command
    expect: str = "any"  # 'good': succeeds; 'bad': is refused with status 2; 'any'
    names: tuple[str, ...] = ()  # a refusal says one of these; what is good may be refused with one
    outputs: frozenset[str] = frozenset()  # files, and folders with a '/' at the end, that it may write
    around: Surroundings = Surroundings()
    file_bytes: int = 0  # of the largest file that it can write; 0: no limit
    check: Check | None = None  # of a run that succeeded
    only_after_success: bool = False  # of the step before


@dataclass
class Case:
    kind: str
    files: dict[str, bytes]
    steps: list[Step]
    same_bits: bool = False  # whether it may be repeated elsewhere, with the same files as result
    threads_agree: bool = False  # whether it may be repeated with two threads, with nearly the same numbers


@dataclass(frozen=True)
class Stock:
    """What cases are made from."""

    pool: dict[str, bytes]  # models and other results of the command
    examples: dict[str, bytes]  # scenes and motions of the project, by their paths below examples/
    corpus: list[tuple[str, bytes]]  # files that the fuzzers start from
    schema_keys: list[str]  # of scene files

    @property
    def models(self) -> dict[str, bytes]:
        return {name: content for name, content in self.pool.items() if name.endswith(".glb")}


BEAM = "builtin:beam?cells=4,1,1"
# Every output that an option or a scene of some case names.
ANY = frozenset((
    "out.msh", "out.mesh", "out.vtu", "out.vtk", "out.veg", "out.ele", "out.node", "out.glb", "picture.png", "shapes.vtu",
    "report/", "motion.glb", "out/", "plot.svg", "page.html", "u.csv", "frames/", "p.png", "a.glb", "timeline.svg",
    "timeline.png",
))  # fmt: skip

SMALL_SCENE: dict = {
    "bodies": [{
        "name": "bar", "mesh": BEAM, "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
        "fixed": {"where": "x < 0.01"}, "loads": [{"nearest": [1, 0, 0], "force": [0, 0.5, -2], "to": 0.05}],
    }],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 8},
    "output": {"displacements": "u.csv"},
}  # fmt: skip
ONLINE_SCENE: dict = dict(SMALL_SCENE, bodies=[dict(SMALL_SCENE["bodies"][0], method="online")])


def surroundings(stock: Stock) -> dict[str, bytes]:
    """Files that options name, good and wrong: see options.py."""
    sketch = {"format": "limber sketch", "version": 1, "forces": [
        {"at": [1.0, 0.0, 0.0], "force": [0.0, 0.0, -5.0]}, {"at": [1.0, 0.0, 0.0], "force": [0.0, 3.0, 0.0]}]}  # fmt: skip
    files = {
        "mesh.obj": surfaces.to_obj(surfaces.box((0.0, -0.1, -0.1), (1.0, 0.1, 0.1))),
        "sketch.json": json.dumps(sketch).encode(),
        "sets.json": json.dumps({"tip": [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]}).encode(),
    }
    if "u.csv" in stock.pool:
        files["u.csv"] = stock.pool["u.csv"]
    return files | {f"folder{end}/": b"" for end in (".png", ".glb", ".msh", ".vtu", ".svg", ".html")}


def base(stock: Stock, random: Random, command: str) -> tuple[list[str], dict[str, bytes]]:
    """A plain use of a command that succeeds, without its options but those it needs."""
    files = surroundings(stock)
    if command == "mesh":
        return ["mesh", "mesh.obj", "--cells", "6", "--output", "out.msh"], files
    if command == "inspect":
        return ["inspect", "mesh.obj"], files
    if command in ("modes", "reduce", "export") and random.random() < 0.4:  # meshed on the way
        more = {"modes": [], "reduce": ["--modes", "3", "--rank", "5", "--output", "out.glb"], "export": ["--output", "page.html"]}
        return [command, "mesh.obj", "--cells", "6", *more[command]], files
    if command == "modes":
        return ["modes", BEAM], files
    if command == "reduce":
        return ["reduce", BEAM, "--modes", "3", "--rank", "5", "--output", "out.glb"], files
    if command in ("verify", "export", "view"):
        files["model.glb"] = stock.models["model_exact.glb"]
        more = {"export": ["--output", "page.html"], "view": ["--no-open"], "verify": []}
        return [command, "model.glb", *more[command]], files
    if command == "simulate":
        if random.random() < 0.5:
            files["model.glb"] = stock.models["model_exact.glb"]
            return ["simulate", "model.glb", "--output", "motion.glb", "--seconds", "0.05"], files
        files["scene.json"] = json.dumps(SMALL_SCENE).encode()
        return ["simulate", "scene.json"], files
    if command == "compare":
        files["scene.json"] = json.dumps(SMALL_SCENE).encode()
        return ["compare", "scene.json", "--modes", "3"], files
    return {"schema": ["schema"], "demo": ["demo"], "bench": ["bench", "--filter", "^none$"]}[command], files
