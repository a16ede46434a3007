// Whatever bytes a .csv file of displacements holds, reading it ends with finite fields of the right size or
// with an Error of one short line; fields that are written again read back the same. The same for a .vtu
// file.
#include "limber/base/error.hpp"
#include "limber/io/displacement_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using limber::Index;
using limber::Matrix3X;

void check_csv(std::string_view text, Index vertices) {
  const std::vector<Matrix3X> fields = limber::parse_displacements_csv(text, vertices, "fuzz.csv");
  if (fields.empty()) std::abort();
  std::string again;
  for (const Matrix3X& field : fields) {
    if (field.cols() != vertices || !field.allFinite()) std::abort();
    for (const auto& u : field.colwise()) {
      fmt::format_to(std::back_inserter(again), "{},{},{}\n", u.x(), u.y(), u.z());
    }
  }
  if (limber::parse_displacements_csv(again, vertices, "fuzz.csv") != fields) std::abort();
}

template <class Action>
void check_message(const Action& action) {
  try {
    action();
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Index vertices : {1, 2, 3}) check_message([&] { check_csv(text, vertices); });
  check_message([&] {
    if (!limber::parse_displacements_vtu(text, 2, "fuzz.vtu").allFinite()) std::abort();
  });
  return 0;
}
