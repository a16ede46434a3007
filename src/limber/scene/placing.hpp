#pragma once

#include "limber/basis/sketch.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/multidomain/model.hpp"
#include "limber/warp/pose.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace limber {

// Bodies that stand elsewhere than in their files: turned about the origin, then moved. A pose that does
// nothing leaves every bit as it was.

bool moves_nothing(const Pose& pose);

// What is given `where` throws Error, naming it by that, for bricks that would be turned: they keep to the
// axes.

void place(const Pose& pose, std::string_view where, VolumeMesh& mesh);
void place(const Pose& pose, std::string_view where, PartTree& tree);
void place(const Pose& pose, SurfaceMesh& surface);
void place(const Pose& pose, std::span<SketchForce> sketch);

/// The same model in another place; itself where the pose does nothing.
std::shared_ptr<const Model> placed(std::shared_ptr<const Model> model, const Pose& pose,
                                    std::string_view where);

}  // namespace limber
