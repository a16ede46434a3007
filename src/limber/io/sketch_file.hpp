#pragma once

#include "limber/basis/sketch.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Recorded point forces as JSON:
///   {"format": "limber sketch", "version": 1, "forces": [{"at": [x, y, z], "force": [x, y, z]}, ...]}
/// in metres (rest shape) and newtons, in the order of recording, one at least. Throws Error, naming the file
/// and the key, for anything else; keys that are not known are refused, so that nothing is silently ignored.
std::vector<SketchForce> read_sketch(const std::filesystem::path& path);
std::vector<SketchForce> parse_sketch(std::string_view text, std::string_view where);

/// Reads back to the same bits: each number has the fewest digits that do. Throws Error for no forces and for
/// numbers that are not finite.
void write_sketch(const std::filesystem::path& path, std::span<const SketchForce> sketch);
std::string encode_sketch(std::span<const SketchForce> sketch, std::string_view where);

}  // namespace limber
