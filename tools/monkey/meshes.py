"""Small volume meshes, good and odd, in every format that limber reads."""

import math
from dataclasses import dataclass, field
from random import Random

Point = tuple[float, float, float]


@dataclass
class Mesh:
    vertices: list[Point]
    elements: list[tuple[int, ...]]  # four vertices of a tetrahedron each, or eight of a brick
    regions: list[int] = field(default_factory=list)  # a tag for each element; none: 1
    names: dict[int, str] = field(default_factory=dict)  # of tags

    def tags(self) -> list[int]:
        return self.regions or [1] * len(self.elements)

    @property
    def corners(self) -> int:
        return len(self.elements[0]) if self.elements else 4


# Six tetrahedra of a cube, about its diagonal from corner 0 to corner 7; corners count in binary, x the highest bit.
KUHN = ((0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7))


def grid(counts: tuple[int, int, int], size: Point, bricks: bool = False) -> Mesh:
    """A box of cubes, each cut into six tetrahedra or kept as a brick."""
    across, back, up = counts

    def number(i: int, j: int, k: int) -> int:
        return (i * (back + 1) + j) * (up + 1) + k

    vertices = [
        (size[0] * i / across, size[1] * j / back, size[2] * k / up)
        for i in range(across + 1)
        for j in range(back + 1)
        for k in range(up + 1)
    ]
    elements: list[tuple[int, ...]] = []
    for i in range(across):
        for j in range(back):
            for k in range(up):
                corner = [number(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1)) for c in range(8)]
                if bricks:
                    elements.append(tuple(corner[c] for c in (0, 4, 6, 2, 1, 5, 7, 3)))
                else:
                    elements += [tuple(corner[c] for c in tet) for tet in KUHN]
    return Mesh(vertices, elements)


def _join(a: Mesh, b: Mesh, shift: Point) -> Mesh:
    vertices = a.vertices + [tuple(x + d for x, d in zip(v, shift)) for v in b.vertices]
    return Mesh(vertices, a.elements + [tuple(v + len(a.vertices) for v in e) for e in b.elements])


def _changed(mesh: Mesh, vertex: int, place: Point) -> Mesh:
    vertices = list(mesh.vertices)
    vertices[vertex] = place
    return Mesh(vertices, mesh.elements, mesh.regions, mesh.names)


def good(random: Random) -> Mesh:
    """One that everything can be done with: a bar along x from 0 to 1, of a few regions at times."""
    counts = (random.randint(2, 5), random.randint(1, 2), random.randint(1, 2))
    mesh = grid(counts, (1.0, random.choice((0.1, 0.2, 0.4)), 0.2), bricks=random.random() < 0.2)
    if random.random() < 0.4:
        middle = len(mesh.elements) // 2
        mesh.regions = [1 if e < middle else 2 for e in range(len(mesh.elements))]
        mesh.names = {1: "left", 2: random.choice(("right", "rechts und länger", "a-b_c", "x" * 40))}
    return mesh


