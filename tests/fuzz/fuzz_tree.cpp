// Whatever bytes a file of a tree of domains holds, reading it ends with a tree that passes every check or
// with an Error of one short line; a tree that is written again reads back to the same bits.
#include "limber/base/error.hpp"
#include "limber/io/tree_file.hpp"
#include "tests/io/tree_equality.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  limber::DomainTree tree;
  try {
    tree = limber::parse_tree(content, "fuzz.glb");
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  if (!limber::looks_like_tree(content)) std::abort();
  const std::string written = limber::encode_tree(tree, "fuzz.glb");
  if (!limber::test::difference(limber::parse_tree(written, "fuzz.glb"), tree).empty()) std::abort();
  return 0;
}
