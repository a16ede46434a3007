#include "limber/precompute/verify.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/precompute/region_mass.hpp"
#include "limber/reduced/inertia.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

/// Allowed differences of what is exact but for rounding: polynomial forces, integrals and ports.
constexpr double exact_tolerance = 1e-8;

/// What `limber verify` is told.
struct VerifyCommand {
  std::string model;
  std::string mesh;
  int states = 0;
  std::optional<double> gradient;
  std::optional<double> tolerance;
  std::uint64_t seed = 1;
  int threads = 0;
  bool json = false;
};

/// |a - b| as a share of a scale; 0 where nothing differs.
template <class A, class B>
double difference(const A& a, const B& b, double scale) {
  const double length = (a - b).norm();
  return length == 0.0 ? 0.0 : length / scale;
}

/// Largest relative difference. Scales are those of the body and of its modes: some integrals are zero.
double difference(const Inertia& a, const Inertia& b) {
  const Index r = b.first_rows.cols();
  double modes = 0.0;  // trace of U^T M U
  for (Index i = 0; i < r; ++i) {
    for (const int entry : {0, 4, 8}) modes += b.second_pairs(entry, i + r * i);
  }
  const double turning = b.second.trace();
  return std::max({std::abs(a.mass - b.mass) / b.mass,
                   difference(a.first, b.first, std::sqrt(b.mass * turning)),
                   difference(a.second, b.second, turning),
                   difference(a.first_rows, b.first_rows, std::sqrt(b.mass * modes)),
                   difference(a.second_rows, b.second_rows, std::sqrt(turning * modes)),
                   difference(a.second_pairs, b.second_pairs, modes)});
}

/// Largest relative difference of the integrals over a part's regions from those over its mesh.
double inertia_error(const ReducedModel& model) {
  const Inertia found = inertia_of(model);
  double least = std::numeric_limits<double>::infinity();
  // The file does not say which mass it was made with.
  for (const MassKind kind : {MassKind::consistent, MassKind::lumped}) {
    ReducedModel made = model;
    add_up_mass(model.simulation->mesh, kind, model.simulation->basis, made.regions);
    least = std::min(least, difference(found, inertia_of(made)));
  }
  return least;
}

double port_error(const InterfacePort& port, const ReducedModel& model) {
  const InterfacePort made = make_port(model, port.name, port.vertices, port.weights);
  const double size = std::sqrt(made.covariance.trace());
  double modes = 0.0;  // how far they move the port at most
  for (const int v : port.vertices)
    modes = std::max(modes, model.simulation->basis.middleRows<3>(3 * Index{v}).norm());
  return std::max({difference(port.center, made.center, size),
                   difference(port.covariance, made.covariance, size * size),
                   difference(port.center_rows, made.center_rows, modes),
                   difference(port.covariance_rows, made.covariance_rows, size * modes)});
}

VolumeMesh mesh_of(const VerifyCommand& options, const ReducedModel& model) {
  if (options.mesh.empty()) return model.simulation->mesh;
  VolumeMesh mesh = is_builtin(options.mesh) ? make_builtin(options.mesh, Executor(options.threads)).mesh
                                             : read_mesh(options.mesh);
  require(mesh.regions.size() == model.regions.size(), "{}: it has {} regions, the mesh {} has {}",
          options.model, model.regions.size(), options.mesh, mesh.regions.size());
  const VolumeMesh& own = model.simulation->mesh;
  require(mesh.vertex_count() == own.vertex_count() && mesh.elements.cols() == own.elements.cols(),
          "{}: it has {} vertices and {} elements, {} was made from a mesh with {} and {}: expected the same "
          "mesh",
          options.mesh, mesh.vertex_count(), mesh.elements.cols(), options.model, own.vertex_count(),
          own.elements.cols());
  return mesh;
}

