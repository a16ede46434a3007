#pragma once

#include "limber/body/body.hpp"
#include "limber/body/surface_loads.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber {

/// What a motion of a reduced model is computed with.
enum class MotionKind {
  coordinates,  ///< of one domain that is held as it was made
  modes,        ///< natural ones of such a domain
  frames,       ///< all else
};

MotionKind kind_of(Method method, const MotionSetup& setup, const BodyLoads& loads);
bool blows(const Wind& wind);
/// Whether a root stands where its part was made, with the vertices of that in their own order, too.
bool stands_as_made(const Domain& root);

/// What a body is made of: its settings and loads as they were given, and the motion that has them.
struct Body::Core {
  std::string name;
  std::shared_ptr<const BodySurface> surface;
  std::vector<int> domains;  ///< of the vertices of the surface, of a body without a model
  MotionSetup setup;         ///< of a body with a reduced model
  Method method = Method::reduced;
  BodyLoads loads;
  SurfaceLoads surface_loads;      ///< those of `loads`, as they are in the present shape
  std::unique_ptr<Motion> motion;  ///< has them, too

  // Memory of const functions and what these compute when first asked.
  Eigen::Matrix3Xf points, normals;
  std::shared_ptr<const NormalUpdater> normal_updater;
  std::optional<NaturalModes> natural;
  std::optional<NaturalModes> all_natural;  ///< of the whole basis
  std::optional<Vector> frequencies;

  explicit Core(std::shared_ptr<const Model> model);
  Core(std::string title, Method by, std::shared_ptr<const BodySurface> drawn, std::unique_ptr<Motion> moved);
  Core(const Core& other);

  [[nodiscard]] const Model& model() const;  ///< throws Error where there is none
  [[nodiscard]] bool single() const { return model().domain_count() == 1 && model().rank(0) > 0; }

  /// Throws Error for what the body cannot do as it is, by the table of method.hpp.
  void require_able(Ability ability) const;
  /// The same for loads of a body that moves by a method and may touch others.
  void check_touching(Method by, const BodyLoads& given) const;
  void check_steps(const ReducedStepOptions& options) const;

  // Throw Error for what the body does not have.
  void check_point(const Point& point) const;
  void check_part(Index part) const;
  void check_region(Index region, Index part) const;
  void check_domain(Index domain) const;
  /// But for what only its motion knows.
  void check_handles(std::span<const Handle> handles, ConstraintPriority priority,
                     std::span<const Point> exercised) const;

  /// Makes all that depends on these first; what comes then cannot fail.
  void adopt(Method next_method, MotionSetup next, BodyLoads next_loads);
  void adopt(MotionSetup next) { adopt(method, std::move(next), loads); }
  /// Whether the body goes on as it is with other loads; else it is made anew, with or without the frame of
  /// its root, as they ask for.
  bool stays_with(const BodyLoads& next);

  /// After a change of the shape: pressures are those of the new one. Returns whether that changes forces.
  bool follow_shape() { return surface_loads.follow() && follow_shape_now(); }
  /// The same without a change of the loads, after a state was taken back by `take`: what the motion had
  /// noted of that it has again.
  template <class Take>
  void take_back(const Take& take) {
    take();
    if (follow_shape()) take();
  }

  const NaturalModes& modes();      ///< of the rank that the body runs with
  const NaturalModes& all_modes();  ///< of the whole basis
  void forget_modes();              ///< and frequencies: of what changed

 private:
  [[nodiscard]] NaturalModes modes_of_rank(Index rank) const;
  bool follow_shape_now();
};

/// Throws Error for a handle at a point that cannot move.
void check_movable(std::span<const Handle> handles, const Motion& motion);

/// Hands forces on points to a motion, with those of tractions that always act, and then those of other loads
/// on the surface.
void hand_forces(std::span<const PointForce> forces, const SurfaceLoads& surface, Motion& motion);

}  // namespace limber
