// Whatever bytes a checkpoint file holds, reading it ends with a checkpoint or with an Error of one short
// line; one that is written again reads back the same. The checksum would keep nearly all inputs out: the
// content is also tried with the right one.
#include "limber/base/error.hpp"
#include "limber/io/checkpoint_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void check(std::string_view content) {
  try {
    const std::string again = limber::encode_checkpoint(limber::parse_checkpoint(content, "fuzz.checkpoint"));
    if (again != content) std::abort();
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
}

void append(std::string& bytes, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  std::string file = "limber checkpoint\n";
  append(file, limber::checkpoint_version);
  append(file, bytes.size());
  file += bytes;
  append(file, limber::content_hash(bytes));
  check(file);
  return 0;
}
