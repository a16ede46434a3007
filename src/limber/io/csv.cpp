#include "limber/io/csv.hpp"

#include "limber/base/file.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace limber {

void write_csv(const std::filesystem::path& path, const Matrix3X& displacement) {
  fmt::memory_buffer text;
  for (const auto& column : displacement.colwise()) {
    fmt::format_to(std::back_inserter(text), "{},{},{}\n", column.x(), column.y(), column.z());
  }
  write_file(path, std::string_view(text.data(), text.size()));
}

}  // namespace limber
