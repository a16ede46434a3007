#pragma once

#include "limber/multidomain/domain_tree.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// A tree of domains is a valid binary glTF 2.0 file as well: one node per domain with its place as
// translation, rotation and scale, nodes of one kind sharing a mesh whose morph targets are the columns of
// its basis. The physics is in the extension LIMBER_domain_tree (docs/model_file.md).

inline constexpr std::string_view tree_extension = "LIMBER_domain_tree";
inline constexpr int tree_version = 1;

/// The tree in a .glb file, checked in full. Throws Error, naming the file and what is wrong, for anything
/// else.
DomainTree read_tree(const std::filesystem::path& path);
DomainTree parse_tree(std::string_view content, std::string_view where);

/// Whether the content is a glTF file with a tree of domains; false for a damaged one.
bool looks_like_tree(std::string_view content);

/// Reads back to the same bits. Throws Error for what check_tree refuses, names that are not UTF-8 and more
/// than 4 GB. The file is read back before it takes the place of an older one.
void write_tree(const std::filesystem::path& path, const DomainTree& tree);
std::string encode_tree(const DomainTree& tree, std::string_view where);

/// The motion of a tree: a frame for each domain, and all coordinates.
struct TreeMotion {
  const DomainTree* tree = nullptr;
  std::vector<std::vector<DomainFrame>> frames;  ///< of each step, one per domain
  Matrix coordinates;                            ///< all of them x steps
  Vector3 up = Vector3::UnitY();                 ///< which viewers shall show upward
};

/// A clip for stock viewers: a node per domain with an animated translation and rotation, and morph weights,
/// without the physics. Nodes of one kind share a mesh: each coordinate is encoded over its range in all of
/// them, as write_animation() does for one body, and normals are fitted to 200 of all shapes at most. What
/// stays where it is has no channel. Copies of a vertex are not averaged: a morph target cannot see another
/// domain. times: frames, s, ascending; the clip starts with the first. Throws Error for times that floats
/// cannot tell apart and for motions that do not fit the tree.
void write_tree_animation(const std::filesystem::path& path, std::span<const double> times,
                          const TreeMotion& motion);
std::string encode_tree_animation(std::span<const double> times, const TreeMotion& motion,
                                  std::string_view where);

}  // namespace limber
