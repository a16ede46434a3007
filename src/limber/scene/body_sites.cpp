#include "limber/scene/body_sites.hpp"

#include "limber/scene/body_model.hpp"
#include "limber/warp/nodal_rotations.hpp"

namespace limber {

BodySites::BodySites(std::shared_ptr<const ReducedModel> model, bool warp, const Executor& executor)
    : model_(std::move(model)), warp_(warp) {
  if (model_->simulation) {
    mesh_ = {model_, &model_->simulation->mesh};
    rotations_ = std::make_shared<const Matrix>(nodal_rotations(*mesh_, model_->simulation->basis, executor));
  } else {
    mesh_ = std::make_shared<const VolumeMesh>(vertices_to_choose(*model_));
    rotations_ = std::make_shared<const Matrix>();
  }
}

WarpSite BodySites::turning_site(const WarpedEquations& equations, int vertex) const {
  return model_->simulation ? mesh_site(*model_, *rotations_, equations, vertex)
                            : surface_site(*model_, equations, vertex);
}

WarpSite BodySites::site(const WarpedEquations& equations, int vertex) const {
  WarpSite site = turning_site(equations, vertex);
  if (!warp_) site.turn.setZero();
  return site;
}

}  // namespace limber
