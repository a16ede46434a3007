// The fast precomputation, stage by stage. [Yang et al. 2015, Table 1] Bars with as many elements as the
// bodies of the table: 12 inertia modes, 78 derivatives, rank 30 by random projection, modal cubature to 5 %
// of the force.

#include "bench/bodies.hpp"
#include "bench/registry.hpp"
#include "limber/basis/derivative_family.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/basis/random_projection.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/precompute/reduce.hpp"

namespace limber::bench {
namespace {

constexpr Index pipeline_modes = 12, pipeline_rank = 30;
constexpr double training_error = 0.05;  ///< on poses not trained with

/// What each stage starts from, made once for all benchmarks of a body.
struct Pipeline {
  std::shared_ptr<FullModel> model;
  std::shared_ptr<RestStiffness> rest;
  RitzModes ritz;
  Matrix samples;  ///< of all orders, mixed
  Matrix basis;
  CubatureRule rule;
};

void find_modes(Pipeline& body) {
  const InertiaModes inertia = compute_inertia_modes(*body.rest, pipeline_modes);
  body.ritz = rayleigh_ritz(*body.rest, inertia.shapes, inertia.shapes.cols());
}

void find_derivatives(Pipeline& body) {
  const DerivativeFamily family =
      compute_derivative_family(*body.rest, body.ritz.shapes, body.ritz.eigenvalues, 1);
  std::vector<WeightedSamples> sources;
  for (std::size_t k = 0; k + 1 < family.first.size(); ++k) {
    const Index first = family.first[k], count = family.first[k + 1] - first;
    sources.push_back(
        {family.shapes.middleCols(first, count) * family.weights.segment(first, count).asDiagonal()});
  }
  body.samples = mix_samples(sources, body.model->mass());
}

void condense(Pipeline& body) {
  const Matrix projected = random_projection(body.samples, pipeline_rank, 1, body.model->executor());
  body.basis = mass_orthonormalize(projected, body.model->mass(), 1e-10, body.model->executor()).Q;
}

void train(Pipeline& body) {
  CubatureSettings settings;
  settings.kind = CubatureKind::modal;
  settings.error = training_error;
  body.rule = train_cubature(*body.model, body.basis, settings).rule;
}

void build(const Pipeline& body) {
  build_reduced_model(*body.model, body.basis, {}, {}, {true, body.rule, {}});
}

std::shared_ptr<Pipeline> prepared(const Eigen::Vector3i& cells, int threads) {
  static std::shared_ptr<Pipeline> body;  // the last one: they are large
  static std::pair<int, int> key;
  if (body && key == std::pair{cells.prod(), threads}) return body;
  key = {cells.prod(), threads};
  body = std::make_shared<Pipeline>();
  body->model = bar("stvk", threads, ElementKind::tetrahedron, cells);
  body->rest = std::make_shared<RestStiffness>(*body->model);
  find_modes(*body);
  find_derivatives(*body);
  condense(*body);
  train(*body);
  return body;
}

void run_all(const std::shared_ptr<FullModel>& model) {
  Pipeline body{.model = model};
  body.rest = std::make_shared<RestStiffness>(*body.model);
  find_modes(body);
  find_derivatives(body);
  condense(body);
  train(body);
  build(body);
}

}  // namespace

std::vector<Case> pipeline_cases(int threads) {
  struct Body {
    std::string name;
    Eigen::Vector3i cells;
  };
  const std::vector<Body> bodies{{"50400_tets", {84, 10, 10}},
                                 {"65400_tets", {109, 10, 10}},
                                 {"77682_tets", {107, 11, 11}},
                                 {"100914_tets", {139, 11, 11}},
                                 {"194040_tets", {165, 14, 14}}};
  std::vector<Case> cases;
  for (const Body& body : bodies) {
    const std::string factor = "precompute/fast_factorisation/" + body.name;
    const auto to_factor = [factor](const Results& results, double s) { return s / results.at(factor); };
    const auto stage = [&](const std::string& name, std::function<void(Pipeline&)> run) {
      cases.push_back({"precompute/fast_" + name + "/" + body.name,
                       [cells = body.cells, threads, run] {
                         return [pipeline = prepared(cells, threads), run] { run(*pipeline); };
                       },
                       "one factorisation", to_factor});
    };
    cases.push_back({factor, [cells = body.cells, threads] {
                       const auto model = prepared(cells, threads)->model;
                       return [model] { RestStiffness rest(*model); };
                     }});
    stage("inertia_modes", find_modes);
    stage("derivatives", find_derivatives);
    stage("random_projection", condense);
    stage("training", train);
    stage("model", [](Pipeline& pipeline) { build(pipeline); });
    cases.push_back({"precompute/fast_total/" + body.name,
                     [cells = body.cells, threads] {
                       const auto model = prepared(cells, threads)->model;
                       return [model] { run_all(model); };
                     },
                     "one factorisation", to_factor});
  }
  return cases;
}

}  // namespace limber::bench
