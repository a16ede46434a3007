#include "limber/io/vega_writer.hpp"

#include "limber/base/error.hpp"
#include "limber/io/mesh_parts.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace limber {
namespace {

std::string set_name(const Region& region) {
  return region.name.empty() ? fmt::format("{}{}", unnamed_prefix, region.tag) : region.name;
}

void check_names(const VolumeMesh& mesh, std::string_view where) {
  constexpr std::string_view blanks = " \t\v\f";
  std::set<std::string> names;
  for (const Region& region : mesh.regions) {
    std::string name = set_name(region);
    require(name.find_first_of(",\r\n") == std::string::npos &&
                blanks.find(name.front()) == std::string_view::npos &&
                blanks.find(name.back()) == std::string_view::npos,
            "{}: the name of region {} holds a comma, a line break or blanks around it, which Vega files "
            "cannot hold; "
            "rename it",
            where, region.tag);
    // As VegaFEM compares them.
    std::erase_if(name, [&](char c) { return blanks.find(c) != std::string_view::npos; });
    require(names.insert(name).second && (name != all_elements_set || mesh.regions.size() == 1),
            "{}: the name '{}' stands for two sets of elements, expected each name once; rename the region",
            where, region.name);
  }
}

void append_regions(std::string& text, const VolumeMesh& mesh) {
  auto out = std::back_inserter(text);
  std::vector<std::vector<Index>> members(mesh.regions.size());
  for (std::size_t e = 0; e < mesh.region.size(); ++e) {
    members[static_cast<std::size_t>(mesh.region[e])].push_back(static_cast<Index>(e) + 1);
  }
  for (std::size_t r = 0; r < members.size(); ++r) {
    if (members[r].empty()) continue;
    const Region& region = mesh.regions[r];
    fmt::format_to(out, "\n*MATERIAL {}{}\nENU, 1000, 1000000, 0.45\n", material_prefix, region.tag);
    if (region.name != all_elements_set) fmt::format_to(out, "\n*SET {}\n", set_name(region));
    // VegaFEM reads lines of up to 1023 characters.
    constexpr std::size_t per_line = 8;
    for (std::size_t i = 0; i < members[r].size() && region.name != all_elements_set; ++i) {
      const bool last = i + 1 == members[r].size() || i % per_line + 1 == per_line;
      fmt::format_to(out, "{}{}", members[r][i], last ? "\n" : ", ");
    }
    fmt::format_to(out, "\n*REGION\n{}, {}{}\n", set_name(region), material_prefix, region.tag);
  }
}

}  // namespace

void write_vega(const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
  check_writable(mesh, path.string());
  check_names(mesh, path.string());
  std::string text = "# Vega mesh file, written by limber\n*VERTICES\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} 3 0 0\n", mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const auto x = mesh.vertices.col(v);
    fmt::format_to(out, "{} {} {} {}\n", v + 1, x(0), x(1), x(2));
  }
  fmt::format_to(out, "\n*ELEMENTS\n{}\n{} {} 0\n", mesh.kind == ElementKind::tetrahedron ? "TET" : "CUBIC",
                 mesh.element_count(), mesh.elements.rows());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    fmt::format_to(out, "{}", e + 1);
    for (const int vertex : mesh.elements.col(e)) fmt::format_to(out, " {}", vertex + 1);
    text += '\n';
  }
  append_regions(text, mesh);
  write_file(path, text, read_back);
}

}  // namespace limber
