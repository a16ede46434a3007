#include "limber/run/solids.hpp"

#include "limber/contact/shape_surface.hpp"
#include "limber/draw/regions.hpp"

namespace limber {

std::vector<DrawnSolid> drawn_solids(const World& world, const BoundingBox& seen) {
  const Vector3 obstacle_color(0.72, 0.72, 0.70);
  std::vector<DrawnSolid> solids;
  for (Index i = 0; i < world.rigid_count(); ++i) {
    const RigidBody& rigid = world.rigid(i);
    solids.push_back(
        {rigid.name(), surface_of(rigid.shape()), region_color(static_cast<std::size_t>(i) + 1)});
  }
  const std::vector<Pose> poses = solid_poses(world);
  for (Index i = 0; i < world.obstacle_count(); ++i) {
    const Obstacle& obstacle = world.obstacle(i);
    const Pose& pose = poses[static_cast<std::size_t>(world.rigid_count() + i)];
    const Vector3 about = pose.inverse().apply(0.5 * (seen.min + seen.max));
    solids.push_back(
        {obstacle.name, surface_of(obstacle.shape, about, (seen.max - seen.min).norm()), obstacle_color});
  }
  return solids;
}

std::vector<Pose> solid_poses(const World& world) {
  std::vector<Pose> poses;
  for (Index i = 0; i < world.rigid_count(); ++i) poses.push_back(world.rigid(i).pose());
  for (Index i = 0; i < world.obstacle_count(); ++i) {
    const Obstacle& obstacle = world.obstacle(i);
    poses.push_back(obstacle.motion ? obstacle.motion(world.time()) : obstacle.pose);
  }
  return poses;
}

}  // namespace limber
