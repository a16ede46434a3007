"""Small triangle meshes, good and odd, in every format that limber meshes."""

import base64
import json
import math
import struct
from random import Random

Point = tuple[float, float, float]
Triangle = tuple[int, int, int]
Surface = tuple[list[Point], list[Triangle]]


def box(low: Point, high: Point) -> Surface:
    """Twelve triangles, counter-clockwise seen from outside."""
    points = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = []
    for a, b, c, d in quads:
        triangles += [(a, b, c), (a, c, d)]
    return points, triangles


def ball(rings: int, radius: float) -> Surface:
    points: list[Point] = [(0.0, 0.0, radius)]
    for i in range(1, rings):
        theta = math.pi * i / rings
        for j in range(2 * rings):
            phi = math.pi * j / rings
            points.append((radius * math.sin(theta) * math.cos(phi), radius * math.sin(theta) * math.sin(phi),
                           radius * math.cos(theta)))
    points.append((0.0, 0.0, -radius))
    around = 2 * rings
    triangles: list[Triangle] = []
    for j in range(around):
        k = (j + 1) % around
        triangles.append((0, 1 + j, 1 + k))
        for i in range(rings - 2):
            a, b = 1 + i * around + j, 1 + i * around + k
            triangles += [(a, a + around, b), (b, a + around, b + around)]
        last = 1 + (rings - 2) * around
        triangles.append((last + j, len(points) - 1, last + k))
    return points, triangles


def _join(a: Surface, b: Surface) -> Surface:
    count = len(a[0])
    return a[0] + b[0], a[1] + [tuple(v + count for v in t) for t in b[1]]


def good(random: Random) -> Surface:
    if random.random() < 0.5:
        return box((0.0, 0.0, 0.0), (1.0, random.choice((0.3, 1.0)), random.choice((0.3, 1.0))))
    return ball(random.randint(3, 8), random.choice((0.1, 1.0, 20.0)))


def odd(random: Random) -> Surface:
    unit = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    inner = box((0.25, 0.25, 0.25), (0.75, 0.75, 0.75))
    scale = random.choice((1e-150, 1e-12, 1e9, 1e150))
    kinds = {
        "open": lambda: (unit[0], unit[1][: random.randint(3, 11)]),
        "flipped": lambda: (unit[0], [(a, c, b) for a, b, c in unit[1]]),
        "some flipped": lambda: (unit[0], [(a, c, b) if i % 3 else (a, b, c) for i, (a, b, c) in enumerate(unit[1])]),
        "nested": lambda: _join(unit, inner),
        "crossing": lambda: _join(unit, box((0.5, 0.5, 0.5), (1.5, 1.5, 1.5))),
        "two parts": lambda: _join(unit, box((3.0, 0.0, 0.0), (4.0, 1.0, 1.0))),
        "one triangle": lambda: (unit[0][:3], [(0, 1, 2)]),
        "flat": lambda: ([(x, y, 0.0) for x, y, _ in unit[0]], unit[1]),
        "a line": lambda: ([(x, 0.0, 0.0) for x, _, _ in unit[0]], unit[1]),
        "a point": lambda: ([(1.0, 1.0, 1.0)] * 8, unit[1]),
        "thin": lambda: box((0.0, 0.0, 0.0), (1.0, 1.0, random.choice((1e-3, 1e-7, 1e-12)))),
        "twice": lambda: _join(unit, unit),
        "degenerate triangles": lambda: (unit[0], unit[1] + [(0, 0, 1), (2, 2, 2)]),
        "a triangle out of range": lambda: (unit[0], unit[1] + [(0, 1, random.choice((8, 1000, 2**31)))]),
        "a number that is none": lambda: ([(math.nan, 0.0, 0.0)] + unit[0][1:], unit[1]),
        "infinite": lambda: ([(math.inf, 0.0, 0.0)] + unit[0][1:], unit[1]),
        "out of all proportion": lambda: ([(x * scale, y * scale, z * scale) for x, y, z in unit[0]], unit[1]),
        "far away": lambda: ([(x + 1e8, y, z) for x, y, z in unit[0]], unit[1]),
        "no triangles": lambda: (unit[0], []),
        "nothing": lambda: ([], []),
    }
    return kinds[random.choice(sorted(kinds))]()


def to_obj(surface: Surface) -> bytes:
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in surface[0])
    return (text + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in surface[1])).encode()


def to_off(surface: Surface) -> bytes:
    text = f"OFF\n{len(surface[0])} {len(surface[1])} 0\n"
    text += "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in surface[0])
    return (text + "".join(f"3 {a} {b} {c}\n" for a, b, c in surface[1])).encode()


def to_ply(surface: Surface) -> bytes:
    text = f"ply\nformat ascii 1.0\nelement vertex {len(surface[0])}\nproperty double x\nproperty double y\n"
    text += f"property double z\nelement face {len(surface[1])}\nproperty list uchar int vertex_indices\nend_header\n"
    text += "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in surface[0])
    return (text + "".join(f"3 {a} {b} {c}\n" for a, b, c in surface[1])).encode()


def _corner(surface: Surface, vertex: int) -> Point:
    return surface[0][vertex] if vertex < len(surface[0]) else (0.0, 0.0, 0.0)


def _as_float(x: float) -> float:
    return x if abs(x) < 3e38 else math.copysign(math.inf, x)


def to_stl(surface: Surface) -> bytes:
    data = b"monkey".ljust(80) + struct.pack("<I", len(surface[1]))
    for triangle in surface[1]:
        corners = [_as_float(x) for vertex in triangle for x in _corner(surface, vertex)]
        data += struct.pack("<12fH", 0.0, 0.0, 0.0, *corners, 0)
    return data


def to_ascii_stl(surface: Surface) -> bytes:
    text = "solid monkey\n"
    for triangle in surface[1]:
        text += "facet normal 0 0 0\nouter loop\n"
        for vertex in triangle:
            x, y, z = _corner(surface, vertex)
            text += f"vertex {x!r} {y!r} {z!r}\n"
        text += "endloop\nendfacet\n"
    return (text + "endsolid monkey\n").encode()


def to_gltf(surface: Surface) -> bytes:
    points = struct.pack(f"<{3 * len(surface[0])}f", *(_as_float(x) for point in surface[0] for x in point))
    corners = struct.pack(f"<{3 * len(surface[1])}I", *(min(v, 2**32 - 1) for t in surface[1] for v in t))
    data = "data:application/octet-stream;base64," + base64.b64encode(points + corners).decode()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(points + corners), "uri": data}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(surface[0]), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3 * len(surface[1]), "type": "SCALAR"},
        ],
    }
    return json.dumps(document).encode()


WRITERS = {".obj": to_obj, ".off": to_off, ".ply": to_ply, ".stl": to_stl, "_text.stl": to_ascii_stl, ".gltf": to_gltf}


def as_file(random: Random, surface: Surface, stem: str) -> tuple[str, bytes]:
    extension = random.choice(sorted(WRITERS))
    return stem + extension, WRITERS[extension](surface)
