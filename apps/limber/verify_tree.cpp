#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/verify.hpp"
#include "limber/base/error.hpp"
#include "limber/precompute/region_mass.hpp"
#include "limber/reduced/inertia.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double coupling_tolerance = 1e-8;  ///< of integrals and ports, which the file keeps as they were

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

/// Adds what is found to `failed` where that is too much.
Json verify_part(const VerifyCommand& options, const ReducedPart& part, std::vector<std::string>& failed) {
  const ReducedModel& model = part.model;
  require(model.simulation.has_value(),
          "{}: '{}' was kept without its mesh and basis (--no-simulation-mesh): nothing to verify against",
          options.model, model.name);
  double ports = 0.0;
  for (const InterfacePort& port : part.ports) ports = std::max(ports, port_error(port, model));
  const double inertia = moments_error(model);
  const double allowed = options.tolerance.value_or(coupling_tolerance);
  bool good = inertia <= allowed && ports <= allowed;  // false for NaN
  if (!(inertia <= allowed))
    failed.push_back(fmt::format("the inertia of '{}' by {:.2e}", model.name, inertia));
  if (!(ports <= allowed)) failed.push_back(fmt::format("a port of '{}' by {:.2e}", model.name, ports));
  Json json{{"name", model.name},
            {"rank", model.rank},
            {"inertia_error", inertia},
            {"port_error", ports},
            {"verified", good}};
  if (model.rank == 0) return json;  // rigid: it has no forces
  const VerifyReport report = verify_with_mesh(options, model, model.simulation->mesh);
  const Verdict verdict = judge(options, model, report);
  if (!verdict.stable) failed.push_back(fmt::format("'{}' is unstable", model.name));
  if (verdict.stable && !verdict.good())
    failed.push_back(fmt::format("the forces of '{}' by {:.2e}", model.name, verdict.error));
  good = good && verdict.good();
  json.update({{"states", report.states},
               {"lost", report.lost},
               {"force_error", report.force_error},
               {"stiffness_error", report.stiffness_error},
               {"energy_error", report.energy_error},
               {"mass_error", report.mass_error},
               {"tolerance", verdict.tolerance},
               {"verified", good}});
  if (model.cubature) json["held_out_error"] = report.held_out_error;
  return json;
}

std::string error_text(const Json& part, const char* key) {
  return part.contains(key) ? fmt::format("{:.1e}", part[key].get<double>()) : "-";
}

std::string verified_tree_text(const Json& json) {
  std::string text =
      fmt::format("{}: {} domains of {} parts\nlargest relative differences from mesh and basis\n\n",
                  json["file"].get<std::string>(), count_text(json["domains"]), json["parts"].size());
  std::size_t width = std::string_view("part").size();
  for (const Json& part : json["parts"]) width = std::max(width, part["name"].get<std::string>().size());
  text += fmt::format("{:<{}} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "part", width, "rank", "force",
                      "stiffness", "energy", "mass", "inertia", "ports");
  for (const Json& part : json["parts"]) {
    const char* const force = part.contains("held_out_error") ? "held_out_error" : "force_error";
    text += fmt::format("{:<{}} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", part["name"].get<std::string>(),
                        width, part["rank"].get<int>(), error_text(part, force),
                        error_text(part, "stiffness_error"), error_text(part, "energy_error"),
                        error_text(part, "mass_error"), error_text(part, "inertia_error"),
                        error_text(part, "port_error"));
  }
  return text;
}

}  // namespace

double moments_error(const ReducedModel& model) {
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

void verify_tree(const VerifyCommand& options, const Model& tree) {
  require(options.mesh.empty(), "--mesh: {} is a tree of domains, which keeps its meshes; leave it out",
          options.model);
  std::vector<std::string> failed;
  Json json{{"file", options.model}, {"domains", tree.domain_count()}, {"parts", Json::array()}};
  for (const ReducedPart& part : tree.parts) json["parts"].push_back(verify_part(options, part, failed));
  json["verified"] = failed.empty();
  if (options.json) {
    print_json(json);
  } else {
    print(verified_tree_text(json));
  }
  if (failed.empty()) return;
  throw Failure(fmt::format("{}: it differs from mesh and basis: {}{}", options.model, failed.front(),
                            failed.size() == 1 ? "" : fmt::format(", and {} more", failed.size() - 1)));
}

}  // namespace limber::app
