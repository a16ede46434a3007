#include "limber/mesh/builtin.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace limber {
namespace {

constexpr double max_cells = 5e7;  ///< 32-bit indices and 24 GiB both end a little above this

/// The six axis orders: each is a path of three edges from corner (0,0,0) to (1,1,1) of a cube, hence a
/// tetrahedron. Together they fill the cube, and neighbouring cubes agree on the diagonals of their faces
/// (Kuhn's triangulation).
constexpr std::array<std::array<int, 3>, 6> axis_orders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

std::array<double, 3> parse_triple(std::string_view key, std::string_view text, std::string_view name) {
  const auto parts = split(text, ',');
  require(parts.size() == 3, "{}: '{}' is '{}', expected three numbers separated by commas", name, key, text);
  std::array<double, 3> values{};
  for (int i = 0; i < 3; ++i) {
    const auto number = parse_number(parts[i]);
    require(number.has_value(), "{}: '{}' in '{}' is not a number", name, parts[i], key);
    values[i] = *number;
  }
  return values;
}

BeamOptions parse_beam(std::string_view parameters, std::string_view name) {
  static constexpr std::array<std::string_view, 3> known{"element", "size", "cells"};
  BeamOptions options;
  if (parameters.empty()) return options;
  for (const std::string_view parameter : split(parameters, '&')) {
    const std::size_t equals = parameter.find('=');
    require(equals != std::string_view::npos, "{}: '{}' should read key=value", name, parameter);
    const std::string_view key = parameter.substr(0, equals);
    const std::string_view value = parameter.substr(equals + 1);
    if (key == "element") {
      require(value == "tet" || value == "brick", "{}: element is '{}', expected 'tet' or 'brick'", name,
              value);
      options.kind = value == "tet" ? ElementKind::tetrahedron : ElementKind::brick;
    } else if (key == "size") {
      options.size = Eigen::Map<const Vector3>(parse_triple(key, value, name).data());
    } else if (key == "cells") {
      const auto cells = parse_triple(key, value, name);
      for (int i = 0; i < 3; ++i) {
        require(cells[i] >= 1 && cells[i] <= max_cells && cells[i] == std::floor(cells[i]),
                "{}: {} cells along an axis, expected a whole number from 1 to {}", name, cells[i],
                max_cells);
        options.cells(i) = static_cast<int>(cells[i]);
      }
    } else {
      throw Error("{}: unknown parameter '{}'; {}", name, key, suggestion(key, known));
    }
  }
  return options;
}

}  // namespace

VolumeMesh make_beam(const BeamOptions& options) {
  const Eigen::Vector3i cells = options.cells;
  require(cells.minCoeff() >= 1, "beam: {} x {} x {} cells, expected at least 1 along each axis", cells.x(),
          cells.y(), cells.z());
  require(cells.cast<double>().prod() <= max_cells,
          "beam: {} x {} x {} cells are more than the {} that limber builds", cells.x(), cells.y(), cells.z(),
          max_cells);
  require(options.size.allFinite() && options.size.minCoeff() > 0.0,
          "beam: size {} x {} x {}, expected positive lengths in metres", options.size.x(), options.size.y(),
          options.size.z());

  VolumeMesh mesh;
  mesh.kind = options.kind;
  mesh.regions = {{1, "beam"}};
  mesh.vertices.resize(3, (cells.array() + 1).prod());
  const auto vertex = [&](const Eigen::Vector3i& c) {
    return (c.x() * (cells.y() + 1) + c.y()) * (cells.z() + 1) + c.z();
  };
  const Vector3 corner(0.0, -options.size.y() / 2, -options.size.z() / 2);
  for (int i = 0; i <= cells.x(); ++i) {
    for (int j = 0; j <= cells.y(); ++j) {
      for (int k = 0; k <= cells.z(); ++k) {
        const Eigen::Vector3i c(i, j, k);
        mesh.vertices.col(vertex(c)) =
            corner.array() + options.size.array() * c.cast<double>().array() / cells.cast<double>().array();
      }
    }
  }

  const bool bricks = options.kind == ElementKind::brick;
  mesh.elements.resize(bricks ? 8 : 4, Index{cells.prod()} * (bricks ? 1 : 6));
  mesh.region.assign(static_cast<std::size_t>(mesh.elements.cols()), 0);
  Index e = 0;
  for (int i = 0; i < cells.x(); ++i) {
    for (int j = 0; j < cells.y(); ++j) {
      for (int k = 0; k < cells.z(); ++k) {
        const Eigen::Vector3i c(i, j, k);
        const auto at = [&](int dx, int dy, int dz) { return vertex(c + Eigen::Vector3i(dx, dy, dz)); };
        if (bricks) {
          mesh.elements.col(e++) << at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 0, 1),
              at(1, 0, 1), at(1, 1, 1), at(0, 1, 1);
          continue;
        }
        for (const auto& order : axis_orders) {
          Eigen::Vector3i corner_of_path = c;
          mesh.elements(0, e) = vertex(corner_of_path);
          for (int step = 0; step < 3; ++step) {
            corner_of_path(order[step])++;
            mesh.elements(step + 1, e) = vertex(corner_of_path);
          }
          if (element_volume(mesh, e) < 0.0) std::swap(mesh.elements(2, e), mesh.elements(3, e));
          ++e;
        }
      }
    }
  }
  return mesh;
}

bool is_builtin(std::string_view name) { return name.starts_with(builtin_prefix); }

VolumeMesh make_builtin(std::string_view name) {
  require(is_builtin(name), "'{}' is not the name of a built-in body; they start with '{}'", name,
          builtin_prefix);
  static constexpr std::array<std::string_view, 1> known{"beam"};
  std::string_view body = name.substr(builtin_prefix.size());
  const std::size_t question = body.find('?');
  const std::string_view parameters =
      question == std::string_view::npos ? std::string_view{} : body.substr(question + 1);
  body = body.substr(0, question);
  require(body == "beam", "unknown built-in body '{}'; {}", body, suggestion(body, known));
  return make_beam(parse_beam(parameters, name));
}

}  // namespace limber
