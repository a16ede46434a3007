"""Random scenes of every kind: bodies of a few elements that move by what the scene says."""

import copy
import json
import math
from random import Random

from . import meshes

METHODS = ("full", "online", "reduced", "linear", "warped")
LAWS = ("linear", "corotational", "stvk", "neo-hookean", "mooney-rivlin", "arruda-boyce")
KINDS = (
    "static", "static reduced", "static modal", "static domains", "dynamic", "dynamic reduced", "dynamic modal", "online",
    "quasistatic", "online quasistatic", "domains", "assembly", "model", "tree model", "two bodies", "free", "free reduced",
    "several methods", "contact", "contact",
)  # fmt: skip

# A closed surface, turned outwards.
WEDGE = b"v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def some_vector(random: Random, size: float) -> list[float]:
    return [round(random.uniform(-size, size), 6) for _ in range(3)]


def turn(random: Random, largest: float) -> list[float]:
    """A unit quaternion x y z w, about a random axis by up to an angle (rad)."""
    axis = [random.gauss(0.0, 1.0) for _ in range(3)]
    length = math.sqrt(sum(x * x for x in axis)) or 1.0
    half = 0.5 * random.uniform(-largest, largest)
    return [math.sin(half) * x / length for x in axis] + [math.cos(half)]


def turned(quaternion: list[float], vector: list[float]) -> list[float]:
    """A vector, turned by a unit quaternion x y z w."""

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    *axis, w = quaternion
    once = [2.0 * x for x in cross(axis, vector)]
    return [v + w * x + y for v, x, y in zip(vector, once, cross(axis, once))]


def keys(random: Random, end: float, move: float, angle: float) -> list[dict]:
    """Keys that are not too near each other: smooth curves swing far out before a jump."""
    count = random.randint(1, 4)
    times = sorted({round((k + random.uniform(0.4, 1.0)) * end / count, 4) for k in range(count)})
    poses = [{"time": 0.0}]
    for time in times:
        if time > 0.0:
            poses.append({"time": time, "position": some_vector(random, move), "rotation": turn(random, angle)})
    return poses


def beam(random: Random) -> str:
    cells = f"{random.randint(2, 6)},{random.randint(1, 2)},{random.randint(1, 2)}"
    element = "element=brick&" if random.random() < 0.25 else ""
    return f"builtin:beam?{element}size=1,0.2,0.2&cells={cells}"


def domain_count(random: Random, mesh: str) -> int:
    """No more than the smallest beam has elements."""
    return random.randint(1, 2 if "brick" in mesh else 3)


def material(random: Random, stiff: float, laws=LAWS) -> dict:
    law = random.choice(laws)
    result: dict = {"law": law, "density": random.choice((20, 1000, 1100))}
    if random.random() < 0.2:
        result |= {"lambda": stiff, "mu": 0.7 * stiff}
    else:
        result |= {"young": stiff, "poisson": random.choice((0.0, 0.3, 0.45))}
    if law == "mooney-rivlin":  # its second constant must be small where the volume may change
        result["mooney_share"] = random.choice((0.0, 0.2)) if result.get("poisson") != 0.0 else 0.0
    if law == "arruda-boyce" and random.random() < 0.5:
        result["locking_stretch"] = random.choice((2.0, 5.0))
    return result


def selection(random: Random, low: float, high: float) -> dict:
    """Vertices of the bar with x between two values, in one of the four ways to name them."""
    kind = random.randrange(3)
    if kind == 0:
        return {"where": f"x > {low} and x < {high}"}
    if kind == 1:
        return {"box": [[low, -1.0, -1.0], [high, 1.0, 1.0]]}
    return {"nearest": [[0.5 * (low + high), 0.0, 0.0]]}


