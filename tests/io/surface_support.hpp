#pragma once

#include "limber/base/file.hpp"
#include "limber/base/random.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "tests/support/files.hpp"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace limber::test {

/// A surface file that another program made.
inline std::filesystem::path surface_sample(std::string_view name) {
  return std::filesystem::path(LIMBER_IO_TEST_DATA) / name;
}

/// Two interleaved parts whose coordinates need every digit of a double.
inline SurfaceMesh awkward_surface() {
  SurfaceMesh surface;
  surface.vertices.resize(3, 5);
  surface.vertices << 0.0, 0.1, 1.0 / 3.0, -1e-300, std::nextafter(1.0, 2.0),  //
      -0.0, 1e17, 2.5e-7, 123456.789, 5e-324,                                  //
      1e30, -7.0, 0.3 - 0.1, 3.14159265358979, 1e-5;
  surface.triangles.resize(3, 4);
  surface.triangles << 0, 1, 4, 2, 1, 3, 0, 0, 2, 2, 1, 4;
  surface.part = {1, 0, 1, 0};
  surface.parts = {"left wheel", "b\xC3\xA4r"};
  return surface;
}

/// The same with coordinates that are floats.
inline SurfaceMesh awkward_float_surface() {
  SurfaceMesh surface = awkward_surface();
  surface.vertices(2, 0) = 1e29;
  surface.vertices = surface.vertices.cast<float>().cast<double>().eval();
  return surface;
}

/// The corners of all triangles, 9 x t: what is left of a surface in formats without shared vertices.
inline Eigen::MatrixXd triangle_soup(const SurfaceMesh& surface) {
  Eigen::MatrixXd soup(9, surface.triangle_count());
  for (Index t = 0; t < soup.cols(); ++t) {
    soup.col(t) = surface.vertices(Eigen::all, surface.triangles.col(t)).reshaped();
  }
  return soup;
}

/// The part of each triangle, by name.
inline std::vector<std::string> part_names(const SurfaceMesh& surface) {
  std::vector<std::string> names;
  for (const int part : surface.part) names.push_back(surface.parts.at(static_cast<std::size_t>(part)));
  return names;
}

inline std::string surface_error(std::string_view content, std::string_view where) {
  return error_text([&] { parse_surface(content, where); });
}

/// A damaged file and what its refusal must say.
struct Refusal {
  std::string name;  ///< of the test, in camel case
  std::string content;
  std::string message;  ///< a part of it
};

inline std::ostream& operator<<(std::ostream& stream, const Refusal& refusal) {
  return stream << refusal.name;
}

inline std::string name_of_refusal(const testing::TestParamInfo<Refusal>& info) { return info.param.name; }

inline void expect_refused(const Refusal& refusal, std::string_view where) {
  const std::string message = surface_error(refusal.content, where);
  EXPECT_THAT(message, testing::StartsWith(fmt::format("{}: ", where)));
  EXPECT_THAT(message, testing::HasSubstr(refusal.message));
  EXPECT_LT(message.size(), 400U) << message;
}

/// Parses what may be damaged: the outcome is an Error or a surface that passes every check. Returns whether
/// it is a surface.
inline bool parses_or_is_refused(std::string_view content, std::string_view where) {
  try {
    const SurfaceMesh surface = parse_surface(content, where, {.merge_vertices = true});
    check_surface(surface, where);
    return true;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(fmt::format("{}: ", where)));
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return false;
  }
}

/// Cuts the file off at every byte, and overwrites bytes of it at random.
inline void expect_survives_damage(const std::string& content, std::string_view where) {
  for (std::size_t length = 0; length < content.size(); ++length) {
    parses_or_is_refused(std::string_view(content).substr(0, length), where);
  }
  Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    std::string damaged = content;
    for (int change = 0; change < 3; ++change) {
      damaged[random.next() % damaged.size()] = static_cast<char>(random.next());
    }
    parses_or_is_refused(damaged, where);
  }
}

}  // namespace limber::test
