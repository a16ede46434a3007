#pragma once

#include "limber/mesh/beam.hpp"
#include "tests/io/mesh_support.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace limber::test {

/// A beam whose coordinates use all their bits, whose regions alternate and which has vertices of no element
/// with the smallest and largest numbers there are.
inline VolumeMesh awkward_mesh(ElementKind kind) {
  VolumeMesh mesh = make_beam({.kind = kind, .size = {1.0 / 3.0, 0.1, std::sqrt(0.02)}, .cells = {3, 2, 1}});
  const Index count = mesh.vertex_count();
  mesh.vertices.conservativeResize(3, count + 2);
  mesh.vertices.col(count) << 1e-300, -1e30, std::nextafter(1.0, 2.0);
  mesh.vertices.col(count + 1) << std::numeric_limits<double>::denorm_min(), -0.0,
      -std::numeric_limits<double>::min() / 3.0;
  mesh.regions = {{2, "soft core"}, {4, ""}, {70, "\"quoted\" & <odd> %20 #1"}};
  for (std::size_t e = 0; e < mesh.region.size(); ++e) mesh.region[e] = static_cast<int>(e / 2 % 3);
  return mesh;
}

inline VolumeMesh without_names(VolumeMesh mesh) {
  for (Region& region : mesh.regions) region.name.clear();
  return mesh;
}

inline double total_volume(const VolumeMesh& mesh) {
  double volume = 0.0;
  for (Index e = 0; e < mesh.element_count(); ++e) volume += element_volume(mesh, e);
  return volume;
}

/// How many elements belong to the region with that tag.
inline std::ptrdiff_t elements_in(const VolumeMesh& mesh, int tag) {
  return std::count_if(mesh.region.begin(), mesh.region.end(),
                       [&](int r) { return mesh.regions[static_cast<std::size_t>(r)].tag == tag; });
}

/// A change that makes a good file a bad one, and what the message then says.
struct BadEdit {
  std::string_view old_part;
  std::string_view new_part;
  std::string_view message;
};

using Parser = std::function<VolumeMesh(std::string_view content)>;

/// Every refusal of the table is made, in one line that starts with "bad" (the name that `parse` must give).
inline void expect_refused_edits(std::string_view good, std::span<const BadEdit> refusals,
                                 const Parser& parse) {
  EXPECT_NO_THROW(parse(good));
  for (const BadEdit& refusal : refusals) {
    SCOPED_TRACE(fmt::format("'{}' instead of '{}'", refusal.new_part, refusal.old_part));
    const std::string text = replaced(good, refusal.old_part, refusal.new_part);
    const std::string error = error_text([&] { parse(text); });
    EXPECT_THAT(error, testing::AllOf(testing::StartsWith("bad"), testing::HasSubstr(refusal.message)));
  }
}

/// Wherever the content is cut off, it is refused in one line or gives a mesh as large as the whole one.
inline void expect_truncation_is_noticed(const std::string& content, const Parser& parse) {
  const VolumeMesh whole = parse(content);
  for (std::size_t length = 0; length < content.size(); ++length) {
    try {
      const VolumeMesh mesh = parse(std::string_view(content).substr(0, length));
      ASSERT_EQ(mesh.vertex_count(), whole.vertex_count()) << length << " bytes";
      ASSERT_EQ(mesh.element_count(), whole.element_count()) << length << " bytes";
    } catch (const Error& error) {
      ASSERT_THAT(error.what(), testing::StartsWith("bad")) << length << " bytes";
      ASSERT_THAT(error.what(), testing::Not(testing::HasSubstr("\n"))) << length << " bytes";
    }
  }
}

/// parse_mesh for content called "bad".
inline VolumeMesh parse_bad(std::string_view content) { return parse_mesh(content, "bad"); }

}  // namespace limber::test