def load(random: Random, strength: float, end: float) -> dict:
    """A push at the free end of the bar that bends it, or of the whole."""
    if random.random() < 0.2:
        result: dict = {"acceleration": some_vector(random, strength / 8.0)}  # of some 40 kg
    else:
        result = {"nearest": [1.0, 0.0, 0.0], "force": some_vector(random, strength)}
    if end > 0.0 and random.random() < 0.7:
        result["from"] = round(random.uniform(0.0, 0.4 * end), 4)
        result["to"] = round(result["from"] + random.uniform(0.05, 0.5) * end, 4)
    return result


def is_tree(body: dict) -> bool:
    return "domains" in body or "assembly" in body or body.get("model", "").startswith("tree")


def drop_unused(scene: dict) -> None:
    """Takes out, in place, what the command refuses because it would change nothing in such a scene."""
    solver, output, bodies = scene["solver"], scene.get("output", {}), scene["bodies"]
    type_ = solver["type"]
    for body in bodies:
        drop_unused_of_body(body, type_)
    if type_ == "static":
        solver.pop("timestep", None), solver.pop("steps", None)
    if all(body.get("method") in ("linear", "warped") and not is_tree(body) for body in bodies):
        solver.pop("newton", None)
    learning = [body for body in bodies if body.get("method") == "online"]
    if type_ == "dynamic" and all(body.get("material", {}).get("law", "stvk") == "stvk" for body in learning):
        solver.get("online", {}).pop("seed", None)  # there are no key elements to choose
    if type_ == "static" or not output.keys() & {"vtu", "animation"}:
        output.pop("every", None)


def drop_unused_of_body(body: dict, type_: str) -> None:
    method, tree = body.get("method", "full"), is_tree(body)
    unused: dict[str, set[str]] = {"body": set(), "material": set(), "basis": set()}
    if method in ("linear", "warped"):  # by the stiffness at rest, where all laws agree
        unused["material"] |= {"law", "mooney_share", "locking_stretch"}
        unused["basis"].add("rank")
        unused["body"].add("forces")
    if type_ == "quasistatic" or (type_ == "static" and method == "full"):
        unused["body"].add("mass")
    if tree or method in ("full", "online"):
        unused["body"].add("basis")
    for holder, name in ((body, "body"), (body.get("material", {}), "material"), (body.get("basis", {}), "basis")):
        for key in unused[name]:
            holder.pop(key, None)


