#include "limber/scene/support.hpp"

#include "limber/base/error.hpp"

#include <algorithm>

namespace limber {

void check_support(const Scene& scene, const SceneBody& body, const Matrix3X& rest) {
  const double h = scene.solver.timestep;
  const Vector3 low = rest.rowwise().minCoeff(), high = rest.rowwise().maxCoeff();
  const double size = (high - low).norm();
  Pose before = body.support(0.0), now = before;
  for (int i = 1; i <= scene.solver.steps; ++i) {
    const Pose next = body.support(i * h);
    double jump = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3 x((corner & 1) != 0 ? high.x() : low.x(), (corner & 2) != 0 ? high.y() : low.y(),
                      (corner & 4) != 0 ? high.z() : low.z());
      jump = std::max(jump, (next.apply(x) - 2.0 * now.apply(x) + before.apply(x)).norm());
    }
    require(jump <= 0.5 * size,
            "{}: 'support' jumps by {:.3g} m at {:.6g} s, within a time step, expected at most half the size "
            "of the body, {:.3g} m; let it move smoothly, or shorten solver.timestep",
            body.name, jump, (i - 1) * h, 0.5 * size);
    before = now;
    now = next;
  }
}

}  // namespace limber
