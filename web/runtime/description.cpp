#include "description.hpp"

#include "limber/base/words.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace limber::bindings {
namespace {

using nlohmann::json;

json describe(const ReducedRegion& region) {
  const LameParameters lame = lame_of(region.material.law);
  return {{"name", region.region.name},
          {"tag", region.region.tag},
          {"volume", region.volume},
          {"material",
           {{"law", name_of(region.material.law)},
            {"young", young_modulus(lame)},
            {"poisson", poisson_ratio(lame)},
            {"density", region.material.density}}}};
}

json describe_parts(const Model& model) {
  json parts = json::array();
  for (const ReducedPart& part : model.parts) {
    json regions = json::array();
    for (const ReducedRegion& region : part.model.regions) regions.push_back(describe(region));
    parts.push_back({{"name", part.model.name}, {"rank", part.model.rank}, {"regions", regions}});
  }
  return parts;
}

json describe_domains(const Model& model) {
  json domains = json::array();
  for (const Domain& domain : model.domains) {
    domains.push_back({{"name", domain.name},
                       {"part", domain.part},
                       {"parent", domain.parent},
                       {"stiffness", domain.stiffness}});
  }
  return domains;
}

json describe_surface_parts(const BodySurface& surface) {
  json parts = json::array();
  for (std::size_t i = 0; i < surface.colors().size(); ++i) {
    const Vector3& color = surface.colors()[i];
    parts.push_back({{"name", surface.mesh().parts[i]}, {"color", {color.x(), color.y(), color.z()}}});
  }
  return parts;
}

Vector farthest(const Eigen::MatrixXf& basis) {
  Vector result = Vector::Zero(basis.cols());
  for (Index i = 0; i < basis.cols() && basis.rows() > 0; ++i) {
    const auto moves = basis.col(i).reshaped(3, basis.rows() / 3).cast<double>();
    result(i) = std::sqrt(moves.colwise().squaredNorm().maxCoeff());
  }
  return result;
}

}  // namespace

const ReducedModel* domain_as_made(const Model& model) {
  const Domain& root = model.domains.front();
  const bool as_made = root.surface_vertices.empty() && root.scale == 1.0 && root.position.isZero(0.0) &&
                       root.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
  return model.domain_count() == 1 && as_made ? &model.part(0).model : nullptr;
}

std::string describe(const Body& body) {
  const Model& model = body.model();
  const ReducedModel* single = domain_as_made(model);
  Index points = 0, elements = 0;
  bool exact = true;
  for (Index d = 0; d < model.domain_count(); ++d) {
    const ReducedModel& own = model.part(d).model;
    exact = exact && !own.cubature;
    if (own.cubature) points += own.cubature->point_count();
    if (own.simulation) elements += own.simulation->mesh.element_count();
  }
  const auto& root = model.part(0).model.simulation;
  const bool mesh = single != nullptr && single->simulation;
  const bool warpable = single != nullptr && single->warp;
  const json parts = describe_parts(model);
  const json info{{"name", model.name},
                  {"description", model.description},
                  {"rank", model.coordinate_count()},
                  {"free", model.free},
                  {"up", word_of(model.up, up_axis_words)},
                  {"depth", model.depth()},
                  {"regions", parts[0]["regions"]},
                  {"parts", parts},
                  {"domains", describe_domains(model)},
                  {"vertexCount", body.surface().mesh().vertex_count()},
                  {"triangleCount", body.surface().mesh().triangle_count()},
                  {"exact", exact},
                  {"cubaturePoints", points},
                  {"elementCount", elements},
                  {"fixedCount", root ? root->fixed.size() : 0},
                  {"warpable", warpable}};
  return json{{"info", info},
              {"parts", describe_surface_parts(body.surface())},
              {"element", mesh ? json(name_of(single->simulation->mesh.kind)) : json()}}
      .dump();
}

std::vector<int> triangle_domains(const Model& model) {
  std::vector<int> result;
  for (Index d = 0; d < model.domain_count(); ++d) {
    const Index count = model.part(d).model.surface.mesh.triangle_count();
    result.insert(result.end(), static_cast<std::size_t>(count), static_cast<int>(d));
  }
  return result;
}

Vector reach(const Body& body) {
  std::vector<Vector> parts;
  for (const ReducedPart& part : body.model().parts) parts.push_back(farthest(part.model.surface.basis));
  Vector result(body.q().size());
  Index first = 0;
  for (const Domain& domain : body.model().domains) {
    const Index rank = body.rank(domain.part);
    result.segment(first, rank) = domain.scale * parts[static_cast<std::size_t>(domain.part)].head(rank);
    first += rank;
  }
  return result;
}

}  // namespace limber::bindings
