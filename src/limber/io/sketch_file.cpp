#include "limber/io/sketch_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/gltf_json.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/text_source.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace limber {
namespace {

constexpr std::string_view format_name = "limber sketch";
constexpr std::int64_t sketch_version = 1;

void refuse_unknown_keys(const JsonValue& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    object.fail(fmt::format("unknown key '{}'; {}", printable(key), suggestion(key, known)));
  }
}

Vector3 read_vector(const JsonValue& list) {
  if (list.size() != 3) list.fail(fmt::format("expected 3 numbers [x, y, z], found {}", list.size()));
  return {list.at(0).number(), list.at(1).number(), list.at(2).number()};
}

SketchForce read_force(const JsonValue& force) {
  static constexpr std::array<std::string_view, 2> keys{"at", "force"};
  const SketchForce read{read_vector(force.at("at")), read_vector(force.at("force"))};
  refuse_unknown_keys(force, keys);
  return read;
}

/// A number as JSON. "-0" would be read as an integer, which has no negative zero.
std::string number(double value) {
  return value == 0.0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value);
}

std::string list(const Vector3& v) {
  return fmt::format("[{}, {}, {}]", number(v.x()), number(v.y()), number(v.z()));
}

}  // namespace

std::vector<SketchForce> parse_sketch(std::string_view text, std::string_view where) {
  static constexpr std::array<std::string_view, 3> keys{"format", "version", "forces"};
  const nlohmann::json parsed = parse_json(text, where);
  const JsonValue document(parsed, "", where);
  // Format and version come first: what else a foreign or a newer file holds is no mistake of its own.
  const JsonValue format = document.at("format");
  if (format.text() != format_name) {
    format.fail(fmt::format("expected \"{}\", found \"{}\"", format_name, printable(format.text())));
  }
  const JsonValue found = document.at("version");
  const std::int64_t number = found.integer(1, std::int64_t{1} << 53U);
  if (number != sketch_version) {
    found.fail(fmt::format("expected {}, found {}; a newer limber wrote the file, so update this one",
                           sketch_version, number));
  }
  refuse_unknown_keys(document, keys);
  const JsonValue forces = document.at("forces");
  if (forces.size() == 0) forces.fail("expected at least one force, found none");
  std::vector<SketchForce> sketch;
  sketch.reserve(forces.size());
  for (std::size_t i = 0; i < forces.size(); ++i) sketch.push_back(read_force(forces.at(i)));
  return sketch;
}

std::vector<SketchForce> read_sketch(const std::filesystem::path& path) {
  return parse_sketch(read_file(path, max_json_bytes), path.string());
}

std::string encode_sketch(std::span<const SketchForce> sketch, std::string_view where) {
  require(!sketch.empty(), "{}: a sketch without forces, expected at least one", where);
  std::string text =
      fmt::format("{{\"format\": \"{}\", \"version\": {}, \"forces\": [\n", format_name, sketch_version);
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    const SketchForce& one = sketch[i];
    require(one.at.allFinite() && one.force.allFinite(),
            "{}: force {} (from 0) of the sketch holds numbers that are not finite", where, i);
    text += fmt::format("  {{\"at\": {}, \"force\": {}}}{}\n", list(one.at), list(one.force),
                        i + 1 < sketch.size() ? "," : "");
  }
  return text + "]}\n";
}

void write_sketch(const std::filesystem::path& path, std::span<const SketchForce> sketch) {
  write_file(path, encode_sketch(sketch, path.string()));
}

}  // namespace limber
