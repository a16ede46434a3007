"""blender --background --factory-startup --python blender_import.py -- CLIP.glb

Imports a clip and compares the vertices that Blender shows, at some frames, with those that glTF prescribes.
"""
import json
import struct
import sys

import bpy
import numpy

numpy.bool = bool  # the glTF importer of Blender 3.4 uses the name that NumPy 1.24 dropped

# Floats have 24 bits; a sum of some dozen terms of alternating sign loses a few.
TOLERANCE = 3e-6


class Clip:
    """What the file says, read without Blender's importer."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        (length,) = struct.unpack_from("<I", content, 12)
        self.json = json.loads(content[20 : 20 + length])
        self.data = content[28 + length :]
        self.channels = {}  # of the animation, by node and path
        for animation in self.json.get("animations", []):
            for channel in animation["channels"]:
                target = channel["target"]
                output = animation["samplers"][channel["sampler"]]["output"]
                self.channels[target["node"], target["path"]] = output

    def read(self, accessor):
        item = self.json["accessors"][accessor]
        view = self.json["bufferViews"][item["bufferView"]]
        kind = {5123: "<u2", 5125: "<u4", 5126: "<f4"}[item["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[item["type"]]
        values = numpy.frombuffer(self.data, kind, width * item["count"], view["byteOffset"])
        return values.reshape(-1, width) if width > 1 else values

    def positions(self, node, frame):
        """Vertices in the world as Blender orders them: those of each primitive, turned from y up to z up."""
        mesh = self.json["meshes"][self.json["nodes"][node]["mesh"]]
        primitives = mesh["primitives"]
        x = self.read(primitives[0]["attributes"]["POSITION"]).astype(float)
        weights = self.value(node, "weights", frame, mesh.get("weights", []))
        for target, weight in zip(primitives[0].get("targets", []), weights):
            x = x + float(weight) * self.read(target["POSITION"])
        x = self.place(node, frame, x)
        used = [numpy.unique(self.read(primitive["indices"])) for primitive in primitives]
        x = x[numpy.concatenate(used)]
        return numpy.stack([x[:, 0], -x[:, 2], x[:, 1]], axis=1)

    def place(self, node, frame, x):
        """Vertices of a node, moved to where it is in a frame."""
        x = x * numpy.array(self.value(node, "scale", frame, [1, 1, 1]))
        rotation = numpy.array(self.value(node, "rotation", frame, [0, 0, 0, 1]), float)
        twice = 2.0 * numpy.cross(rotation[:3], x)
        x = x + rotation[3] * twice + numpy.cross(rotation[:3], twice)
        return x + numpy.array(self.value(node, "translation", frame, [0, 0, 0]), float)

    def value(self, node, path, frame, missing):
        """What a node has in a frame: from its channel, else its own, else the given."""
        output = self.channels.get((node, path))
        if output is None:
            return self.json["nodes"][node].get(path, missing)
        return self.read(output).reshape(-1, len(missing))[frame]

    def times(self):
        for animation in self.json.get("animations", []):
            return self.read(animation["samplers"][0]["input"])
        return numpy.zeros(1)


def evaluate(name):
    """Vertices of an object in the world as Blender shows them."""
    shown = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    x = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", x)
    shown.to_mesh_clear()
    matrix = numpy.array(shown.matrix_world)
    return x.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def show(time):
    scene = bpy.context.scene
    frame = float(time) * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame), subframe=frame - int(frame))


def main(path):
    clip = Clip(path)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.import_scene.gltf(filepath=path)
    times = clip.times()
    worst = 0.0
    for frame in sorted({0, 1, len(times) // 3, len(times) // 2, len(times) - 1}):
        if frame >= len(times):
            continue
        show(times[frame])
        for node, item in enumerate(clip.json["nodes"]):
            expected = clip.positions(node, frame)
            found = evaluate(item["name"])
            if found.shape != expected.shape:
                sys.exit(f"{path}: Blender shows {len(found)} vertices of '{item['name']}', expected {len(expected)}")
            worst = max(worst, abs(found - expected).max() / abs(expected).max())
    print(f"{path}: Blender {bpy.app.version_string}: vertices agree to {worst:.1e} (at most {TOLERANCE})")
    if not worst <= TOLERANCE:
        sys.exit(1)


try:
    main(sys.argv[sys.argv.index("--") + 1])
except Exception as error:  # Blender would print it and end with status 0
    sys.exit(f"{type(error).__name__}: {error}")
