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

    def read(self, accessor):
        item = self.json["accessors"][accessor]
        view = self.json["bufferViews"][item["bufferView"]]
        kind = {5123: "<u2", 5125: "<u4", 5126: "<f4"}[item["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3}[item["type"]]
        values = numpy.frombuffer(self.data, kind, width * item["count"], view["byteOffset"])
        return values.reshape(-1, width) if width > 1 else values

    def positions(self, node, frame):
        """Vertices as Blender orders them: those of each primitive, turned from y up to z up."""
        primitives = self.json["meshes"][self.json["nodes"][node]["mesh"]]["primitives"]
        x = self.read(primitives[0]["attributes"]["POSITION"]).astype(float)
        targets = primitives[0].get("targets", [])
        for target, weight in zip(targets, self.weights(node, frame, len(targets))):
            x = x + float(weight) * self.read(target["POSITION"])
        used = [numpy.unique(self.read(primitive["indices"])) for primitive in primitives]
        x = x[numpy.concatenate(used)]
        return numpy.stack([x[:, 0], -x[:, 2], x[:, 1]], axis=1)

    def weights(self, node, frame, count):
        for animation in self.json.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"]["node"] == node:
                    output = self.read(animation["samplers"][channel["sampler"]]["output"])
                    return output.reshape(-1, count)[frame]
        return self.json["meshes"][self.json["nodes"][node]["mesh"]].get("weights", [])

    def times(self):
        for animation in self.json.get("animations", []):
            return self.read(animation["samplers"][0]["input"])
        return numpy.zeros(1)


def evaluate(name, time):
    """Vertices of an object as Blender shows them at a time."""
    scene = bpy.context.scene
    frame = float(time) * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame), subframe=frame - int(frame))
    shown = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    x = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", x)
    shown.to_mesh_clear()
    return x.reshape(-1, 3)


def main(path):
    clip = Clip(path)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.import_scene.gltf(filepath=path)
    times = clip.times()
    worst = 0.0
    for node, item in enumerate(clip.json["nodes"]):
        for frame in sorted({0, 1, len(times) // 3, len(times) // 2, len(times) - 1}):
            if frame >= len(times):
                continue
            expected = clip.positions(node, frame)
            found = evaluate(item["name"], times[frame])
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