def odd(random: Random) -> Mesh:
    """One that may be refused, but never misread: degenerate, disconnected, out of all proportion."""
    beam = grid((2, 1, 1), (1.0, 0.2, 0.2))
    tet = Mesh([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], [(0, 1, 2, 3)])
    kinds = {
        "one tetrahedron": lambda: tet,
        "one brick": lambda: grid((1, 1, 1), (1.0, 1.0, 1.0), bricks=True),
        "two parts": lambda: _join(beam, beam, (0.0, 1.0, 0.0)),
        "two parts, one within the other": lambda: _join(beam, tet, (0.1, 0.05, 0.05)),
        "joined at a vertex": lambda: Mesh(
            tet.vertices + [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)], [(0, 1, 2, 3), (0, 5, 4, 6)]
        ),
        "joined at an edge": lambda: Mesh(
            tet.vertices + [(-1.0, -0.2, 0.0), (-0.2, -1.0, 0.0)], [(0, 1, 2, 3), (0, 5, 4, 3)]
        ),
        "twice the same element": lambda: Mesh(beam.vertices, beam.elements + beam.elements[:1]),
        "three elements at one face": lambda: Mesh(
            tet.vertices + [(1.0, 1.0, 1.0), (2.0, 2.0, 1.5)], [(0, 1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 5)]
        ),
        "a flat element": lambda: _changed(tet, 3, (0.3, 0.3, 0.0)),
        "nearly flat": lambda: _changed(tet, 3, (0.3, 0.3, random.choice((1e-5, 1e-9, 1e-13, 1e-17)))),
        "inside out": lambda: Mesh(tet.vertices, [(0, 2, 1, 3)]),
        "a vertex twice in an element": lambda: Mesh(tet.vertices, [(0, 1, 1, 3)]),
        "unused vertices": lambda: Mesh(beam.vertices + [(5.0, 5.0, 5.0), (0.5, 0.1, 0.1)], beam.elements),
        "two vertices at one place": lambda: Mesh(beam.vertices + [beam.vertices[0]], beam.elements[1:]),
        "a number that is none": lambda: _changed(tet, 2, (math.nan, 1.0, 0.0)),
        "infinite": lambda: _changed(tet, 2, (0.0, math.inf, 0.0)),
        "huge": lambda: grid((2, 1, 1), (1e12, 2e11, 2e11)),
        "beyond all": lambda: grid((2, 1, 1), (1e200, 2e199, 2e199)),
        "tiny": lambda: grid((2, 1, 1), (1e-9, 2e-10, 2e-10)),
        "vanishing": lambda: grid((2, 1, 1), (1e-120, 2e-121, 2e-121)),
        "far away": lambda: Mesh([(x + 1e7, y, z) for x, y, z in beam.vertices], beam.elements),
        "thin": lambda: grid((3, 1, 1), (1.0, 1e-6, 1e-6)),
        "a vertex out of range": lambda: Mesh(tet.vertices, [(0, 1, 2, random.choice((4, 99, 2**31 - 1, 2**40)))]),
        "a negative vertex": lambda: Mesh(tet.vertices, [(0, 1, 2, -1)]),
        "no elements": lambda: Mesh(tet.vertices, []),
        "nothing": lambda: Mesh([], []),
        "a region for each element": lambda: Mesh(beam.vertices, beam.elements, list(range(1, 1 + len(beam.elements)))),
        "odd tags": lambda: Mesh(
            beam.vertices, beam.elements, [random.choice((0, -1, 7, 2**31 - 1)) for _ in beam.elements]
        ),
        "odd names": lambda: Mesh(
            beam.vertices,
            beam.elements,
            [1 + e % 2 for e in range(len(beam.elements))],
            {1: random.choice(("", " ", "a b", "ü", "..", "a/b")), 2: random.choice(("2", "x" * 300, "a'b", "same"))},
        ),
        "a skew brick": lambda: _changed(grid((1, 1, 1), (1.0, 1.0, 1.0), bricks=True), 7, (1.2, 1.1, 1.0)),
        "mixed elements": lambda: Mesh(
            beam.vertices, [*beam.elements[:6], tuple(grid((1, 1, 1), (1.0, 1.0, 1.0), bricks=True).elements[0])]
        ),
    }
    mesh = kinds[random.choice(sorted(kinds))]()
    return Mesh(list(mesh.vertices), list(mesh.elements), mesh.regions, mesh.names)


def _numbers(values) -> str:
    return " ".join(repr(value) for value in values)


def _shifted(element: tuple[int, ...]) -> str:
    return " ".join(str(vertex + 1) for vertex in element)


def to_msh(mesh: Mesh) -> dict[str, bytes]:
    names = "".join(f'3 {tag} "{name}"\n' for tag, name in mesh.names.items())
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    if names:
        text += f"$PhysicalNames\n{len(mesh.names)}\n{names}$EndPhysicalNames\n"
    text += f"$Nodes\n{len(mesh.vertices)}\n"
    text += "".join(f"{i + 1} {_numbers(v)}\n" for i, v in enumerate(mesh.vertices))
    text += f"$EndNodes\n$Elements\n{len(mesh.elements)}\n"
    for i, (element, tag) in enumerate(zip(mesh.elements, mesh.tags())):
        text += f"{i + 1} {4 if len(element) == 4 else 5} 2 {tag} {tag} {_shifted(element)}\n"
    return {".msh": (text + "$EndElements\n").encode()}


def to_mesh(mesh: Mesh) -> dict[str, bytes]:
    text = f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(mesh.vertices)}\n"
    text += "".join(f"{_numbers(v)} 0\n" for v in mesh.vertices)
    for corners, title in ((4, "Tetrahedra"), (8, "Hexahedra")):
        chosen = [(e, tag) for e, tag in zip(mesh.elements, mesh.tags()) if len(e) == corners]
        if chosen:
            text += f"{title}\n{len(chosen)}\n" + "".join(f"{_shifted(e)} {tag}\n" for e, tag in chosen)
    return {".mesh": (text + "End\n").encode()}


