// Whatever bytes a .csv file of skin weights holds, reading it ends with shares that add up to 1 at each
// vertex or with an Error of one short line.
#include "limber/base/error.hpp"
#include "limber/io/skin_file.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::string, 3> bones{"torso", "head", ""};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const limber::Index vertices : {1, 3}) {
    try {
      const limber::Matrix W = limber::parse_skin_weights(text, bones, vertices, "fuzz.csv");
      if (W.rows() != 3 || W.cols() != vertices || !W.allFinite() || W.minCoeff() < 0.0) std::abort();
      for (const auto& column : W.colwise()) {
        if (std::abs(column.sum() - 1.0) > 1e-12) std::abort();
      }
    } catch (const limber::Error& error) {
      const std::string_view message = error.what();
      if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
