// Whatever bytes a model file holds, reading it ends with a model that passes every check or with an Error of
// one short line; a model that is written again reads back to the same bits.
#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"
#include "tests/io/tree_equality.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  limber::Model model;
  try {
    model = limber::parse_model(content, "fuzz.glb");
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  if (!limber::looks_like_model(content)) std::abort();
  const std::string written = limber::encode_model(model, "fuzz.glb");
  if (!limber::test::difference(limber::parse_model(written, "fuzz.glb"), model).empty()) std::abort();
  return 0;
}
