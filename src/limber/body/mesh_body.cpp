#include "limber/body/mesh_body.hpp"

#include "limber/body/full_motion.hpp"
#include "limber/body/online_motion.hpp"

#include <utility>

namespace limber {
namespace {

std::shared_ptr<const MeshBodySetup> checked_setup(MeshBodySetup setup) {
  if (setup.name.empty()) setup.name = "the body";
  require(setup.quasistatic || !setup.maps, "{}: only a quasistatic body is carried by maps", setup.name);
  return std::make_shared<const MeshBodySetup>(std::move(setup));
}

}  // namespace

Body make_full_body(MeshBodySetup setup) {
  const std::shared_ptr<const MeshBodySetup> shared = checked_setup(std::move(setup));
  auto motion = std::make_unique<FullMotion>(shared, shared->materials);
  return {shared->name, Method::full, surface_of(*shared), std::move(motion)};
}

Body make_online_body(MeshBodySetup setup, const OnlineSettings& settings, double duration) {
  const std::shared_ptr<const MeshBodySetup> shared = checked_setup(std::move(setup));
  auto motion = std::make_unique<OnlineMotion>(shared, shared->materials, settings, duration);
  return {shared->name, Method::online, surface_of(*shared), std::move(motion)};
}

}  // namespace limber