/// Compares the forces of a part with those of its mesh, showing progress on standard error.
VerifyReport verify_forces(const VerifyCommand& options, const ReducedModel& model) {
  require(!model.cubature || !options.gradient,
          "--gradient is for exact forces; cubature is compared along motions");
  ProgressBar bar;
  VerifyOptions verifying;
  verifying.states = options.states;
  verifying.largest_gradient = options.gradient.value_or(1.0);
  verifying.seed = options.seed;
  verifying.progress = bar.callback();
  VolumeMesh mesh = mesh_of(options, model);
  const std::vector<Material> materials = model.materials();
  const Executor executor(options.threads);
  const FullModel full(mesh, materials, model.simulation->fixed, {MassKind::consistent, executor});
  VerifyReport report = verify_model(full, model, verifying);
  if (report.mass_error > 1e-6) {  // the file does not say which mass it was made with
    const FullModel lumped(std::move(mesh), materials, model.simulation->fixed, {MassKind::lumped, executor});
    report.mass_error = std::min(report.mass_error, mass_error(lumped, model));
  }
  return report;
}

/// What decides: rounding for exact forces; for cubature the error in motions, twice what training was asked
/// for.
struct Verdict {
  double error, tolerance;
  bool stable = true;  ///< nearly all motions could be simulated
  [[nodiscard]] bool good() const { return stable && error <= tolerance; }  // false for NaN
};

Verdict judge(const VerifyCommand& options, const ReducedModel& model, const VerifyReport& report) {
  if (model.cubature) {
    const double asked_for = model.cubature->training.error_asked_for;
    return {std::max(report.held_out_error, report.mass_error), options.tolerance.value_or(2.0 * asked_for),
            5 * report.lost <= report.states};
  }
  return {std::max({report.force_error, report.stiffness_error, report.energy_error, report.mass_error}),
          options.tolerance.value_or(exact_tolerance)};
}

Json forces_json(const ReducedModel& model, const VerifyReport& report, const Verdict& verdict) {
  Json json{{"states", report.states},
            {"lost", report.lost},
            {"largest_gradient", report.largest_gradient},
            {"force_error", report.force_error},
            {"stiffness_error", report.stiffness_error},
            {"energy_error", report.energy_error},
            {"mass_error", report.mass_error},
            {"tolerance", verdict.tolerance}};
  if (const auto& rule = model.cubature) {
    json["cubature"] = rule->modal() ? "modal" : "optimized";
    json["points"] = rule->point_count();
    json["held_out_error"] = report.held_out_error;
    json["error_asked_for"] = rule->training.error_asked_for;
    json["training_error"] = rule->training.training_error;
    if (report.polynomial_error) json["polynomial_error"] = *report.polynomial_error;
  }
  return json;
}

/// Adds what is found to `failed` where that is too much.
Json verify_part(const VerifyCommand& options, const ReducedPart& part, std::vector<std::string>& failed) {
  const ReducedModel& model = part.model;
  require(model.simulation.has_value(),
          "{}: '{}' was kept without its mesh and basis (--no-simulation-mesh): nothing to verify against",
          options.model, model.name);
  const std::size_t failed_before = failed.size();
  Json json{{"name", model.name}, {"rank", model.rank}};
  if (model.rank > 0) {  // else it is rigid and has no forces
    const VerifyReport report = verify_forces(options, model);
    const Verdict verdict = judge(options, model, report);
    if (!verdict.stable) {
      failed.push_back(fmt::format("the forces of '{}' are unstable, {} of {} states could not be reached",
                                   model.name, report.lost, report.states + report.lost));
    } else if (!verdict.good()) {
      failed.push_back(fmt::format("the forces of '{}' by {:.2e}, more than {:.2e}", model.name,
                                   verdict.error, verdict.tolerance));
    }
    json.update(forces_json(model, report, verdict));
  }
  const double allowed = options.tolerance.value_or(exact_tolerance);
  const auto check = [&](std::string_view what, double error) {
    if (error <= allowed) return;  // false for NaN
    failed.push_back(fmt::format("{} of '{}' by {:.2e}, more than {:.2e}", what, model.name, error, allowed));
  };
  const double inertia = inertia_error(model);
  double ports = 0.0;
  for (const InterfacePort& port : part.ports) ports = std::max(ports, port_error(port, model));
  check("the inertia", inertia);
  check("a port", ports);
  json["inertia_error"] = inertia;
  json["port_error"] = ports;
  json["verified"] = failed.size() == failed_before;
  return json;
}

std::string error_text(const Json& part, const char* key) {
  return part.contains(key) ? fmt::format("{:.1e}", part[key].get<double>()) : "-";
}

