#include "limber/warp/warp_distortion.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

WarpDistortion warp_distortion(const ReducedModel& model, const Vector& q) {
  require(model.warp.has_value(), "{}: the model has no warp data", model.name);
  const ReducedSurface& surface = model.surface;
  const Matrix3X& x = surface.mesh.vertices;
  static const Eigen::MatrixXf none;
  const Matrix3X linear = warped_field(surface.basis, none, q);
  const Matrix3X warped = warped_field(surface.basis, model.warp->surface_rotations, q);
  const Matrix3X turns = warped_field(model.warp->surface_rotations, none, q);
  WarpDistortion result;
  if (turns.cols() > 0) result.rotation = std::sqrt(turns.colwise().squaredNorm().maxCoeff());
  for (Index t = 0; t < surface.mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = surface.mesh.triangles(k, t), b = surface.mesh.triangles((k + 1) % 3, t);
      const Vector3 rest = x.col(b) - x.col(a);
      const double length = rest.squaredNorm();
      if (!(length > 0.0)) continue;
      const Vector3 stretched = linear.col(b) - linear.col(a);
      const double strain = stretched.dot(rest) / length;
      const double now = (rest + warped.col(b) - warped.col(a)).norm() / std::sqrt(length);
      result.length = std::max(result.length, std::abs(now - (1.0 + strain)));
    }
  }
  return result;
}

}  // namespace limber
