#include "limber/io/scene_values.hpp"

#include "limber/base/error.hpp"
#include "limber/base/length_unit.hpp"
#include "limber/base/words.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/surface_file.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace limber {
namespace {

using nlohmann::json;

BoundingBox to_box(const json& value, const std::string& where) {
  const bool list = value.is_array();
  const BoundingBox box{to_vector(list ? value[0] : value["min"]), to_vector(list ? value[1] : value["max"])};
  require((box.min.array() <= box.max.array()).all(), "{}.box: its first corner is beyond its second one",
          where);
  return box;
}

}  // namespace

Vector3 to_vector(const json& value) {
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

Eigen::Quaterniond to_rotation(const json& value, const std::string& where) {
  const Eigen::Quaterniond rotation(value[3].get<double>(), value[0].get<double>(), value[1].get<double>(),
                                    value[2].get<double>());
  constexpr double tolerance =
      1e-3;  // what people round to four digits; beyond, a number is missing or wrong
  const double length = rotation.coeffs().stableNorm();
  require(std::abs(length - 1.0) <= tolerance,
          "{}.rotation: a unit quaternion x, y, z, w is expected, this one is of length {:.9g}; divide it by "
          "that",
          where, length);
  return rotation.normalized();
}

Pose to_pose(const json& value, const std::string& where) {
  return {to_vector(value["position"]), to_rotation(value["rotation"], where)};
}

double unit_of(const json& body) {
  return metres_per(
      parse_word<LengthUnit>(body["unit"].get<std::string>(), length_unit_words, "unknown unit"));
}

VertexSelection to_selection(const json& value, const std::string& where) {
  VertexSelection selection;
  if (value.contains("vertices")) {
    for (const json& vertex : value["vertices"]) {
      const auto number = vertex.get<std::int64_t>();
      require(number <= std::numeric_limits<int>::max(), "{}.vertices: vertex {} does not exist", where,
              number);
      selection.vertices.push_back(static_cast<int>(number));
    }
  }
  if (value.contains("box")) selection.box = to_box(value["box"], where);
  if (value.contains("where")) selection.where = value["where"].get<std::string>();
  if (value.contains("nearest")) {
    const json& points = value["nearest"];
    if (!points.empty() && points[0].is_number()) {
      selection.nearest.push_back(to_vector(points));
    } else {
      for (const json& point : points) selection.nearest.push_back(to_vector(point));
    }
  }
  return selection;
}

VertexSelection to_fixed(const json& value, const std::string& where, std::string_view otherwise) {
  require(!value.empty(),
          "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest', or {}", where,
          otherwise);
  return to_selection(value, where);
}

SurfaceMesh read_surface_at(const json& object, const char* key, SceneFiles& files,
                            const std::string& where) {
  const std::string place = fmt::format("{}.{}", where, key), name = object[key].get<std::string>();
  require(!is_builtin(name),
          "{}: '{}' is a volume mesh made by code, expected a file with a surface, closed triangles, of one "
          "of {}; give that",
          place, name, surface_format_names());
  return read_at(place, [&] { return read_surface(files.path(object, key), {}, &files.inputs); });
}

std::filesystem::path SceneFiles::path(const json& object, const char* key) const {
  if (!object.contains(key)) return {};
  return folder / object[key].get<std::string>();
}

std::filesystem::path SceneFiles::input(const json& object, const char* key) {
  std::filesystem::path file = path(object, key);
  if (!file.empty()) inputs.push_back(file);
  return file;
}

}  // namespace limber