std::string percent(const Json& share) { return fmt::format("{:.3g} %", 100.0 * share.get<double>()); }

std::string cubature_text(const Json& part) {
  const std::string polynomial =
      part.contains("polynomial_error")
          ? fmt::format("; {} from the exact polynomial", percent(part["polynomial_error"]))
          : "";
  return fmt::format(
      "'{}': {} cubature of {} points, {} root mean square in {} states of motions that it was not trained "
      "with, {} asked for and {} reached in training, {} at most{}\n",
      words(part["name"]), words(part["cubature"]), count_text(part["points"]),
      percent(part["held_out_error"]), count_text(part["states"]), percent(part["error_asked_for"]),
      percent(part["training_error"]), percent(part["force_error"]), polynomial);
}

std::string verified_text(const Json& json) {
  const Json& parts = json["parts"];
  std::string text =
      fmt::format("{}: {} domain{} of {} part{}\nlargest relative differences from mesh and basis\n\n",
                  words(json["file"]), count_text(json["domains"]), json["domains"] == 1 ? "" : "s",
                  parts.size(), parts.size() == 1 ? "" : "s");
  std::vector<std::vector<std::string>> rows{
      {"part", "rank", "states", "|grad u|", "force", "stiffness", "energy", "mass", "inertia", "ports"}};
  for (const Json& part : parts) {
    const bool moves = part.contains("states");
    rows.push_back({words(part["name"]), count_text(part["rank"]), moves ? count_text(part["states"]) : "-",
                    moves ? fmt::format("{:.3g}", part["largest_gradient"].get<double>()) : "-",
                    error_text(part, "force_error"), error_text(part, "stiffness_error"),
                    error_text(part, "energy_error"), error_text(part, "mass_error"),
                    error_text(part, "inertia_error"), error_text(part, "port_error")});
  }
  text += table_text(rows);
  for (const Json& part : parts)
    if (part.contains("cubature")) text += "\n" + cubature_text(part);
  return text;
}

void run_verify(const VerifyCommand& options) {
  const double tolerance = options.tolerance.value_or(1.0);
  require(tolerance > 0.0 && std::isfinite(tolerance), "--tolerance is {}, expected more than 0", tolerance);
  const Model model = read_model(options.model);
  require(options.mesh.empty() || model.parts.size() == 1,
          "--mesh: {} has {} parts, which keep their meshes; leave it out", options.model,
          model.parts.size());
  std::vector<std::string> failed;
  Json json{{"file", options.model}, {"domains", model.domain_count()}, {"parts", Json::array()}};
  for (const ReducedPart& part : model.parts) json["parts"].push_back(verify_part(options, part, failed));
  json["verified"] = failed.empty();
  if (options.json) {
    print_json(json);
  } else {
    print(verified_text(json));
  }
  if (failed.empty()) return;
  throw Failure(fmt::format("{}: it differs from mesh and basis: {}{}", options.model, failed.front(),
                            failed.size() == 1 ? "" : fmt::format(", and {} more", failed.size() - 1)));
}

}  // namespace

Command add_verify(CLI::App& program) {
  CLI::App* parser = program.add_subcommand(
      "verify", "Compare the forces of all parts of a reduced model with those of their meshes");
  const auto options = std::make_shared<VerifyCommand>();
  parser->add_option("MODEL", options->model, "Reduced model (.glb)")->required()->type_name("");
  parser->add_option("--mesh", options->mesh, "The mesh it was made from [as kept in the model]")
      ->type_name("MESH");
  parser->add_option("--states", options->states, "States to compare [10; 100 along motions for cubature]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""));
  parser->add_option("--gradient", options->gradient, "Exact forces: |grad u| of the strongest state [1]")
      ->type_name("G")
      ->check(number_range(1e-6, 1e3));
  parser
      ->add_option(
          "--tolerance", options->tolerance,
          "Difference at which the command fails [1e-8; cubature: twice what training was asked for]")
      ->type_name("T");
  parser->add_option("--seed", options->seed, "Of the states")->type_name("S")->capture_default_str();
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print the errors as JSON");
  parser->footer("Example:\n  limber verify spoon.glb --mesh builtin:spoon");
  return {parser, [options] { run_verify(*options); }};
}

}  // namespace limber::app
