#pragma once

#include "limber/body/loads.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <span>
#include <string>
#include <vector>

namespace limber {

class Motion;

/// Loads on pieces of a surface as forces on its vertices. A triangle with corners a, b and c under the
/// pressure p, and one of rest area A under the traction t, put on each of their corners
///
///   f = -p/6 (b - a) x (c - a),     f = A/3 t,
///
/// the first with corners where they are now. So a uniform pressure on a closed surface has neither force nor
/// torque. O(triangles), and the positions of their corners.
class SurfaceLoads {
 public:
  SurfaceLoads() = default;
  /// Pressures are those of the shape at rest. Throws Error, naming the body, for triangles that do not exist
  /// or are named twice in a load, for loads without triangles, and for numbers and times that are none.
  SurfaceLoads(const SurfaceMesh& surface, std::span<const SurfaceLoad> loads, const std::string& name);

  [[nodiscard]] bool follow() const { return follow_; }  ///< whether some of them follow the shape
  /// Of tractions that always act: such as do not change, whatever the shape and the time.
  [[nodiscard]] const std::vector<PointForce>& constant() const { return constant_; }
  /// Of all else, one for each time in which some act.
  [[nodiscard]] std::span<const SurfaceForces> forces() const { return forces_; }

  /// Makes pressures those of the shape that the body has now. Returns whether forces are others then.
  /// Allocates nothing after its first call but what the positions of the motion need.
  bool update(const Motion& motion);

 private:
  /// A triangle that a pressure acts on.
  struct Pushed {
    int a = 0, b = 0, c = 0;  ///< places of its corners among the vertices of its forces
    double pressure = 0.0;    ///< Pa
  };
  /// Of the forces with the same number.
  struct Group {
    std::vector<Pushed> pushed;
    Matrix3X tractions;  ///< what does not follow, 3 x vertices, N
    Matrix3X places;     ///< of the vertices when forces were last computed, 3 x vertices, m
    Matrix3X before;     ///< memory of update()
  };

  void compute(std::size_t i);

  bool follow_ = false;
  std::vector<PointForce> constant_;
  std::vector<SurfaceForces> forces_;
  std::vector<Group> groups_;
};

}  // namespace limber
