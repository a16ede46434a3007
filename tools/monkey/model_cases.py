"""Cases of reduced models: made in many ways, then used."""

import json
from random import Random

from . import options, scenes
from .case import ANY, Case, Step, Stock, surroundings


def reduce(stock: Stock, random: Random) -> Case:
    """A model of some kind, and all that can be done with it: what is written can be read."""
    words = ["reduce", scenes.beam(random), "-o", "out.glb", "--modes", str(random.choice((0, 1, 3, 8))), "--rank",
             str(random.choice((1, 3, 8, 30)))]  # fmt: skip
    without = frozenset(("--modes", "--rank", "--output", "--json", "--report", "--render", "--threads", "--fixed-vertices"))
    words += options.some_good(random, "reduce", 3, without)
    later = [
        Step(["inspect", "out.glb", "--json"], "good"),
        Step(["verify", "out.glb", "--json", "--states", "3"], "any"),
        Step(["simulate", "out.glb", "-o", "motion.glb", "--seconds", "0.1", "--json"], "good", outputs=frozenset({"motion.glb"})),
        Step(["export", "out.glb", "-o", "page.html", "--small"], "good", outputs=frozenset({"page.html"})),
        Step(["inspect", "out.glb", "--picture", "p.png"], "good", outputs=frozenset({"p.png"})),
    ]
    if "--no-simulation-mesh" in words:
        later[1].expect = "bad"
    later = random.sample(later, 2)
    for step in later:
        step.only_after_success = True
    return Case("reduce", surroundings(stock), [Step(words, outputs=frozenset({"out.glb", "picture.png"})), *later], same_bits=True)


def models_used(stock: Stock, random: Random) -> Case:
    name = random.choice(sorted(stock.models))
    command = random.choice(("inspect", "verify", "simulate", "export"))
    words = [command, name] + {"export": ["-o", "page.html"], "simulate": ["-o", "motion.glb"]}.get(command, [])
    words += options.some_good(random, command, 3, frozenset(("--output", "--mesh")))
    if command == "simulate" and "--seconds" not in words:
        words += ["--seconds", "0.1"]
    return Case("models used", surroundings(stock) | {name: stock.models[name]}, [Step(words, outputs=ANY)], same_bits=True)


def compare(stock: Stock, random: Random) -> Case:
    maker = scenes.SceneMaker(random, stock.models)
    scene = maker.make(random.choice(("dynamic", "dynamic reduced", "domains", "static", "online", "model", "free reduced", "several methods")))
    files = surroundings(stock) | maker.files | {"scene.json": json.dumps(scene).encode()}
    words = ["compare", "scene.json", "--json", *options.some_good(random, "compare", 3, frozenset(("--json",)))]
    return Case("compare", files, [Step(words, outputs=ANY)])