class SceneMaker:
    """Makes one scene and the files that it needs. models: names of the reduced models and trees that may be used, with what they hold."""

    def __init__(self, random: Random, models: dict[str, bytes]):
        self.random = random
        self.models = models
        self.files: dict[str, bytes] = {}

    def make(self, kind: str) -> dict:
        random = self.random
        stiff = random.choice((1e4, 1e5, 1e6))
        h = random.choice((0.001, 0.01, 0.02, 0.05))
        steps = random.randint(1, 12)
        make_body, solver = self._plan(kind, h, steps)
        strength = 4e-5 * stiff * random.choice((0.01, 0.3, 1.0))  # 1 bends the bar by a tenth of its length
        end = h * solver["steps"] if solver["type"] != "static" else 0.0
        if kind == "several methods":
            bodies = self._several_bodies(stiff, strength, end)
        elif kind == "contact":
            bodies = self._touching_bodies(stiff, strength, end)
        else:
            bodies = [make_body(stiff, strength, end)]
        scene = {"bodies": bodies, "solver": solver, "output": self._outputs(solver, bodies)}
        if "model_small.glb" in self.files:  # which has no mesh whose displacements could be written
            scene["output"] = {"picture": "picture.png"}
        if kind == "two bodies":
            bodies.append(self._mesh_body(stiff, strength, h * steps) | {"name": "other"})
        if random.random() < 0.6:
            scene["gravity"] = [0.0, 0.0, random.choice((-9.81, -1.0, 2.0)) * min(1.0, stiff / 1e6)]
        if random.random() < 0.3:
            solver["threads"] = random.choice((0, 1, 2))
        if kind == "contact":
            upside_down = scene.get("gravity", [0.0, 0.0, -1.0])[2] > 0.0
            scene |= self._surroundings(end, upside_down)
        elif solver["type"] != "static" and random.random() < 0.3:
            few = (30,) if solver["type"] == "quasistatic" else (1, 5, 30)  # where nothing makes up for them later
            solver["newton"] = {"max_iterations": random.choice(few), "tolerance": random.choice((1e-4, 1e-8))}
        drop_unused(scene)
        return scene

    def _plan(self, kind: str, h: float, steps: int):
        random = self.random
        time: dict = {"timestep": h, "steps": steps}
        static, dynamic, quasistatic = {"type": "static"}, {"type": "dynamic", **time}, {"type": "quasistatic", **time}
        if kind == "static":
            return self._mesh_body, static
        if kind == "static reduced":
            return self._reduced_body, static
        if kind == "static modal":
            return self._modal_body, static
        if kind == "static domains":
            return self._domains_body, static
        if kind == "dynamic reduced":
            return self._reduced_body, dynamic
        if kind == "dynamic modal":
            return self._modal_body, dynamic | {"integrator": random.choice(("semi-implicit", "exact"))}
        if kind == "online":
            return self._online_body, dynamic | {"steps": random.randint(1, 60), "online": self._online()}
        if kind == "quasistatic":
            return self._driven_body, quasistatic
        if kind == "online quasistatic":
            make_body = self._driven_online_body
            return make_body, quasistatic | {"steps": random.randint(1, 30), "online": self._online()}
        if kind == "domains":
            return self._domains_body, dynamic
        if kind == "assembly":
            return self._assembly_body, dynamic
        if kind == "tree model" and self._named("tree"):
            return self._tree_model_body, dynamic
        if kind == "model" and self._named("model"):
            return self._model_body, {"type": random.choice(("static", "dynamic")), **time}
        if kind == "free":
            return self._free_body, dynamic
        if kind == "free reduced":
            return self._free_reduced_body, dynamic
        return self._mesh_body, dynamic

    def _named(self, kind: str) -> list[str]:
        return sorted(name for name in self.models if name.startswith(kind))

    def _mesh(self) -> str:
        if self.random.random() < 0.6:
            return beam(self.random)
        name, files = meshes.as_files(self.random, meshes.good(self.random), "bar")
        self.files |= files
        return name

    def _body(self, stiff: float, strength: float, end: float, laws=LAWS) -> dict:
        random = self.random
        body = {
            "name": random.choice(("bar", "", "Stab 1", "a/b")),
            "mesh": self._mesh(),
            "material": material(random, stiff, laws),
            "fixed": {"where": "x < 0.01"},
            "loads": [load(random, strength, end) for _ in range(random.randint(0, 2))],
        }
        if end > 0.0 and random.random() < 0.6:
            body["damping"] = {"mass": random.choice((0.0, 0.5)), "stiffness": random.choice((0.0, 0.002))}
        if random.random() < 0.2:
            body["mass"] = "lumped"
        return body

    def _several_bodies(self, stiff: float, strength: float, end: float) -> list[dict]:
        """Two to four bodies, each of another method or as a tree; they take Newmark's steps together."""
        makers = (self._mesh_body, self._online_body, self._reduced_body, self._modal_body, self._domains_body,
                  self._free_reduced_body)  # fmt: skip
        chosen = self.random.sample(makers, self.random.randint(2, 4))
        return [make(stiff, strength, end) | {"name": f"body {i}"} for i, make in enumerate(chosen)]

    def _touching_bodies(self, stiff: float, strength: float, end: float) -> list[dict]:
        """One or two bodies that meet what there is, held or not."""
        random = self.random
        bodies = []
        for i in range(random.randint(1, 2)):
            make = random.choice((self._free_reduced_body, self._free_reduced_body, self._reduced_at_rest, self._domains_body))
            body = make(stiff, strength, end) | {"name": f"body {i}", "contact": random.choice((True, self._surface(), self._surface()))}
            if "domains" in body:
                body["domains"].pop("inertia", None)
            for key in ("support", "constraints"):
                body.pop(key, None)
            if random.random() < 0.2 and "domains" not in body and body["method"] == "reduced":
                body["basis"] |= {"contact": 1, "rank": max(3, body["basis"].get("rank", 3))}
            if i > 0:  # beside the first: what is deep in it is refused
                if "mesh" not in body:
                    break
                body["mesh"] = "builtin:beam?size=1,0.4,0.4&cells=4,1,1"
                body["position"] = [random.uniform(-0.5, 0.5), random.choice((-1, 1)) * random.uniform(0.2, 1.0), 0.0]
                if isinstance(body["fixed"], dict):  # chosen where the body stands
                    body["fixed"] = {"where": f"x < {body['position'][0] + 0.01}"}
            bodies.append(body)
        return bodies

    def _surface(self) -> dict:
        """How something is to touch."""
        random = self.random
        surface = {"friction": random.choice((0.0, 0.3, 1.0, 5.0))}
        if random.random() < 0.3:
            surface["restitution"] = random.choice((0.0, 0.5, 1.0))
        if random.random() < 0.2:
            surface["compliance"] = random.choice((1e-6, 1e-3))
        return surface

    def _shape(self, rigid: bool) -> dict:
        random = self.random
        kinds = ("box", "sphere", "capsule", "mesh") + (() if rigid else ("half-space", "height-field"))
        kind = random.choice(kinds)
        shape: dict = {"shape": kind, "position": some_vector(random, 1.0), "rotation": turn(random, 3.0)}
        if kind == "box":
            shape["size"] = [random.uniform(0.05, 0.5) for _ in range(3)]
        elif kind in ("sphere", "capsule"):
            shape["radius"] = random.uniform(0.05, 0.3)
        if kind == "capsule":
            shape["length"] = random.uniform(0.1, 0.5)
        if kind == "mesh":
            shape["mesh"] = "wedge.obj"
            self.files["wedge.obj"] = WEDGE
        if kind == "half-space":
            shape |= {"position": [0.0, 0.0, -0.5], "rotation": turn(random, 0.3)}
        if kind == "height-field":
            shape |= {"heights": [[random.uniform(-0.2, 0.0) for _ in range(5)] for _ in range(4)], "spacing": 0.5}
            shape |= {"position": [-0.5, -0.5, -0.5], "rotation": [0, 0, 0, 1]}
        return shape

    def _surroundings(self, end: float, upside_down: bool) -> dict:
        """Ground, obstacles and rigid bodies, some of which start inside of others. upside_down: what is up has the smallest z."""
        random = self.random
        scene: dict = {}
        highest = -0.4 if upside_down else 0.05  # what is held below the ground is refused
        if random.random() < 0.7:
            scene["ground"] = random.choice((True, {"height": random.uniform(-1.0, highest)} | self._surface()))
        if random.random() < 0.5 or not scene:
            scene["obstacles"] = [self._shape(False) | self._surface() for _ in range(random.randint(1, 3))]
            if random.random() < 0.3:
                scene["obstacles"][0]["keys"] = keys(random, end, 0.1, 0.3)
        if random.random() < 0.5:
            scene["rigid"] = [self._shape(True) | self._surface() | {"density": random.choice((10, 1000, 8000))}
                              for _ in range(random.randint(1, 3))]  # fmt: skip
            scene["rigid"][0] |= {"velocity": some_vector(random, 5.0), "angular_velocity": some_vector(random, 5.0)}
        return scene

    def _mesh_body(self, stiff: float, strength: float, end: float) -> dict:
        body = self._body(stiff, strength, end)
        self._move(body, end)
        return body

    def _online_body(self, stiff: float, strength: float, end: float) -> dict:
        return self._body(stiff, strength, end) | {"method": "online"}

    def _move(self, body: dict, end: float, holds=("position",)) -> None:
        """In dynamics sometimes a support that moves, and a handle at the free end of the bar."""
        random = self.random
        if end == 0.0:
            return
        if random.random() < 0.3:
            # All within a time step it must stay under half the size of the body.
            body["support"] = {"keys": keys(random, end, 0.02, 0.05), "interpolation": random.choice(("smooth", "linear"))}
        if random.random() < 0.3:
            constraint: dict = {"nearest": [1.0, 0.0, 0.0]}
            if len(holds) > 1:
                constraint["hold"] = random.choice(holds)
            if random.random() < 0.7:
                constraint["keys"] = keys(random, end, 0.1, 0.3)
            if random.random() < 0.2:
                constraint["to"] = round(0.7 * end, 4)
            body["constraints"] = [constraint]

    def _reduced_body(self, stiff: float, strength: float, end: float) -> dict:
        body = self._reduced_at_rest(stiff, strength, end)
        self._move(body, end)
        self._blow(body, end)
        return body

    def _free_reduced_body(self, stiff: float, strength: float, end: float) -> dict:
        """A body with a reduced model that nothing holds: it flies and spins."""
        random = self.random
        body = self._reduced_at_rest(stiff, strength, end)
        body["fixed"] = "none"
        body["basis"].pop("kind", None)  # inertia modes are those of a body that is held
        if random.random() < 0.2:  # by natural modes in a frame that flies
            body["method"] = "linear"
            body["basis"] = {"modes": random.randint(1, 6)}
        if random.random() < 0.8:
            body["velocity"] = some_vector(random, 2.0)
            body["angular_velocity"] = some_vector(random, 2.0)
        self._blow(body, end)
        return body

    def _blow(self, body: dict, end: float) -> None:
        random = self.random
        if end > 0.0 and random.random() < 0.2:
            body["wind"] = {"velocity": some_vector(random, 5.0), "gusts": random.choice((0.0, 0.5))}

    def _reduced_at_rest(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        body = self._body(stiff, strength, end, ("stvk", "stvk", "neo-hookean", "corotational"))
        body["method"] = "reduced"
        body["basis"] = {"modes": random.randint(1, 6), "rank": random.randint(1, 10), "derivatives": random.randint(0, 1)}
        if random.random() < 0.3:
            body["basis"] |= {"kind": random.choice(("modal", "inertia")), "condense": random.choice(("pca", "random"))}
        if body["material"]["law"] != "stvk":
            body["forces"] = {"kind": random.choice(("cubature", "modal-cubature", "auto")), "points": random.randint(3, 20)}
        return body

    def _modal_body(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        body = self._body(stiff, strength, end)
        body["method"] = random.choice(("linear", "warped"))
        body["basis"] = {"modes": random.randint(1, 12)}
        self._move(body, end, ("position", "orientation", "both"))
        return body

    def _driven_online_body(self, stiff: float, strength: float, end: float) -> dict:
        return self._driven_body(stiff, strength, end) | {"method": "online"}

    def _driven_body(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        body = self._body(stiff, strength, end)
        body.pop("damping", None)
        kind = random.randrange(3)
        if kind == 0:
            body["support"] = {"keys": keys(random, end, 0.5, 0.5)}
        elif kind == 1:
            bones = [
                {"name": "left", "from": [0.0, 0.0, 0.0], "to": [0.4, 0.0, 0.0]},
                {"name": "right", "from": [0.6, 0.0, 0.0], "to": [1.0, 0.0, 0.0], "keys": keys(random, end, 0.05, 0.4)},
            ]
            body["skin"] = {"bones": bones, "radius": 0.05}
        else:
            body["constraints"] = [{"where": "x > 0.99", "keys": keys(random, end, 0.1, 0.3)}]
            for one in body["loads"]:  # on the end that is moved they would do nothing
                if "nearest" in one:
                    one["nearest"] = [0.5, 0.0, 0.0]
        return body

    def _domains_body(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        body = self._body(stiff, strength, end, ("stvk", "stvk", "stvk", "neo-hookean"))
        body.pop("mass", None)
        body["method"] = "linear" if random.random() < 0.1 else "reduced"
        body["mesh"] = beam(random)
        body["domains"] = {"from": "auto", "count": domain_count(random, body["mesh"]), "rank": random.randint(1, 8)}
        if body["material"]["law"] != "stvk":
            body["forces"] = {"points": random.randint(5, 20)}
        if end == 0.0:
            return body
        if random.random() < 0.3:
            body["domains"]["inertia"] = random.choice(("full", "center", "interface"))
        if random.random() < 0.2:
            body["fixed"] = "none"
            body["velocity"] = some_vector(random, 1.0)
            body["angular_velocity"] = some_vector(random, 1.0)
        else:
            self._move(body, end)
        self._blow(body, end)
        return body

    def _assembly_body(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        part = {
            "mesh": "builtin:beam?size=0.5,0.1,0.1&cells=4,1,1",
            "material": {"young": stiff, "poisson": 0.3, "density": 1000},
            "fixed": {"where": "x < 0.001"},
            "rank": random.randint(1, 8),
            "sites": {"end": {"where": "x > 0.49"}, "middle": {"near": [0.25, 0.0, 0.0], "radius": 0.05}},
        }
        plate = {"mesh": "builtin:beam?size=0.1,0.1,0.1&cells=1,1,1", "material": part["material"],
                 "fixed": {"where": "x < 0.001"}, "rigid": True}  # fmt: skip
        instances: list[dict] = [{"name": "root", "part": "bar", "position": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0]}]
        for i in range(random.randint(0, 4)):
            parent = random.choice([one for one in instances if one["part"] == "bar"])
            site = random.choice(("end", "middle"))
            reach = parent.get("scale", 1.0) * {"end": 0.5, "middle": 0.25}[site]
            along = turned(parent["rotation"], [reach, 0.0, 0.0])
            instances.append({
                "name": f"arm {i}", "part": random.choice(("bar", "bar", "plate")), "parent": parent["name"], "site": site,
                "position": [x + y for x, y in zip(parent["position"], along)], "rotation": turn(random, 3.0),
                "scale": random.choice((1.0, 0.5)), "stiffness": random.choice((1.0, 2.0)),
            })  # fmt: skip
        used = {one["part"] for one in instances}
        parts = {name: one for name, one in (("bar", part), ("plate", plate)) if name in used}
        body = {"name": "mobile", "method": "reduced", "assembly": {"parts": parts, "instances": instances}}
        if random.random() < 0.3:
            body["assembly"]["free"] = True
            body["velocity"] = some_vector(random, 1.0)
        if random.random() < 0.5:
            body["damping"] = {"mass": 0.2, "stiffness": 0.002}
        return body

    def _model_body(self, stiff: float, strength: float, end: float) -> dict:
        random = self.random
        name = random.choice(self._named("model"))
        self.files[name] = self.models[name]
        method = random.choice(("reduced", "linear", "warped"))
        body = {"name": "bar", "method": method, "model": name, "rank": random.randint(0, 3), "loads": [load(random, 20.0, end)]}
        if end > 0.0 and random.random() < 0.5:
            body["damping"] = {"mass": 0.5, "stiffness": 0.002}
        return body

    def _tree_model_body(self, stiff: float, strength: float, end: float) -> dict:
        name = self.random.choice(self._named("tree"))
        self.files[name] = self.models[name]
        return {"name": "tree", "method": self.random.choice(("reduced", "linear")), "model": name, "loads": [load(self.random, 20.0, end)]}

    def _free_body(self, stiff: float, strength: float, end: float) -> dict:
        body = self._body(stiff, strength, end)
        if self.random.random() < 0.3:
            body["method"] = "online"
        body["fixed"] = "none"
        body["velocity"] = some_vector(self.random, 2.0)
        body["angular_velocity"] = some_vector(self.random, 2.0)
        return body

    def _online(self) -> dict:
        random = self.random
        return {"error": random.choice((0.005, 0.02, 0.1)), "throttle": random.choice((0.0, 1.0, 3.0)),
                "max_rank": random.choice((6, 10, 30)), "seed": random.randint(0, 5)}  # fmt: skip

    def _outputs(self, solver: dict, bodies: list[dict]) -> dict:
        random = self.random
        output: dict = {"displacements": "u.csv"}
        if random.random() < 0.2:
            output["vtu"] = "frames"
        if random.random() < 0.15:
            output["picture"] = "picture.png"
        if random.random() < 0.2 and solver["type"] != "static":
            output["animation"] = "motion.glb"
        if random.random() < 0.2:
            output["every"] = random.randint(1, 4)
        if random.random() < 0.2 and any(body.get("method") == "online" for body in bodies):
            output["timeline"] = random.choice(("timeline.svg", "timeline.png"))
        return output


WEIRD = (
    None, True, False, "", " ", "x", "nan", 0, -1, 1, 2, 0.5, -0.5, 1e-300, 1e300, -1e300, 1e308, 2**31, -(2**31), 2**63,
    10**30, [], {}, [0], [0, 0, 0], [1, 2], [[0, 0, 0], [1, 1, 1]], {"x": 1}, {"where": "x < 0"}, "builtin:beam", "..",
    "/", "u.csv", math.nan, math.inf, "static", "dynamic", "full", "reduced", "linear", "warped", "online", "auto",
    "a" * 2000, "\u0000", "ü", [1e308, 1e308, 1e308], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1],
)  # fmt: skip


def places(value, path=()) -> list[tuple]:
    """Paths to all values inside."""
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        found += places(one, (*path, key))
    return found


def mutated(random: Random, scene: dict, all_keys: list[str]) -> dict:
    """A copy with one to three things changed. all_keys: every key that the schema knows."""
    scene = json.loads(json.dumps(scene))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        path = random.choice(places(scene) or [()])
        if not path:
            break
        holder = scene
        for key in path[:-1]:
            holder = holder[key]
        _change(random, holder, path[-1], all_keys)
    return scene


def _change(random: Random, holder, key, all_keys: list[str]) -> None:
    weird = copy.deepcopy(WEIRD)
    value = holder[key]
    kind = random.randrange(6)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[random.choice((random.choice(all_keys), str(key) + "s", "colour"))] = random.choice((copy.deepcopy(value), *weird[:10]))
    elif kind == 2 and isinstance(value, str) and value:
        holder[key] = value.replace(random.choice(value), random.choice(("", "x", "0", " ")), 1)
    elif kind in (1, 2, 3) and number:
        factor = random.choice((-1, 0, 2, 10, 0.1, 1000, 1e-6, 1e9))
        holder[key] = type(value)(value * factor)
    elif isinstance(holder, list) and kind == 4:
        holder.append(random.choice((copy.deepcopy(value), *weird[:10])))
    else:
        holder[key] = random.choice(weird)


def schema_keys(schema) -> list[str]:
    """Every name under 'properties', wherever it is."""
    found: set[str] = set()
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            found |= set(one.get("properties", {}))
            stack += one.values()
        elif isinstance(one, list):
            stack += one
    return sorted(found)


def limited(scene, steps: int) -> None:
    """Cuts steps, in place, so that a change of a number does not make a run last for hours."""
    solver = scene.get("solver") if isinstance(scene, dict) else None
    if isinstance(solver, dict) and isinstance(solver.get("steps"), int) and 100 < solver["steps"] < 2**31:
        solver["steps"] = steps
