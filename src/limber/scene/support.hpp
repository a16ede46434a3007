#pragma once

#include "limber/scene/scene.hpp"

namespace limber {

/// Throws Error for a support that jumps: within a step it would act as an acceleration of jump / h^2. It may
/// be fast, but not change its way by half the body from one step to the next.  rest: of its vertices, 3 x n.
void check_support(const Scene& scene, const SceneBody& body, const Matrix3X& rest);

}  // namespace limber
