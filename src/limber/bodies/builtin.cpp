#include "limber/bodies/builtin.hpp"

#include "limber/bodies/parameters.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/bodies/plan_mesh.hpp"
#include "limber/mesh/beam.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace limber {
namespace {

constexpr int most_cells = 2000;   ///< along the longest side; finer bodies take more memory than a desk has
constexpr int most_grading = 4;    ///< beyond this nothing is left to save
constexpr double beam_end = 1e-9;  ///< share of its length within which a vertex counts as at its end

struct Entry {
  std::string_view description;
  BodyPlan (*plan)();  ///< nullptr: the beam, which has parameters of its own
};

constexpr std::array<std::string_view, 13> body_names{"beam",     "spoon",  "bridge", "tower",   "heart",
                                                      "wire",     "flower", "tree",   "octopus", "head",
                                                      "pendulum", "lily",   "dragon"};
constexpr std::array<Entry, body_names.size()> entries{{
    {"a rubber bar, held at one end", nullptr},
    {"a soft spoon, held at the end of its handle", plan_spoon},
    {"a footbridge hung from two arches, held at both banks", plan_bridge},
    {"a lattice tower on four legs, held at its feet", plan_tower},
    {"a heart, held by its great vessels", plan_heart},
    {"a coil spring of wire, hung from its upper end", plan_wire},
    {"a daisy with stem, leaves and bloom, held at the ground", plan_flower},
    {"a young tree with wood and leaves, held at the ground", plan_tree},
    {"an octopus that sits on its curled arms", plan_octopus},
    {"a head of soft flesh around a hollow skull, held by the skull and at the neck", plan_head},
    {"four acrobats in a chain, hung from the ring that the first one holds", plan_pendulum},
    {"a lily of 12 domains with leaves, bloom and bud, held at the ground", plan_lily},
    {"a young dragon of 40 domains that sits, held at its underside", plan_dragon},
}};

ElementKind parse_element(std::string_view value, std::string_view name) {
  require(value == "tet" || value == "brick", "{}: element is '{}', expected 'tet' or 'brick'", name, value);
  return value == "tet" ? ElementKind::tetrahedron : ElementKind::brick;
}

std::array<double, 3> parse_triple(const Parameter& parameter, std::string_view name) {
  const auto parts = split(parameter.value, ',');
  require(parts.size() == 3, "{}: '{}' is '{}', expected three numbers separated by commas", name,
          parameter.key, parameter.value);
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = parse_number(parts[i]);
    require(number.has_value(), "{}: '{}' in '{}' is not a number", name, parts[i], parameter.key);
    values[i] = *number;
  }
  return values;
}

BeamOptions parse_beam(std::string_view text, std::string_view name) {
  static constexpr std::array<std::string_view, 3> known{"element", "size", "cells"};
  BeamOptions options;
  for (const Parameter& parameter : parse_parameters(text, known, name)) {
    if (parameter.key == "element") {
      options.kind = parse_element(parameter.value, name);
    } else if (parameter.key == "size") {
      options.size = Eigen::Map<const Vector3>(parse_triple(parameter, name).data());
    } else {
      const auto cells = parse_triple(parameter, name);
      for (int i = 0; i < 3; ++i) {
        const double count = cells[static_cast<std::size_t>(i)];
        require(count >= 1 && count <= max_beam_cells && count == std::floor(count),
                "{}: {} cells along an axis, expected a whole number from 1 to {}", name, count,
                max_beam_cells);
        options.cells(i) = static_cast<int>(count);
      }
    }
  }
  return options;
}

BuiltinBody make_beam_body(const BeamOptions& options) {
  BuiltinBody body;
  body.mesh = make_beam(options);
  body.render = boundary_surface(body.mesh);
  body.part_colors = {Vector3(0.36, 0.55, 0.72)};
  body.materials = {elastic(2e6, 0.35, 1100.0)};
  for (int v = 0; v < body.mesh.vertex_count(); ++v) {
    if (body.mesh.vertices(0, v) <= beam_end * options.size.x()) body.fixed.push_back(v);
  }
  return body;
}

BuiltinBody make_planned_body(const BodyPlan& plan, std::string_view text, std::string_view name,
                              const Executor& executor, const Progress& progress) {
  static constexpr std::array<std::string_view, 4> known{"cells", "element", "grading", "render"};
  PlanMeshOptions options;
  options.cells = plan.cells;
  options.grading = plan.grading;
  options.render_cells = plan.render_cells;
  options.executor = executor;
  options.progress = progress;
  for (const Parameter& parameter : parse_parameters(text, known, name)) {
    if (parameter.key == "cells") options.cells = parse_count(parameter, plan.least_cells, most_cells, name);
    if (parameter.key == "element") options.kind = parse_element(parameter.value, name);
    if (parameter.key == "grading") options.grading = parse_count(parameter, 0, most_grading, name);
    if (parameter.key == "render") {
      options.render_cells = parse_count(parameter, plan.least_render_cells, most_cells, name);
    }
  }
  return mesh_plan(plan, options, name);
}

/// The number of a body. Throws Error where there is none of that name.
std::size_t find_entry(std::string_view body) {
  require(!is_builtin_tree(fmt::format("{}{}", builtin_prefix, body)),
          "'{}{}' is a tree of parts, not one mesh: `limber reduce`, `inspect` and, in scenes, bodies of the "
          "methods 'reduced' and 'linear' take it",
          builtin_prefix, body);
  const auto found = std::find(body_names.begin(), body_names.end(), body);
  require(found != body_names.end(), "unknown built-in body '{}'; {}", body, suggestion(body, body_names));
  return static_cast<std::size_t>(found - body_names.begin());
}

}  // namespace

bool is_builtin(std::string_view name) { return name.starts_with(builtin_prefix); }

std::span<const std::string_view> builtin_names() { return body_names; }

std::string_view builtin_description(std::string_view name) { return entries[find_entry(name)].description; }

BuiltinBody make_builtin(std::string_view name, const Executor& executor, const Progress& progress) {
  require(is_builtin(name), "'{}' is not the name of a built-in body; they start with '{}'", name,
          builtin_prefix);
  std::string_view body = name.substr(builtin_prefix.size());
  const std::size_t question = body.find('?');
  const std::string_view parameters =
      question == std::string_view::npos ? std::string_view{} : body.substr(question + 1);
  const Entry& entry = entries[find_entry(body.substr(0, question))];
  if (entry.plan == nullptr) return make_beam_body(parse_beam(parameters, name));
  return make_planned_body(entry.plan(), parameters, name, executor, progress);
}

}  // namespace limber
