"""Cases of files: meshes and surfaces in every format, good, odd and damaged."""

from pathlib import Path
from random import Random

from . import damage, meshes, surfaces
from .case import BEAM, Case, Step, Stock
from .process import Outcome
from .results import read_json
from .rules import Finding


def mesh_files(stock: Stock, random: Random) -> Case:
    good = random.random() < 0.4
    mesh = meshes.good(random) if good else meshes.odd(random)
    name, files = meshes.as_files(random, mesh, random.choice(("bar", "a b", "ü")))
    expect = "good" if good else "any"

    def same_counts(_: Path, outcome: Outcome) -> list[Finding]:
        found = read_json(outcome.out)
        counts = (found.get("vertices"), found.get("elements"))
        return [] if counts == (len(mesh.vertices), len(mesh.elements)) else [("plausible", f"{counts} in {name}")]

    first = Step(["inspect", name, "--json"], expect, check=same_counts if good else None)
    return Case("mesh files", files, [first, _use_of_mesh(random, name, good)], same_bits=good)


def _use_of_mesh(random: Random, name: str, good: bool) -> Step:
    hold = ["--fixed-where", "x < 0.01"] if random.random() < 0.7 else ["--free"]
    kind = random.randrange(4)
    if kind == 0:
        words = ["modes", name, *hold, "--count", str(random.choice((1, 3, 7))), "--json"]
        return Step(words, "good" if good else "any", check=_ascending, only_after_success=True)
    if kind == 1:
        words = ["reduce", name, *hold, "--modes", "3", "--rank", str(random.choice((1, 5))), "-o", "out.glb"]
        return Step(words, "good" if good else "any", outputs=frozenset({"out.glb"}), only_after_success=True)
    if kind == 2:
        words = ["reduce", name, "--domains", random.choice(("regions", "auto:2")), "--rank", "3", *hold, "-o", "out.glb"]
        return Step(words, outputs=frozenset({"out.glb"}), only_after_success=True)
    words = ["inspect", name, "--picture", "p.png"]
    return Step(words, "good" if good else "any", outputs=frozenset({"p.png"}), only_after_success=True)


def surface_files(stock: Stock, random: Random) -> Case:
    good = random.random() < 0.4
    surface = surfaces.good(random) if good else surfaces.odd(random)
    name, content = surfaces.as_file(random, surface, random.choice(("shape", "a b")))
    output = "out" + random.choice((".msh", ".mesh", ".vtu", ".vtk", ".veg", ".ele"))
    words = ["mesh", name, "-o", output, "--cells", str(random.choice((2, 5, 9))), "--json"]
    if random.random() < 0.4:
        words += ["--method", "voxel", "--fill", random.choice(("touched", "center", "shell"))]
        output = "out" + random.choice((".msh", ".mesh", ".vtu", ".vtk", ".veg"))
        words[3] = output
    outputs = frozenset({output, "out.node"})
    steps = [
        Step(["inspect", name, "--json"], "good" if good else "any"),
        Step(words, outputs=outputs),
        Step(["inspect", output, "--json"], "good", only_after_success=True),
    ]
    return Case("surface files", {name: content}, steps, same_bits=good)


def damaged_file(stock: Stock, random: Random) -> Case:
    """A file of the fuzzers, of the pool or made here, damaged, in a command that reads it."""
    kind = random.randrange(4)
    if kind == 0 and stock.corpus:
        name, content = random.choice(stock.corpus)
        return Case("damaged file", {name: damage.damaged(random, content)}, [_reading(random, name)])
    if kind == 1 and stock.models:
        name = random.choice(sorted(stock.models))
        return Case("damaged file", {name: damage.damaged(random, stock.models[name])}, [_reading(random, name)])
    if kind == 2:
        name, content = surfaces.as_file(random, surfaces.good(random), "shape")
        return Case("damaged file", {name: damage.damaged(random, content)}, [_reading(random, name)])
    name, files = meshes.as_files(random, meshes.good(random), "bar")
    victim = random.choice(sorted(files))
    files[victim] = damage.damaged(random, files[victim])
    return Case("damaged file", files, [_reading(random, name)])


def _reading(random: Random, name: str) -> Step:
    end = Path(name).suffix
    choices = [["inspect", name, "--json"]]
    if end == ".glb":
        choices += [["verify", name], ["simulate", name, "-o", "motion.glb", "--seconds", "0.02"], ["export", name, "-o", "page.html"]]
    elif end in (".obj", ".off", ".ply", ".stl", ".gltf"):
        choices += [["mesh", name, "-o", "out.msh", "--cells", "4"]]
    elif end == ".json":
        choices += [["reduce", BEAM, "--sketch", name, "-o", "out.glb"], ["simulate", name]]
    elif end == ".csv":
        choices += [["reduce", BEAM, "--snapshots", name, "-o", "out.glb"]]
    elif end != ".checkpoint":
        choices += [["modes", name, "--free", "--count", "3"], ["reduce", name, "--free", "--rank", "3", "-o", "out.glb"]]
    return Step(random.choice(choices), outputs=frozenset({"out.glb", "out.msh", "motion.glb", "page.html"}))


def builtins(stock: Stock, random: Random) -> Case:
    body = random.choice((
        "beam?cells=2,1,1", "beam?element=brick&cells=2,1,1", "beam?size=1,2,3", "beam?cells=1,1,1", "spoon?cells=40",
        "heart?cells=12", "beam?cells=0,1,1", "beam?cells=1,1", "beam?size=-1,1,1", "beam?size=1e300,1,1", "beam?x=1",
        "beam?cells=3,1,1&cells=2,1,1", "beam?", "beam?cells", "beam?cells=", "beam?cells=1000000,1000000,1000000",
        "spoon?cells=1", "spoon?grading=9", "spoon?element=hex", "nothing", "", "beam?size=nan,1,1", "oak?leaves=0",
        "octopus?cells=-1", "wire?cells=99999999", "head?render=0", "spoon?cells=40&element=brick", "tower?cells=x",
    ))  # fmt: skip
    words = random.choice((["inspect"], ["modes", "--count", "2"], ["mesh", "-o", "out.msh"]))
    words = [words[0], "builtin:" + body, *words[1:], "--json"]
    return Case("builtins", {}, [Step(words, outputs=frozenset({"out.msh"}))], same_bits=True)


def _ascending(_: Path, outcome: Outcome) -> list[Finding]:
    frequencies = read_json(outcome.out)["frequencies_hz"]
    if all(a <= b * (1 + 1e-9) + 1e-3 for a, b in zip(frequencies, frequencies[1:])):
        return []
    return [("plausible", f"frequencies do not ascend: {frequencies}")]
