#include "limber/io/tetgen_reader.hpp"
#include "tests/fuzz/fuzz_volume.hpp"

#include <algorithm>

// The two files of a mesh, with a percent sign between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return limber::fuzz::fuzz_volume(data, size, [](std::string_view content) {
    const std::string_view nodes = content.substr(0, content.find('%'));
    content.remove_prefix(std::min(nodes.size() + 1, content.size()));
    return limber::parse_tetgen(nodes, content, "fuzz");
  });
}
