#pragma once

#include "limber/base/error.hpp"
#include "limber/io/mesh_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace limber::fuzz {

/// Whatever bytes a file holds, `parse` and the checks that follow end with a mesh that passes them or with
/// an Error of one short line. The reader of the format is called itself, so that no input is lost on its
/// magic word.
template <class Parse>
int fuzz_volume(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  try {
    VolumeMesh mesh = parse(std::string_view(reinterpret_cast<const char*>(data), size));
    finish_mesh(mesh, "fuzz");
    check_mesh(mesh, "fuzz");
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

}  // namespace limber::fuzz
