"""The options of each command, with values that it takes and values that it must refuse."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Option:
    name: str
    good: tuple[str, ...]  # none: a flag
    bad: tuple[str, ...] = ()  # refused whatever else is said


NO_NUMBER = ("", "x", "nan", "inf", "-inf", "1e999", "1,5", "0x1p3 ", "--json")
NO_COUNT = (*NO_NUMBER, "1.5", "-1", "99999999999999999999", "1e3x")
THREADS = Option("--threads", ("0", "1", "2"), (*NO_COUNT, "1025"))
JSON = Option("--json", ())
PICTURE = Option("--picture", ("picture.png",), ("picture.jpg", "", "missing/picture.png", "folder.png"))

LAW = Option(
    "--law",
    ("stvk", "linear", "corotational", "neo-hookean", "mooney-rivlin", "arruda-boyce"),
    ("", "rubber", "STVK", "stvk,linear"),
)
UP = Option("--up", ("x", "y", "z"), ("", "w", "Y", "-z", "up", "y,z"))
UNIT = Option("--unit", ("mm", "cm", "m", "in"), ("", "km", "MM", "1e-3", "mm,cm"))
MESHING = (
    Option("--method", ("tet", "voxel"), ("", "hex")),
    Option("--cells", ("1", "2", "5", "12"), (*NO_COUNT, "0", "262145")),
    Option("--target-elements", ("1", "50", "500"), (*NO_COUNT, "0", "100000001")),
    Option("--grading", ("0", "1", "2", "8"), (*NO_COUNT, "9")),
    Option("--fill", ("touched", "center", "shell"), ("", "all")),
    Option("--smallest-part", ("0", "0.01", "1"), (*NO_NUMBER, "-0.1", "1.1")),
    Option("--keep-volume-error", ()),
)
BODY = (
    UP,
    UNIT,
    *MESHING,
    Option("--material", ("rubber", "steel", "jelly"), ("", "Rubber", "unobtainium", "rubber,steel")),
    Option("--hold", ("bottom", "top", "left,right", "front,back,top"), ("", "botom", "left;right", "left,,right", "left,")),
    Option("--young", ("1e6", "2e11", "1e3"), (*NO_NUMBER, "0", "-1")),
    Option("--poisson", ("0", "0.3", "0.45", "-0.2"), (*NO_NUMBER, "0.5", "-1", "2")),
    Option("--density", ("1000", "1", "7800"), (*NO_NUMBER, "0", "-5")),
    Option("--fixed-vertices", ("0,1,2,3", "0", "0,0,1"), ("x", "0,,1", "-1", "99999999", "1.5", "0;1")),
    Option(
        "--fixed-where",
        ("x < 0.01", "x < 0.01 and y >= 0", "x<0.3"),
        ("x <", "q < 1", "x < nan", "x < 0.1 or", "x ~ 1", "x << 1", "x < 1 y < 1", "x > 1e9", "z"),
    ),
    Option("--free", ()),
    Option("--mass", ("consistent", "lumped"), ("", "Lumped", "none")),
    THREADS,
)

BASIS = (
    Option("--basis", ("modal", "inertia"), ("", "modes", "pca")),
    Option("--modes", ("1", "3", "6", "20"), (*NO_COUNT, "201")),
    Option("--derivatives", ("0", "1", "2"), (*NO_COUNT, "6")),
    Option("--orthogonalization", ("full", "reduced"), ("", "half")),
    Option("--condense", ("pca", "random"), ("", "svd")),
    Option("--rank", ("1", "4", "8", "30", "120"), (*NO_COUNT, "0", "201")),
    Option("--no-check", ()),
    Option("--load-separation", ("0", "0.1", "1"), (*NO_NUMBER, "-0.1", "1.1")),
    Option("--shape-separation", ("0", "0.1", "1"), (*NO_NUMBER, "-0.1", "1.1")),
    Option("--sketch", ("sketch.json",), ("missing.json", "mesh.obj", "folder.png")),
    Option("--snapshots", ("u.csv",), ("missing.csv", "sketch.json", "folder.png")),
    Option("--contact-where", ("z > 0", "x < 0.3"), ("z", "z > 1e9")),
    Option("--contact", ("1", "2", "5"), ("0", "x", "1.5", "-1", "500", "99999999999999999999")),
    Option("--seed", ("0", "1", "12345"), ("", "x", "1.5")),
)

SHOWN_BASIS = (
    Option("--modes", ("1", "3", "6"), (*NO_COUNT, "0", "201")),
    Option("--rank", ("1", "4", "8"), (*NO_COUNT, "0", "501")),
)

FORCES = (
    Option("--forces", ("auto", "exact", "cubature", "modal-cubature"), ("", "precise")),
    Option("--training-error", ("0.01", "0.2", "0.9"), (*NO_NUMBER, "0", "1", "-1")),
    Option("--poses", ("motion", "gaussian", "given"), ("", "random")),
    Option("--training", ("u.csv",), ("missing.csv", "folder.png")),
    Option("--amplitude", ("0.01", "0.1", "1"), (*NO_NUMBER, "0", "11")),
    Option("--points", ("1", "10", "60"), (*NO_COUNT, "0", "3001")),
)

TREE = (
    Option("--domains", ("regions", "auto:1", "auto:2", "auto:4", "sets.json"), ("", "auto", "auto:0", "auto:x", "auto:-1", "missing.json", "auto:99999999999", "folder.png")),
    Option("--root", ("part 1", "part 2"), ()),
    Option("--total-rank", ("1", "12", "40"), (*NO_COUNT, "0")),
    Option("--rigid", ("part 1", "part 2"), ()),
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "mesh": (
        Option("--output", ("out.msh", "out.mesh", "out.vtu", "out.vtk", "out.veg", "out.ele"), ("", "out.xyz", "out", "missing/out.msh", "folder.msh")),
        UP,
        UNIT,
        *MESHING,
        PICTURE,
        THREADS,
        JSON,
    ),
    "inspect": (JSON, PICTURE, UP, Option("--render", ())),
    "modes": (
        *BODY,
        Option("--count", ("1", "2", "7", "12"), (*NO_COUNT, "0")),
        JSON,
        Option("--output", ("shapes.vtu",), ("", "shapes.csv", "missing/shapes.vtu", "folder.vtu")),
        PICTURE,
    ),
    "reduce": (
        Option("--output", ("out.glb",), ("", "out.gltf", "missing/out.glb", "folder.glb")),
        *BODY,
        LAW,
        *BASIS,
        *FORCES,
        *TREE,
        Option("--render", ("mesh.obj",), ("missing.obj", "folder.png", "")),
        Option("--no-simulation-mesh", ()),
        PICTURE,
        Option("--report", ("report",), ("mesh.obj", "mesh.obj/report")),
        JSON,
    ),
    "verify": (
        Option("--mesh", ("builtin:beam?cells=4,1,1",), ("missing.msh", "", "builtin:x", "builtin:beam?cells=5,1,1", "folder.png")),
        Option("--states", ("1", "3", "10"), (*NO_COUNT, "0", "100001")),
        Option("--gradient", ("0.001", "0.5", "2"), (*NO_NUMBER, "0", "1001")),
        Option("--tolerance", ("1e-6", "1", "10"), (*NO_NUMBER, "0", "-1")),
        Option("--seed", ("0", "7"), ("", "x", "1.5")),
        THREADS,
        JSON,
    ),
    "simulate": (
        Option("--output", ("motion.glb",), ("", "motion.gltf", "missing/motion.glb", "folder.glb")),
        Option("--seconds", ("0.1", "0.05", "0.2"), (*NO_NUMBER, "0", "-1", "1e12")),
        Option("--timestep", ("0.01", "0.001", "0.1"), (*NO_NUMBER, "0", "-1", "1e-300")),
        Option("--damping", ("0,0", "0.5,0.002", "0,0.01"), ("", "1", "1,2,3", "-1,0", "nan,0", "a,b")),
        Option("--velocity", ("1,0,2", "0,0,0"), ("", "1", "1,2", "nan,0,0", "a,b,c")),
        Option("--spin", ("0,3,0", "0,0,0"), ("", "1", "1,2", "inf,0,0", "a,b,c")),
        Option("--gravity", ("0,0,-9.81", "0,0,0", "3,-4,1"), ("", "1", "1,2", "1,2,3,4", "a,b,c", "nan,0,0", "inf,0,0")),
        Option("--ground", ("-1", "0", "-0.2", "1e3"), NO_NUMBER),
        Option("--friction", ("0", "0.3", "5"), (*NO_NUMBER, "-1")),
        Option("--restitution", ("0", "0.5", "1"), (*NO_NUMBER, "-0.1", "1.5")),
        Option("--method", ("reduced", "warped", "linear"), ("", "full", "online", "domains", "fast")),
        Option("--error", ("0.01", "0.1"), (*NO_NUMBER, "0", "1.1")),
        Option("--throttle", ("0", "1", "4"), (*NO_NUMBER, "-1", "1001")),
        JSON,
        THREADS,
        Option("--output-dir", ("out", "out/deep/er"), ("mesh.obj", "mesh.obj/x")),
        Option("--resume", ()),
        Option("--checkpoint-every", ("0", "1", "1e9"), (*NO_NUMBER, "-1")),
        Option("--checkpoint", ("c.checkpoint",), ("missing/c", "folder.png", "mesh.obj")),
    ),
    "compare": (
        Option(
            "--basis",
            ("derivatives", "modes", "inertia", "inertia-random", "motion", "warped", "linear", "online", "domains",
             "domains:full", "domains:center", "domains:interface", "derivatives/exact", "sketch:sketch.json"),
            ("", "mode", "sketch:", "sketch:missing.json", "domains:x", "modes/x", "warped/exact", "model"),
        ),
        Option("--modes", ("1", "3", "6"), (*NO_COUNT, "0", "201")),
        Option("--rank", ("1", "4", "8"), (*NO_COUNT, "0", "201")),
        Option("--probe", ("1,0,0", "0.5,0,0"), ("", "1", "1,2", "a,b,c", "nan,0,0")),
        Option("--plot", ("plot.svg",), ("", "plot.png", "missing/plot.svg", "folder.svg")),
        THREADS,
        JSON,
    ),
    "view": (
        *BODY,
        LAW,
        *SHOWN_BASIS,
        Option("--port", ("0",), (*NO_COUNT, "65536")),
        Option("--no-open", ()),
        JSON,
    ),
    "export": (
        *BODY,
        LAW,
        *SHOWN_BASIS,
        Option("--output", ("page.html",), ("", "page.htm", "missing/page.html", "folder.html")),
        Option("--title", ("A title", "<b>&\"'</b></script>", "ü 日本"), ()),
        Option("--small", ()),
        JSON,
    ),
    "demo": (Option("--output-dir", ("demo",), ("mesh.obj", "mesh.obj/x")),),
    "schema": (Option("--markdown", ()), Option("--commands", ())),
    "bench": (
        Option("--filter", ("^nothing-is-called-so",), ("(", "[", "*")),
        JSON,
        THREADS,
        Option("--min-seconds", ("0", "1e-6"), (*NO_NUMBER, "-1", "3601")),
    ),
}


def differences(described: dict) -> list[str]:
    """What the table above has otherwise than the command says of itself (`limber schema --commands`)."""
    found = []
    commands = described["commands"]
    for command in sorted(set(commands) | set(COMMANDS)):
        said = {names[-1]: option["takes_value"] for option in commands.get(command, {}).get("options", ())
                if (names := option["names"])[-1].startswith("--") and names[-1] != "--help"}  # fmt: skip
        known = {option.name: bool(option.good) for option in COMMANDS.get(command, ())}
        found += [f"lacks {name} of {command}" for name in sorted(set(said) - set(known))]
        found += [f"has {name} of {command}, which knows no such option" for name in sorted(set(known) - set(said))]
        found += [f"gives {name} of {command} {'a' if known[name] else 'no'} value"
                  for name in sorted(set(known) & set(said)) if known[name] != said[name]]  # fmt: skip
    return found


def some_good(random: Random, command: str, most: int, without: frozenset[str] = frozenset()) -> list[str]:
    """Up to `most` options of a command with values that each of them takes; together they may be refused."""
    options = [option for option in COMMANDS[command] if option.name not in without]
    words: list[str] = []
    for option in random.sample(options, random.randint(0, min(most, len(options)))):
        words.append(option.name)
        if option.good:
            words.append(random.choice(option.good))
    return words


def one_bad(random: Random, command: str) -> tuple[str, list[str]] | None:
    """An option and the words that give it a value which must be refused."""
    options = [option for option in COMMANDS[command] if option.bad]
    if not options:
        return None
    option = random.choice(options)
    value = random.choice(option.bad)
    if random.random() < 0.3 or value.startswith("-"):
        return option.name, [f"{option.name}={value}"]
    return option.name, [option.name, value]
