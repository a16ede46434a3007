// live_reference MODEL.glb SCRIPT.json      does what a script says with a body and prints its states
// live_reference --make-tree TREE.glb       writes a small tree: a stem with two twigs and a rigid knob
// live_reference --time MODEL.glb RANK H SECONDS [VERTEX]
//     prints steps per second; by warped modes with a handle at the vertex where one is given
//
// The native side of the comparisons under web/runtime: test/script.ts runs the same scripts, and bench.ts
// the same motion, by WebAssembly. A script is a list of objects with an "action" each; numbers are printed
// with 17 digits.

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/body/body.hpp"
#include "limber/io/model_file.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/multidomain/reduce_tree.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <string>

namespace {

using namespace limber;
using nlohmann::json;

Vector3 vector_of(const json& value) {
  return {value.at(0).get<double>(), value.at(1).get<double>(), value.at(2).get<double>()};
}

Eigen::Quaterniond quaternion_of(const json& value) {
  return {value.at(3).get<double>(), value.at(0).get<double>(), value.at(1).get<double>(),
          value.at(2).get<double>()};
}

json list_of(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

Vector vector_from(const json& list) {
  const auto values = list.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

void change_material(Body& body, const json& item) {
  const auto region = item.at("region").get<Index>();
  const auto part = item.value("part", Index{0});
  Material material = body.material(region, part);
  const LameParameters lame = lame_of(material.law);
  if (item.contains("young") || item.contains("poisson")) {
    material.law = make_law(
        name_of(material.law),
        lame_from_young(item.value("young", young_modulus(lame)), item.value("poisson", poisson_ratio(lame))),
        constants_of(material.law));
  }
  material.density = item.value("density", material.density);
  body.set_material(region, material, part);
}

std::vector<PointForce> forces_of(const json& list) {
  std::vector<PointForce> forces;
  for (const json& item : list) forces.push_back({item.at("vertex").get<int>(), vector_of(item.at("force"))});
  return forces;
}

std::vector<SurfaceLoad> surface_loads_of(const json& list) {
  std::vector<SurfaceLoad> loads;
  for (const json& item : list) {
    const json still = {0.0, 0.0, 0.0};
    loads.push_back({item.at("triangles").get<std::vector<int>>(), item.value("pressure", 0.0),
                     vector_of(item.value("traction", still)), item.value("from", 0.0),
                     item.value("to", std::numeric_limits<double>::infinity())});
  }
  return loads;
}

std::vector<Spring> springs_of(const json& list) {
  std::vector<Spring> springs;
  for (const json& item : list) {
    springs.push_back(
        {item.at("vertex").get<int>(), vector_of(item.at("target")), item.at("stiffness").get<double>()});
  }
  return springs;
}

std::vector<Handle> handles_of(const json& list) {
  std::vector<Handle> handles;
  for (const json& item : list) {
    Handle handle{item.at("vertex").get<int>(), item.contains("position"), item.contains("rotation")};
    if (handle.hold_position) handle.position = vector_of(item.at("position"));
    if (handle.hold_orientation) handle.rotation = quaternion_of(item.at("rotation"));
    handles.push_back(handle);
  }
  return handles;
}

PoseFunction support_of(const json& list) {
  std::vector<PoseKey> keys;
  for (const json& item : list) {
    PoseKey& key = keys.emplace_back(PoseKey{item.at("time").get<double>(), {}});
    if (item.contains("position")) key.pose.position = vector_of(item.at("position"));
    if (item.contains("rotation")) key.pose.rotation = quaternion_of(item.at("rotation"));
  }
  return interpolate_poses(keys, Interpolation::smooth);
}

/// The one of these that has the name.
template <class Choice>
Choice choice_of(const json& item, const std::map<std::string, Choice>& choices) {
  return choices.at(item.at("value").get<std::string>());
}

void set_state(Body& body, const json& item) {
  TreeState state = body.state();
  state.q = vector_from(item.at("q"));
  state.v = vector_from(item.at("v"));
  if (item.contains("root")) {
    const json& root = item.at("root");
    state.root.position = vector_of(root.at("position"));
    state.root.rotation = quaternion_of(root.at("rotation"));
    state.root.velocity = vector_of(root.at("velocity"));
    state.root.angular_velocity = vector_of(root.at("angularVelocity"));
  }
  body.set_state(state);
}

void take_steps(Body& body, const json& item) {
  ReducedStepOptions options;
  options.newmark.max_iterations = item.value("iterations", 1);
  if (item.value("solver", "direct") == "cg") options.solver = ReducedSolver::conjugate_gradient;
  for (int i = 0; i < item.at("count").get<int>(); ++i) {
    const SolveReport report = body.step(item.at("h").get<double>(), options);
    require(report.ok(), "step {} failed: {}", i, name_of(report.status));
  }
}

/// What a body is asked for after a while: its state, and what follows from it at a vertex.
json sample(const Body& body, const json& item) {
  const auto vertex = item.at("vertex").get<int>();
  const BodyEnergy energy = body.energy();
  const TreeMomentum momentum = body.momentum();
  json springs = json::array(), mode = json::array();
  for (Index i = 0; i < static_cast<Index>(body.loads().springs.size()); ++i)
    springs.push_back(list_of(body.spring_force(i)));
  if (body.model().domain_count() == 1)
    mode = list_of(body.mode_shape(0).cwiseAbs());  // its sign is not determined
  return {{"q", list_of(body.q())},
          {"v", list_of(body.v())},
          {"energy", {body.time(), energy.elastic, energy.kinetic}},
          {"point", {list_of(body.position(vertex)), list_of(body.velocity(vertex))}},
          {"orientation", list_of(body.orientation(vertex).coeffs())},
          {"momentum", {list_of(momentum.center), list_of(momentum.linear), list_of(momentum.angular)}},
          {"stiffness", {body.stiffness_at(vertex)}},
          {"frequencies", list_of(body.frequencies())},
          {"mode", mode},
          {"springs", springs}};
}

using Actions = std::map<std::string, std::function<void(const json&)>>;

Actions loads_of(Body& body) {
  return {
      {"gravity", [&](const json& item) { body.set_gravity(vector_of(item.at("value"))); }},
      {"force",
       [&](const json& item) { body.set_force(item.at("vertex").get<int>(), vector_of(item.at("value"))); }},
      {"forces", [&](const json& item) { body.set_forces(forces_of(item.at("value"))); }},
      {"surface", [&](const json& item) { body.set_surface_loads(surface_loads_of(item.at("value"))); }},
      {"springs", [&](const json& item) { body.set_springs(springs_of(item.at("value"))); }},
      {"handles",
       [&](const json& item) {
         body.set_handles(handles_of(item.at("value")), item.value("priority", "position") == "position"
                                                            ? ConstraintPriority::position
                                                            : ConstraintPriority::orientation);
       }},
      {"wind",
       [&](const json& item) {
         body.set_wind({.velocity = vector_of(item.at("value")), .gusts = item.at("gusts").get<double>()});
       }},
      {"support", [&](const json& item) { body.set_support(support_of(item.at("value"))); }}};
}

json run_script(Body& body, const json& script) {
  json samples = json::array();
  Actions actions = loads_of(body);
  actions.merge(Actions{
      {"material", [&](const json& item) { change_material(body, item); }},
      {"damping",
       [&](const json& item) {
         body.set_damping(
             {.mass = item.at("mass").get<double>(), .stiffness = item.at("stiffness").get<double>()});
       }},
      {"rank",
       [&](const json& item) { body.set_rank(item.at("value").get<Index>(), item.value("part", 0)); }},
      {"method",
       [&](const json& item) {
         body.set_method(choice_of<Method>(
             item, {{"reduced", Method::reduced}, {"linear", Method::linear}, {"warped", Method::warped}}));
       }},
      {"stiffness",
       [&](const json& item) {
         body.set_stiffness(item.at("domain").get<Index>(), item.at("value").get<double>());
       }},
      {"inertia",
       [&](const json& item) {
         body.set_inertia(choice_of<SubtreeInertia>(item, {{"interface", SubtreeInertia::interface},
                                                           {"center", SubtreeInertia::center},
                                                           {"full", SubtreeInertia::full}}));
       }},
      {"state", [&](const json& item) { set_state(body, item); }},
      {"reset", [&](const json&) { body.reset(); }},
      {"step", [&](const json& item) { take_steps(body, item); }},
      {"sample", [&](const json& item) { samples.push_back(sample(body, item)); }}});
  for (const json& item : script) actions.at(item.at("action").get<std::string>())(item);
  return samples;
}

/// Along x, held at its left end.
Part bar(std::string name, const Vector3& size, const Eigen::Vector3i& cells) {
  Part part;
  part.name = std::move(name);
  part.mesh = make_beam({ElementKind::tetrahedron, size, cells});
  part.materials = {{make_law("stvk", lame_from_young(2e5, 0.3)), 900.0}};
  for (int v = 0; v < part.mesh.vertex_count(); ++v) {
    if (part.mesh.vertices(0, v) < 1e-9) part.fixed.push_back(v);
  }
  return part;
}

Model make_tree() {
  PartTree tree;
  tree.name = "bush";
  tree.parts = {bar("stem", {0.6, 0.1, 0.1}, {12, 2, 2}), bar("twig", {0.3, 0.04, 0.04}, {6, 1, 1}),
                bar("knob", {0.08, 0.08, 0.08}, {1, 1, 1})};
  tree.parts[0].rank = 8;
  tree.parts[1].rank = 6;
  tree.parts[2].rigid = true;
  tree.placements.push_back({.name = "stem"});
  const auto attach = [&](std::string name, int part, const Vector3& place, double angle, double scale) {
    tree.placements.push_back({.name = std::move(name),
                               .part = part,
                               .parent = 0,
                               .site = static_cast<int>(tree.parts[0].sites.size()),
                               .position = place,
                               .rotation = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3::UnitZ())),
                               .scale = scale});
    tree.parts[0].sites.push_back(site_near(tree.parts[0].mesh, place, 0.06));
  };
  attach("twig 1", 1, {0.3, 0.1, 0.03}, 1.2, 1.0);
  attach("twig 2", 1, {0.5, 0.0, 0.03}, -0.9, 0.8);
  attach("knob", 2, {0.6, 0.01, 0.01}, 0.0, 1.0);
  TreeReduceOptions options;
  options.executor = Executor(1);
  TreeReduceReport report;
  return reduce_tree(tree, options, report);
}

/// s, of this process: other work on the machine does not count.
double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The motion of bench.ts: a body that swings under gravity, or one by warped modes of which a vertex is
/// moved up and down by a tenth of its size. Per second of processor time. vertex: -1 for none.
double steps_per_second(Body& body, Index rank, double h, double seconds, int vertex) {
  constexpr int batch = 20;
  body.set_rank(rank);
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_damping({.mass = 0.1, .stiffness = 0.001});
  Handle handle{vertex};
  const Matrix3X& rest = body.surface().mesh().vertices;
  const double size = (rest.rowwise().maxCoeff() - rest.rowwise().minCoeff()).norm();
  if (vertex >= 0) body.set_method(Method::warped);
  const auto advance = [&] {
    for (int i = 0; i < batch; ++i) {
      if (vertex >= 0) {
        handle.position = rest.col(vertex);
        handle.position.z() += 0.1 * size * std::sin(10.0 * body.time());
        body.set_handles({&handle, 1});
      }
      require(body.step(h).ok(), "a step failed");
    }
  };
  advance();
  const double start = processor_time();
  int steps = 0;
  for (; processor_time() - start < seconds; steps += batch) advance();
  return steps / (processor_time() - start);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if ((words.size() == 5 || words.size() == 6) && words[0] == "--time") {
      Body body(read_model(words[1]));
      const int vertex = words.size() == 6 ? std::stoi(words[5]) : -1;
      fmt::print("{:.17g}\n", steps_per_second(body, std::stoi(words[2]), std::stod(words[3]),
                                               std::stod(words[4]), vertex));
      return EXIT_SUCCESS;
    }
    require(words.size() == 2, "usage: live_reference MODEL.glb SCRIPT.json");
    if (words[0] == "--make-tree") {
      write_model(words[1], make_tree());
      return EXIT_SUCCESS;
    }
    Body body(read_model(words[0]));
    fmt::print("{}\n", run_script(body, json::parse(read_file(words[1]))).dump());
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "live_reference: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
