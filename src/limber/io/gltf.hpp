#pragma once

#include "limber/io/gltf_container.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <string_view>

namespace limber {

// glTF 2.0, .glb and .gltf with its data inside or in files beside it. Of the default scene (else of all
// nodes, else of all meshes) the primitives of triangles, strips and fans are read, as the transforms of
// their nodes place them; a mesh that several nodes show is there several times. A part is a node, named as
// the node or else its mesh is; nodes of equal name are one part. Triangles under mirroring transforms are
// turned, so that they stay counter-clockwise seen from outside.
//
// Points, lines, materials, normals, cameras, animations and morph targets are passed over. Skinned meshes
// are read as they are bound, without the transforms of their joints. Compressed meshes (Draco, meshopt),
// instances in attributes (EXT_mesh_gpu_instancing) and other extensions that a file requires and that
// change its shape are refused by name. Coordinates are metres, y points up; nothing is turned.
//
// Written on top of limber's JSON parser, not with tinygltf: gltf_container.hpp says why.

/// The surface in a glTF file. `where` names it in messages; `load` finds the files it names, none if empty.
SurfaceMesh parse_gltf(std::string_view content, std::string_view where, const FileLoader& load = {});

/// The surface as .glb: one node and mesh per part that triangles use, all with the same vertices.
/// Coordinates are floats: those that are floats read back exactly, others are rounded. Triangles come
/// sorted by part, else in their order. Throws Error for coordinates beyond floats and part names that are
/// not UTF-8.
std::string encode_glb(const SurfaceMesh& surface, std::string_view where);

}  // namespace limber
