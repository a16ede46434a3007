"""Cases of words: options that are right or wrong, places for output that are, a disk without room."""

import json
from random import Random

from . import meshes, options
from .case import ANY, ONLINE_SCENE, SMALL_SCENE, Case, Step, Stock, base, surroundings
from .process import Surroundings


def help(stock: Stock, random: Random) -> Case:
    command = random.choice(sorted(options.COMMANDS))
    words = random.choice(([command, "--help"], ["--help"], ["--version"], ["--version", "--verbose"], ["-h"]))
    return Case("help", {}, [Step(words, "good")])


def usage(stock: Stock, random: Random) -> Case:
    """Words that no one meant."""
    command = random.choice(sorted(options.COMMANDS))
    words, files = base(stock, random, command)
    kind = random.randrange(8)
    expect = "bad"
    if kind == 0:
        words = []
    elif kind == 1:
        words = [random.choice(("simulte", "meshes", "", "-", "--", "--jso", "-x", "reduce ", "Mesh", "help"))]
    elif kind == 2:
        words.append(random.choice(("--colour", "--jsn", "-q", "--thread=1", "---json", "--rank--")))
    elif kind == 3:
        words.append(random.choice(("another", "one", "mesh.obj")))
        expect = "any" if command in ("mesh", "export") else "bad"  # which take several files
    elif kind == 4:
        words, expect = words[: random.randint(0, max(0, len(words) - 1))], "any"
    elif kind == 5:
        words, expect = random.sample(words, len(words)), "any"
    elif kind == 6:
        words, expect = words + words[1:], "any"
    else:
        words, expect = [random.choice((word, word + "x", word[1:], "")) for word in words], "any"
    if command in ("demo", "view", "bench") and expect == "any":  # these take long, or for ever
        words, expect = [command, "--colour"], "bad"
    return Case("usage", files, [Step(words, expect, outputs=ANY)])


def bad_option(stock: Stock, random: Random) -> Case:
    command = random.choice([name for name in sorted(options.COMMANDS) if any(o.bad for o in options.COMMANDS[name])])
    words, files = base(stock, random, command)
    name, more = options.one_bad(random, command) or ("", [])
    words = _without(words, name)
    if name in {option.name for option in options.TREE}:  # which do not go with the modes of a single body
        words = _without(words, "--modes")
    if command == "simulate" and name in ("--seconds", "--timestep", "--gravity", "--damping", "--velocity", "--spin", "--method"):
        files["model.glb"] = stock.models["model_exact.glb"]
        words = _without(["simulate", "model.glb", "-o", "motion.glb", "--seconds", "0.05"], name)
    if command == "simulate" and name in ("--ground", "--friction", "--restitution"):  # which are for bodies that nothing holds
        files["model.glb"] = stock.models["tree_free.glb"]
        words = ["simulate", "model.glb", "-o", "motion.glb", "--seconds", "0.05"]
        words += [] if name == "--ground" else ["--ground", "-1"]
    if command == "simulate" and name in ("--error", "--throttle", "--output-dir"):
        files["scene.json"] = json.dumps(ONLINE_SCENE).encode()
        words = ["simulate", "scene.json"]
    return Case("bad option", files, [Step(words + more, "bad", (name, *_values(more)))])


def good_options(stock: Stock, random: Random) -> Case:
    """Several options that are right by themselves; together they may be refused, clearly."""
    command = random.choice([name for name in sorted(options.COMMANDS) if name not in ("view", "demo", "bench")])
    words, files = base(stock, random, command)
    if command == "simulate" and words[1] == "model.glb" and random.random() < 0.3:
        files["model.glb"] = stock.models["tree_free.glb"]
    more = options.some_good(random, command, 4, frozenset(word for word in words if word.startswith("--")))
    return Case("good options", files, [Step(words + more, outputs=ANY)], same_bits=True)


