#pragma once

#include "limber/body/loads.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/reduced/reduced_step_options.hpp"

#include <memory>
#include <span>
#include <vector>

namespace limber {

/// J, of the body; without the springs that pull at it.
struct BodyEnergy {
  double elastic = 0.0;
  double kinetic = 0.0;
};

/// What a motion is made from. Bodies of one model share the first two.
struct MotionSetup {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const TreeSurface> surface;
  std::vector<PartSettings> settings;  ///< of the parts
  std::vector<double> stiffness;       ///< of each domain, a factor of its elastic forces
  SubtreeInertia inertia = SubtreeInertia::full;
  RayleighDamping damping;
};

/// What a method implements for a body: how it takes loads, steps, and where its points are. Body sees to it
/// that nothing is asked for that the method cannot do (method.hpp), and that vertices and numbers are good.
///
/// Vertices are those of the surface, places and forces in the world. Lists of loads are replaced whole. What
/// throws Error leaves the motion as it was.
class Motion {
 public:
  virtual ~Motion() = default;
  /// A copy, which shares what is constant.
  [[nodiscard]] virtual std::unique_ptr<Motion> copy() const = 0;

  virtual void set_damping(const RayleighDamping& damping) = 0;
  /// Whether it goes on with another factor for a domain; else a new motion is made.
  virtual bool set_stiffness(Index /*domain*/, double /*factor*/) { return false; }
  virtual void set_inertia(SubtreeInertia /*inertia*/) {}  ///< of subtrees, which others do not have
  virtual void set_gravity(const Vector3& acceleration) = 0;
  virtual void set_forces(std::span<const VertexForce> forces) = 0;
  virtual void set_springs(std::span<const Spring> springs);
  virtual void set_handles(std::span<const Handle> handles, ConstraintPriority priority);
  virtual void set_wind(const Wind& wind);
  virtual void set_support(const PoseFunction& motion);
  /// The same for all of these, in a motion that is new.
  void take(const BodyLoads& loads);

  virtual SolveReport step(double h, const ReducedStepOptions& options) = 0;
  [[nodiscard]] virtual double time() const = 0;      ///< s
  [[nodiscard]] virtual const Vector& q() const = 0;  ///< coordinates in use, of one domain after the other
  [[nodiscard]] virtual const Vector& v() const = 0;  ///< their velocities
  /// With accelerations where they are known.
  [[nodiscard]] virtual TreeState state() const = 0;
  /// keep: the accelerations given are those of the motion; else they become the ones that balance the
  /// forces. Throws Error for forces that are not finite there.
  enum class Accelerations { keep, balance };
  virtual void set_state(const TreeState& state, Accelerations accelerations) = 0;
  virtual void reset() = 0;  ///< at rest, at time 0
  virtual void save(StateWriter& out) const = 0;
  virtual void restore(StateReader& in) = 0;

  [[nodiscard]] virtual BodyEnergy energy() const = 0;
  [[nodiscard]] virtual double load_energy() const = 0;  ///< of gravity and forces, 0 at rest, J
  [[nodiscard]] virtual TreeMomentum momentum() const = 0;
  [[nodiscard]] virtual Vector3 position(int vertex) const = 0;  ///< m
  [[nodiscard]] virtual Vector3 velocity(int vertex) const = 0;  ///< m/s
  [[nodiscard]] virtual Eigen::Quaterniond orientation(int vertex) const = 0;
  virtual void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const = 0;
  /// How well handles were met in the last step.
  [[nodiscard]] virtual ConstraintReport handle_report() const { return {}; }
  /// The frames of its domains; none where they do not move.
  [[nodiscard]] virtual const TreeDynamics* tree() const { return nullptr; }

 protected:
  Motion() = default;
  Motion(const Motion&) = default;
  Motion& operator=(const Motion&) = default;
};

}  // namespace limber
