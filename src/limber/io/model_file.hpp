#pragma once

#include "limber/multidomain/model.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace limber {

// A model is a valid binary glTF 2.0 file: one node per domain with its place as translation, rotation and
// scale, below one that turns what is up to y, as glTF has it; nodes of one part share a mesh whose morph
// target i is column i of the part's basis, so that it opens, and can be moved, in any viewer. The physics is
// in the extension LIMBER_model, in doubles (docs/model_file.md).

inline constexpr std::string_view model_extension = "LIMBER_model";
inline constexpr int model_version = 3;  ///< of the extension, the one that is read

/// The model in a .glb file, checked in full. Throws Error, naming the file and what is wrong, for anything
/// else.
Model read_model(const std::filesystem::path& path);
Model parse_model(std::string_view content, std::string_view where);

/// Whether the content is a glTF file with a model, of this limber or an older one; false for a damaged one.
bool looks_like_model(std::string_view content);

/// Reads back to the same bits. Throws Error for what check_model refuses, names that are not UTF-8 and more
/// than 4 GB. The file is read back before it takes the place of an older one.
void write_model(const std::filesystem::path& path, const Model& model);
std::string encode_model(const Model& model, std::string_view where);

}  // namespace limber
