#pragma once

#include "limber/draw/image.hpp"

#include <filesystem>

namespace limber {

/// Writes a picture as an 8-bit RGB PNG file. Throws Error when the picture is empty or its bytes do not
/// match its size, and when the file cannot be written; the old file, if any, is then untouched.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace limber
