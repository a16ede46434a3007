#pragma once

#include "limber/scene/scene.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace limber {

/// What a command does with a scene beside what the scene says. It decides which keys have a use: all others
/// are refused.
struct SceneUse {
  std::vector<Method> methods{};  ///< that each body is run by beside its own
  bool domains = false;           ///< whether each body is also run as a tree of domains, made from its mesh
  bool animation = false;         ///< whether its motion is written to a file that the scene does not name
};

/// The scene in a JSON file (docs/scene.md), its meshes loaded. Paths in it are relative to its folder.
/// Throws Error, naming the file and the key, for anything that is wrong with it.
Scene read_scene(const std::filesystem::path& path, const SceneUse& use = {});

/// The same for text in memory. folder: what relative paths start from.  where: names the text in messages.
Scene parse_scene(std::string_view text, const std::filesystem::path& folder, std::string_view where,
                  const SceneUse& use = {});

}  // namespace limber
