#pragma once

#include "limber/bodies/part_tree.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Elements of one mesh shared out among domains.
struct Decomposition {
  std::vector<int> domain;         ///< of each element
  std::vector<std::string> names;  ///< of the domains
};

/// One domain per connected part of each region (elements hang together by faces): "leaf", or "leaf 1", "leaf
/// 2" where a region has several.
Decomposition decompose_by_regions(const VolumeMesh& mesh);

/// A set of elements with a name.
struct ElementSet {
  std::string name;
  std::vector<int> elements;
};

/// One domain per set; elements in none of them form the domain `rest`, if there are such. Throws Error,
/// naming them, for an element in two sets, and for a set that is empty or does not hang together.
Decomposition decompose_by_sets(const VolumeMesh& mesh, const std::vector<ElementSet>& sets,
                                std::string rest = "body");

/// About `parts` domains with small interfaces: METIS on the graph of elements that share faces, weighted by
/// area. Domains that form a loop are made one, so that a tree is left, and smaller ones are tried until as
/// many as asked for are left, if the body has them. together: vertices that one domain shall have all of,
/// such as those that are fixed.
/// Throws Error for fewer than one part, for a mesh that does not hang together by faces, and without METIS.
Decomposition decompose_automatically(const VolumeMesh& mesh, int parts, std::span<const int> together = {});

struct DecomposedBody {
  VolumeMesh mesh;
  std::vector<Material> materials;  ///< one per region
  SurfaceMesh render;               ///< without triangles: the boundary of the mesh
  std::vector<Vector3> colors;      ///< sRGB, one per part of `render`
  std::vector<int> fixed;           ///< none: a free body
};

/// The parts of a decomposed mesh, each in coordinates about the centre of the interface to its parent, with
/// no scale or rotation. Interfaces are faces that two domains share; vertices are weighted by the area of
/// these that is theirs. A triangle of the surface goes to one domain, to which all its corners are bound;
/// corners that two domains share have copies in both.
/// root: name of the domain at the root; empty: the one that holds all fixed vertices, for a free body the
/// one that makes the shallowest tree. Throws Error, naming domains, for a loop, for a domain that no
/// interface joins to the others, for an interface with fewer than three vertices off a line, and where fixed
/// vertices are in several domains.
PartTree make_parts(const DecomposedBody& body, const Decomposition& decomposition,
                    std::string_view root = {});

}  // namespace limber