def refused_output(stock: Stock, random: Random) -> Case:
    """Writing onto what is read, into nothing, twice to one place."""
    files = surroundings(stock)
    name, more = meshes.as_files(random, meshes.grid((3, 1, 1), (1.0, 0.2, 0.2)), "bar")
    files |= more
    files["model.glb"] = stock.models["model_exact.glb"]
    stem = name.split(".")[0]
    scene = dict(SMALL_SCENE, bodies=[dict(SMALL_SCENE["bodies"][0], mesh=name)])
    kind = random.randrange(9)
    if kind == 0:
        words, files = ["mesh", "mesh.off", "-o", "out.msh", "--picture", "out.msh"], files
    elif kind == 1:
        files["bar.vtu"] = meshes.to_vtu(meshes.grid((3, 1, 1), (1.0, 0.2, 0.2)))[".vtu"]
        words = ["modes", "bar.vtu", "--free", "--count", "2", "-o", random.choice(("bar.vtu", "./bar.vtu", "folder.png/../bar.vtu"))]
    elif kind == 2:
        words = ["reduce", "model.glb", "-o", "model.glb"]
    elif kind == 3:
        words = ["simulate", "model.glb", "-o", random.choice(("model.glb", "./model.glb"))]
    elif kind == 4:
        scene["output"] = {"displacements": random.choice((name, "scene.json", "./" + name))}
        words = ["simulate", "scene.json"]
    elif kind == 5:
        files["frames/bar_0000.vtu"] = meshes.to_vtu(meshes.grid((3, 1, 1), (1.0, 0.2, 0.2)))[".vtu"]
        scene["bodies"] = [dict(scene["bodies"][0], mesh="frames/bar_0000.vtu", name="bar")]
        scene["output"] = {"vtu": "frames"}
        words = ["simulate", "scene.json"]
    elif kind == 6:
        scene["output"] = {"displacements": "same.csv", "picture": "./same.csv"}
        words = ["simulate", "scene.json"]
    elif kind == 7:
        words = ["simulate", "scene.json", "--checkpoint", random.choice(("scene.json", name))]
    else:
        words = ["reduce", name, "--free", "--snapshots", "u.csv", "-o", "out.glb", "--report", stem + "/x"]
        files[stem] = b"a file"
    files["scene.json"] = json.dumps(scene).encode()
    return Case("refused output", files, [Step(words, "bad")])


def full_disk(stock: Stock, random: Random) -> Case:
    """A disk on which files of more than some bytes find no room; or standard output that takes nothing."""
    command = random.choice(("mesh", "modes", "reduce", "simulate", "compare", "export"))
    words, files = base(stock, random, command)
    words += {"modes": ["--output", "shapes.vtu"], "compare": ["--plot", "plot.svg"]}.get(command, [])
    if command == "simulate" and words[1] == "scene.json":
        scene = dict(SMALL_SCENE, output={"displacements": "u.csv", "vtu": "frames", "picture": "p.png", "animation": "a.glb"})
        files["scene.json"] = json.dumps(scene).encode()
        files.pop("u.csv", None)  # a table that fits may take its place before another file does not
    if random.random() < 0.2:
        return Case("full disk", files, [Step([*words, "--json"], outputs=ANY, around=Surroundings(stdout="/dev/full"))])
    return Case("full disk", files, [Step(words, outputs=ANY, file_bytes=random.choice((0, 100, 1000, 5000, 30000)) + 1)])


def bench(stock: Stock, random: Random) -> Case:
    words = ["bench", "--min-seconds", "0", "--json", "--filter", random.choice(("^none$", "nothing", "linalg/svd3.*"))]
    return Case("bench", {}, [Step(words)])


def view(stock: Stock, random: Random) -> Case:
    """A server: it runs until it is ended."""
    files = {"model.glb": stock.models["model_exact.glb"]}
    return Case("view", files, [Step(["view", "model.glb", "--no-open", "--json"], around=Surroundings(kill_after=0.3))])


def demo(stock: Stock, random: Random) -> Case:
    return Case("demo", {}, [Step(["demo", "-o", "demo"], "good", outputs=frozenset({"demo/"}))])


def _without(words: list[str], name: str) -> list[str]:
    short = {"--output": "-o"}.get(name)
    for i, word in enumerate(words):
        if word in (name, short):
            return words[:i] + words[i + 2 :]
    return words


def _values(words: list[str]) -> tuple[str, ...]:
    """What an option was given, where that says enough to name what is wrong."""
    option, value = words if len(words) == 2 else words[0].split("=", 1)
    found = [word for word in (value, value.rsplit(":", 1)[-1]) if len(word) > 2]
    return (*found, f"'{value.rsplit(':', 1)[-1]}'", option.lstrip("-"))
