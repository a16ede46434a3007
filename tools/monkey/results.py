"""What is in the results of a run that succeeded: complete files, finite and plausible numbers."""

import base64
import json
import math
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

from .rules import Finding

# Where a result may have no value: nothing to compare with, or nothing there.
MAY_BE_NULL = frozenset(
    (
        "amplitude_shift", "frequency_shift", "natural_frequencies_hz", "trajectory_error",  # where nothing moves
        "smallest_volume_ratio",  # of bodies without elements
        "volume",  # of open surfaces
        "frequencies_hz",  # of models of many coordinates
        "ratio", "ratio_to",  # of benchmarks that are compared with nothing
    )
)
# Numbers that are never negative, wherever they appear.
NEVER_NEGATIVE = re.compile(
    r"vertices|elements|unknowns|steps|iterations|seconds|max_displacement|volume$|mass$|frequenc(y|ies)_hz|bytes|rank|count"
)
# So far does nothing move in the cases tried: bodies of a metre under forces that bend them.
FARTHEST = 1e6
NO_NUMBER = re.compile(r"(?<![\w./-])[-+]?(nan|inf|infinity)(?![\w./-])", re.IGNORECASE)


def _refuse_constant(name: str):
    raise ValueError(f"{name} is no JSON")


def read_json(text: str):
    return json.loads(text, parse_constant=_refuse_constant)


def farthest_of(given: str) -> float:
    """How far things may move by what the user wrote: far, where he wrote large numbers."""
    numbers = (float(word) for word in re.findall(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", given))
    return max([FARTHEST, *(1e3 * number for number in numbers if math.isfinite(number))])


def judge_json(text: str, farthest: float = FARTHEST) -> list[Finding]:
    try:
        value = read_json(text)
    except ValueError as error:
        return [("json", f"cannot be parsed: {error}")]
    found: list[Finding] = []
    _walk(value, "", found, farthest)
    return found[:3]


def _walk(value, path: str, found: list[Finding], farthest: float) -> None:
    key = path.rsplit(".", 1)[-1].split("[")[0]
    if isinstance(value, dict):
        for name, inner in value.items():
            _walk(inner, f"{path}.{name}", found, farthest)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _walk(inner, f"{path}[{number}]", found, farthest)
    elif value is None and key not in MAY_BE_NULL:
        found.append(("json", f"{path} is null"))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            found.append(("finite", f"{path} is {value}"))
        elif value < 0 and NEVER_NEGATIVE.search(key):
            found.append(("plausible", f"{path} is {value}"))
        elif key == "max_displacement" and value > farthest:
            found.append(("plausible", f"{path} is {value} m"))


def judge_text(text: str, given: str) -> list[Finding]:
    """What is printed for people."""
    for match in NO_NUMBER.finditer(text):
        if match.group().lower().lstrip("+-") not in given.lower():
            line = next(line for line in text.splitlines() if match.group() in line)
            return [("finite", f"'{match.group()}' in what it prints: {line.strip()[:200]}")]
    return []


def judge_file(path: Path, farthest: float = FARTHEST) -> list[Finding]:
    """A file that a run wrote, by its kind."""
    judges = {
        ".csv": lambda file: _judge_csv(file, farthest),
        ".vtu": _judge_vtu,
        ".pvd": _judge_xml,
        ".svg": _judge_svg,
        ".png": _judge_png,
        ".glb": _judge_glb,
        ".html": _judge_html,
        ".json": lambda file: judge_json(file.read_text(), farthest),
    }
    if path.stat().st_size == 0:
        return [("results", f"{path.name} is empty")]
    judge = judges.get(path.suffix)
    if not judge:
        return []
    try:
        return judge(path)
    except (ValueError, KeyError, IndexError, struct.error, ElementTree.ParseError, zlib.error) as error:
        return [("results", f"{path.name} cannot be read: {error!r}")]


def read_csv(path: Path) -> list[list[float]]:
    lines = path.read_text().splitlines()
    if lines and re.match(r"\s*[a-z]", lines[0]):
        lines = lines[1:]
    return [[float(word) for word in line.split(",")] for line in lines]


def _judge_csv(path: Path, farthest: float) -> list[Finding]:
    rows = read_csv(path)
    if len({len(row) for row in rows}) > 1:
        return [("results", f"{path.name}: rows of different lengths")]
    for row in rows:
        for value in row:
            if not math.isfinite(value) or abs(value) > farthest:
                return [("finite", f"{path.name} holds {value}")]
    return []


def _judge_xml(path: Path) -> list[Finding]:
    ElementTree.fromstring(path.read_bytes())
    return []


def _judge_svg(path: Path) -> list[Finding]:
    _judge_xml(path)
    text = path.read_text()
    match = NO_NUMBER.search(re.sub(r">[^<]*<", "><", text))
    return [("finite", f"'{match.group()}' in {path.name}")] if match else []


def _judge_vtu(path: Path) -> list[Finding]:
    """Numbers in text, or base64 of (compressed) blocks."""
    root = ElementTree.fromstring(path.read_bytes())
    header = "<Q" if root.get("header_type") == "UInt64" else "<I"
    codes = {"Float64": "d", "Float32": "f"}
    for array in root.iter("DataArray"):
        code = codes.get(array.get("type", ""))
        if not code:
            continue
        text = (array.text or "").strip()
        if array.get("format") == "ascii":
            values = [float(word) for word in text.split()]
        elif array.get("format") == "binary" and not root.get("compressor"):
            data = base64.b64decode(text)
            size = struct.calcsize(header)
            (count,) = struct.unpack_from(header, data)
            values = struct.unpack_from(f"<{count // struct.calcsize(code)}{code}", data, size)
        else:
            continue
        if not all(map(math.isfinite, values)):
            return [("finite", f"{path.name}: {array.get('Name')} holds numbers that are none")]
    return []


def _judge_png(path: Path) -> list[Finding]:
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[-8:-4] != b"IEND":
        return [("results", f"{path.name} is no whole picture")]
    return []


def _judge_html(path: Path) -> list[Finding]:
    if "</html>" not in path.read_text()[-200:]:
        return [("results", f"{path.name} is no whole page")]
    return []


def _judge_glb(path: Path) -> list[Finding]:
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    if magic != b"glTF" or version != 2 or length != len(data):
        return [("results", f"{path.name} is no whole glTF")]
    (size,) = struct.unpack_from("<I", data, 12)
    document = read_json(data[20 : 20 + size].decode())
    binary = data[20 + size + 8 :]
    for number, accessor in enumerate(document.get("accessors", [])):
        if accessor.get("componentType") != 5126 or "bufferView" not in accessor:
            continue
        view = document["bufferViews"][accessor["bufferView"]]
        per = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        if "byteStride" in view and view["byteStride"] != 4 * per:
            continue
        values = struct.unpack_from(f"<{accessor['count'] * per}f", binary, start)
        if not all(map(math.isfinite, values)):
            return [("finite", f"{path.name}: accessor {number} holds numbers that are none")]
    return []
