#pragma once

#include "limber/scene/scene.hpp"

#include <filesystem>
#include <string_view>

namespace limber {

/// The scene in a JSON file (docs/scene.md), its meshes loaded. Paths in it are relative to its folder.
/// Throws Error, naming the file and the key, for anything that is wrong with it.
Scene read_scene(const std::filesystem::path& path);

/// The same for text in memory. folder: what relative paths start from.  where: names the text in messages.
Scene parse_scene(std::string_view text, const std::filesystem::path& folder, std::string_view where);

}  // namespace limber
