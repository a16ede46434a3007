"""Cases of scenes: good ones, changed ones, bodies that are let go, runs that are killed."""

import json
from pathlib import Path
from random import Random

from . import damage, scenes
from .case import ANY, Case, Check, Step, Stock
from .process import Outcome, Surroundings
from .results import read_csv, read_json
from .rules import Finding

# Kinds of scenes whose numbers depend on the number of threads by rounding only.
THREADS_AGREE = frozenset(("static", "dynamic", "dynamic modal", "quasistatic"))
# What starts too deep in something else is refused.
DEEP = ("is inside of", "at the same place", "is held up to", "where what holds it keeps it")
# Energy may grow by so much after a body was let go: in 900 cases it did by 1.4e-11 at most, what Newton leaves over.
# Online bodies may gain more, where the full body takes over what their subspace did not hold.
LARGEST_GROWTH = {"online": 1.001}
USUAL_GROWTH = 1.000001


def scene(stock: Stock, random: Random) -> Case:
    maker = scenes.SceneMaker(random, stock.models)
    kind = random.choice(scenes.KINDS)
    scene = maker.make(kind)
    files = maker.files | {"scene.json": json.dumps(scene, indent=1).encode()}
    words = ["simulate", "scene.json", "--json"]
    outputs = _scene_outputs(scene, "")
    if random.random() < 0.3:
        words += ["--output-dir", "out"]
        outputs = frozenset({"out/"})
    deep = DEEP if kind == "contact" else ()
    steps = [Step(words, "good", deep, outputs=outputs, check=_counts_of(scene))]
    if random.random() < 0.15:
        steps.insert(0, Step(["inspect", "scene.json", "--json"], "good", deep))
    return Case(f"scene: {kind}", files, steps, same_bits=True, threads_agree=kind in THREADS_AGREE)


def mutated_scene(stock: Stock, random: Random) -> Case:
    maker = scenes.SceneMaker(random, stock.models)
    scene = scenes.mutated(random, maker.make(random.choice(scenes.KINDS)), stock.schema_keys)
    scenes.limited(scene, 5)
    text = json.dumps(scene, indent=1)
    if random.random() < 0.1:
        text = damage.damaged(random, text.encode()).decode("utf-8", "replace")
    words = random.choice((["simulate", "scene.json", "--json"], ["inspect", "scene.json", "--json"]))
    return Case("mutated scene", maker.files | {"scene.json": text.encode()}, [Step(words, outputs=ANY | _named(scene))])


def mutated_example(stock: Stock, random: Random) -> Case:
    """A scene of the project with one thing changed; only looked at, because its bodies are large."""
    name = random.choice(sorted(n for n in stock.examples if n.endswith(".json") and "oak" not in n))
    scene = scenes.mutated(random, json.loads(stock.examples[name]), stock.schema_keys)
    for body in scene["bodies"] if isinstance(scene.get("bodies"), list) else []:
        if isinstance(body, dict) and isinstance(body.get("mesh"), str) and "beam" not in body["mesh"]:
            body["mesh"] = "builtin:beam?cells=4,1,1"
    scenes.limited(scene, 3)
    files = {n: content for n, content in stock.examples.items() if not n.endswith(".json")}
    files["scenes/scene.json"] = json.dumps(scene).encode()
    return Case("mutated example", files, [Step(["simulate", "scenes/scene.json", "--output-dir", "out"], outputs=ANY | _named(scene))])


