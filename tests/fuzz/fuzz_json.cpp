// Any bytes are either a valid scene or an Error; a scene that was filled once is valid and stays as it is.
#include "limber/base/error.hpp"
#include "limber/io/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const nlohmann::json scene = limber::parse_json(text, "fuzz.json");
    const nlohmann::json filled = limber::validate(limber::scene_schema(), scene, "fuzz.json");
    if (limber::validate(limber::scene_schema(), filled, "fuzz.json") != filled) std::abort();
  } catch (const limber::Error& error) {
    // One short line, whatever the input holds.
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