def to_tetgen(mesh: Mesh) -> dict[str, bytes]:
    node = f"{len(mesh.vertices)} 3 0 0\n"
    node += "".join(f"{i + 1} {_numbers(v)}\n" for i, v in enumerate(mesh.vertices))
    ele = f"{len(mesh.elements)} {mesh.corners} 1\n"
    ele += "".join(f"{i + 1} {_shifted(e)} {tag}\n" for i, (e, tag) in enumerate(zip(mesh.elements, mesh.tags())))
    return {".ele": ele.encode(), ".node": node.encode()}


def to_vtk(mesh: Mesh) -> dict[str, bytes]:
    text = "# vtk DataFile Version 3.0\nmonkey\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    text += f"POINTS {len(mesh.vertices)} double\n" + "".join(_numbers(v) + "\n" for v in mesh.vertices)
    text += f"CELLS {len(mesh.elements)} {sum(len(e) + 1 for e in mesh.elements)}\n"
    text += "".join(f"{len(e)} {' '.join(map(str, e))}\n" for e in mesh.elements)
    text += f"CELL_TYPES {len(mesh.elements)}\n"
    text += "".join("10\n" if len(e) == 4 else "12\n" for e in mesh.elements)
    text += f"CELL_DATA {len(mesh.elements)}\nSCALARS region int 1\nLOOKUP_TABLE default\n"
    return {".vtk": (text + "".join(f"{tag}\n" for tag in mesh.tags())).encode()}


def to_vtu(mesh: Mesh) -> dict[str, bytes]:
    offsets, end = [], 0
    for element in mesh.elements:
        end += len(element)
        offsets.append(end)

    def array(name: str, kind: str, values, more: str = "") -> str:
        return f'<DataArray type="{kind}" Name="{name}" {more} format="ascii">{values}</DataArray>\n'

    text = '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">\n<UnstructuredGrid>\n'
    text += f'<Piece NumberOfPoints="{len(mesh.vertices)}" NumberOfCells="{len(mesh.elements)}">\n<Points>\n'
    text += array("Points", "Float64", " ".join(map(_numbers, mesh.vertices)), 'NumberOfComponents="3"')
    text += "</Points>\n<Cells>\n"
    text += array("connectivity", "Int64", " ".join(" ".join(map(str, e)) for e in mesh.elements))
    text += array("offsets", "Int64", " ".join(map(str, offsets)))
    text += array("types", "UInt8", " ".join("10" if len(e) == 4 else "12" for e in mesh.elements))
    text += "</Cells>\n<CellData>\n" + array("region", "Int32", " ".join(map(str, mesh.tags())))
    return {".vtu": (text + "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n").encode()}


def to_veg(mesh: Mesh) -> dict[str, bytes]:
    text = f"*VERTICES\n{len(mesh.vertices)} 3 0 0\n"
    text += "".join(f"{i + 1} {_numbers(v)}\n" for i, v in enumerate(mesh.vertices))
    text += f"*ELEMENTS\n{'TET' if mesh.corners == 4 else 'CUBIC'}\n{len(mesh.elements)} {mesh.corners} 0\n"
    text += "".join(f"{i + 1} {_shifted(e)}\n" for i, e in enumerate(mesh.elements))
    text += "*MATERIAL rubber\nENU, 1000, 1000000, 0.45\n"
    for tag in sorted(set(mesh.tags())):
        members = ", ".join(str(e + 1) for e, own in enumerate(mesh.tags()) if own == tag)
        name = mesh.names.get(tag, f"set{tag}").replace(",", "_")
        text += f"*SET {name}\n{members}\n*REGION\n{name}, rubber\n"
    return {".veg": text.encode()}


WRITERS = (to_msh, to_mesh, to_tetgen, to_vtk, to_vtu, to_veg)


def as_files(random: Random, mesh: Mesh, stem: str) -> tuple[str, dict[str, bytes]]:
    """The name of the file to give to limber, and all files of the mesh, in some format."""
    tetrahedra = all(len(element) == 4 for element in mesh.elements)
    parts = random.choice([write for write in WRITERS if tetrahedra or write is not to_tetgen])(mesh)
    files = {stem + extension: content for extension, content in parts.items()}
    return next(iter(files)), files