def energy(stock: Stock, random: Random) -> Case:
    """An undamped body that was pushed and let go: its energy stays."""
    scene, release, end = _let_go(random)
    energies: dict[str, float] = {}

    def note(name: str, most: float) -> Check:
        def check(_: Path, outcome: Outcome) -> list[Finding]:
            energies[name] = read_json(outcome.out)["energy"]
            first = energies.get("first", 0.0)
            if name == "first" or energies[name] <= most * first + 1e-12:
                return []
            return [("energy", f"{first:.4g} J when it was let go, {energies[name]:.4g} J later")]

        return check

    most = LARGEST_GROWTH.get(scene["bodies"][0]["method"], USUAL_GROWTH)
    steps = []
    files = {}
    for name, count in (("first", release), ("middle", (release + end) // 2), ("last", end)):
        files[f"{name}.json"] = json.dumps(dict(scene, solver=dict(scene["solver"], steps=count))).encode()
        steps.append(Step(["simulate", f"{name}.json", "--json"], "good", check=note(name, most)))
        steps[-1].only_after_success = name != "first"
    return Case("energy", files, steps)


def _let_go(random: Random) -> tuple[dict, int, int]:
    method, tree = random.choice((*((one, False) for one in scenes.METHODS), ("reduced", True), ("linear", True)))
    stiff = random.choice((1e4, 1e5, 1e6))
    h = random.choice((0.001, 0.005, 1 / 60, 0.05))
    release = random.randint(1, 6)
    body = {
        "name": "bar",
        "method": method,
        "mesh": scenes.beam(random),
        "material": scenes.material(random, stiff, ("stvk",) if method == "reduced" else scenes.LAWS),
        "fixed": {"where": "x < 0.01"},
        "loads": [{"nearest": [1.0, 0.0, 0.0], "force": scenes.some_vector(random, 4e-4 * stiff), "to": release * h}],
        "basis": {"modes": 6, "rank": 10},
    }
    if tree:
        body["domains"] = {"from": "auto", "count": scenes.domain_count(random, body["mesh"]), "rank": 6}
    solver = {"type": "dynamic", "timestep": h, "threads": 1}
    if method in ("warped", "linear") and not tree:
        solver["integrator"] = random.choice(("semi-implicit", "exact"))
    if random.random() < 0.3 and method in ("full", "reduced"):
        solver["newton"] = {"max_iterations": 1}
    end = release + (60 if method in ("full", "online") else 400)
    scene = {"bodies": [body], "solver": solver}
    scenes.drop_unused(scene)
    return scene, release + 1, end


def killed(stock: Stock, random: Random) -> Case:
    """A run that is killed and resumed writes what one without that writes."""
    maker = scenes.SceneMaker(random, stock.models)
    scene = maker.make(random.choice(("dynamic", "dynamic reduced", "dynamic modal", "online", "domains", "free reduced", "several methods")))
    scene["solver"]["steps"] = max(scene["solver"]["steps"], random.randint(20, 60))  # after all loads set in
    scene["output"] = {"displacements": "u.csv", "animation": "motion.glb"}
    if random.random() < 0.5:
        scene["output"]["vtu"] = "frames"
    for body in scene["bodies"]:
        if "support" in body or "constraints" in body:  # these were made for fewer steps
            body.pop("support", None), body.pop("constraints", None)
    words = ["simulate", "scene.json", "--checkpoint-every", "0", "--threads", "1", "--output-dir"]
    moment = random.uniform(0.02, 0.4)
    steps = [
        Step([*words, "whole"], "good", outputs=frozenset({"whole/"})),
        Step([*words, "parts"], outputs=frozenset({"parts/"}), around=Surroundings(kill_after=moment)),
        Step([*words, "parts", "--resume"], "good", outputs=frozenset({"parts/"}), check=_same_folders),
    ]
    return Case("killed", maker.files | {"scene.json": json.dumps(scene).encode()}, steps)


def _named(scene) -> frozenset[str]:
    """Every name that a changed scene may give to an output, as a file and as a folder."""
    output = scene.get("output") if isinstance(scene, dict) else None
    names = [name for name in output.values() if isinstance(name, str)] if isinstance(output, dict) else []
    return frozenset(one for name in names if name not in (".", "", "/") for one in (name, name + "/"))


def _scene_outputs(scene: dict, folder: str) -> frozenset[str]:
    output = scene["output"]
    files = {folder + output[key] for key in ("displacements", "picture", "animation", "timeline") if key in output}
    return frozenset(files | ({folder + output["vtu"] + "/"} if "vtu" in output else set()))


def _counts_of(scene: dict) -> Check:
    def check(folder: Path, outcome: Outcome) -> list[Finding]:
        found = read_json(outcome.out)
        result = []
        if found["status"] != "converged":
            result.append(("plausible", f"success with status {found['status']}"))
        if scene["solver"]["type"] != "static" and found["steps"] != scene["solver"]["steps"]:
            result.append(("plausible", f"{found['steps']} steps, {scene['solver']['steps']} asked for"))
        for name in found["outputs"]:
            if not (folder / name).exists():
                result.append(("results", f"says that it wrote {name}, which is not there"))
        tables = [folder / name for name in found["outputs"] if name.endswith(".csv")]
        vertices = sum(body["vertices"] for body in found["bodies"])
        for table in tables:
            if table.exists() and len(read_csv(table)) != vertices:
                result.append(("results", f"{table.name} has {len(read_csv(table))} rows, {vertices} vertices"))
        return result

    return check


def _same_folders(folder: Path, _: Outcome) -> list[Finding]:
    whole, parts = folder / "whole", folder / "parts"
    names = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    others = sorted(path.relative_to(parts) for path in parts.rglob("*") if path.is_file())
    if names != others:
        return [("resume", f"{[str(n) for n in names]} without, {[str(n) for n in others]} with a break")]
    different = [str(name) for name in names if (whole / name).read_bytes() != (parts / name).read_bytes()]
    return [("resume", f"other bits after a break: {', '.join(different)}")] if different else []
