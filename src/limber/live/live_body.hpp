#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/reduced/picking.hpp"
#include "limber/reduced/reduced_model.hpp"
#include "limber/reduced/reduced_step_options.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/frame_motion.hpp"

#include <Eigen/Geometry>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace limber {

/// What pulls a vertex of the surface towards a point, as a hand or a haptic device does.
struct Pull {
  int vertex = -1;
  Vector3 target = Vector3::Zero();  ///< m
  double stiffness = 0.0;            ///< N/m; stiffness_at(vertex) times what a person chose is a good one

  bool operator==(const Pull&) const = default;
};

/// A vertex of the surface that is held by hand: dragged, twisted or both, as hard constraints.   [Choi & Ko
/// 2005, section V]
struct Handle {
  int vertex = -1;
  bool hold_position = true;
  bool hold_orientation = false;
  Vector3 position = Vector3::Zero();  ///< where the vertex shall be, m
  Eigen::Quaterniond rotation =
      Eigen::Quaterniond::Identity();  ///< how it shall be turned from rest, of unit length
};

/// What moves a body.
enum class Method {
  nonlinear,  ///< the reduced forces of the model
  /// The forces of the stiffness at rest, K(0) q: what sketching is done with [Barbic & James 2005, section
  /// 5.2]
  linear,
  warped,  ///< natural modes that are warped: what handles need                          [Choi & Ko 2005]
};

struct BodyEnergy {
  double elastic = 0.0;  ///< J, of the body; without the springs that pull at it
  double kinetic = 0.0;  ///< J
};

/// A body in someone's hands: a reduced model with its materials, state and loads, all of which may change
/// between two steps. This is what an engine embeds, and what the viewer runs in the browser. For one thread
/// at a time. After the first step, steps of the same length and kind allocate nothing, but for some small
/// matrices where there are handles.
///
/// Functions that throw Error leave the body as it was.
class LiveBody {
 public:
  /// At rest, with the materials that the model was made with. Throws Error as check_model() does.
  explicit LiveBody(ReducedModel model);
  ~LiveBody();
  LiveBody(LiveBody&&) noexcept;  ///< what is left may be assigned to and destroyed, no more
  LiveBody& operator=(LiveBody&&) noexcept;

  [[nodiscard]] const ReducedModel& model() const;
  [[nodiscard]] Index rank() const;  ///< r', coordinates in use: all of the model's at first

  // What it is made of.

  /// Costs 0.2 ms at r = 30, so that a slider may call it.
  void set_material(Index region, const Material& material);
  [[nodiscard]] const Material& material(Index region) const;
  void set_damping(const RayleighDamping& damping);  ///< none at first
  void set_rank(
      Index rank);  ///< 1 to model().rank. Coordinates that leave are lost, those that come start from 0
  /// Nonlinear at first. The body goes on from the same q and v; handles are let go, pulls dropped, and a
  /// frame that moved is at rest. `warped` needs a model with warp data. The method that it has already
  /// changes nothing.
  void set_method(Method method);
  [[nodiscard]] Method method() const;

  // What acts on it, until it is changed.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2; none at first
  /// A constant force on a vertex of the surface, N, in place of the one there; zero takes it away.
  void set_force(int vertex, const Vector3& force);
  void clear_forces();
  /// Springs, taken implicitly: as stiff as one likes, at any time step. The whole list is replaced. Not with
  /// warped modes, which take handles.
  void set_pulls(std::span<const Pull> pulls);
  [[nodiscard]] Vector3 pull_force(Index pull) const;  ///< N, with which the spring pulls now
  /// Stiffness with which the body at rest resists a force on this vertex, N/m: the mean over directions of
  /// the compliance U_v K(0)^-1 U_v^T, inverted. Infinity for a vertex that cannot move. Motions that K(0)
  /// does not resist, such as the rigid ones of a body that nothing holds, are left out: 0 for a vertex that
  /// moves in these alone.
  [[nodiscard]] double stiffness_at(int vertex) const;

  /// Vertices that are held from the next step on; warped modes only. The whole list is replaced: handles at
  /// the same vertices in the same order, of the same kinds, only move, which costs nothing; others cost a
  /// small factorisation at the next step. They are ideal constraints: they add no energy beside that of
  /// their own motion. Throws Error for a vertex that cannot move, one that is held twice, and quaternions
  /// that are not of unit length.
  void set_handles(std::span<const Handle> handles,
                   ConstraintPriority priority = ConstraintPriority::position);
  /// How well they were met in the last step; as if met before the first, and after reset().
  [[nodiscard]] const ConstraintReport& handle_report() const;
  /// How the frame moves that the body is attached to; warped modes only. Gravity and forces are in the axes
  /// of the frame.
  void set_frame_motion(const FrameMotion& motion);

  // Motion.

  /// Advances by h seconds; see step() in reduced_dynamics.hpp, or WarpedDynamics::step() for warped modes,
  /// which take the exact solution of each oscillator where the options ask for more than one iteration and
  /// Newmark's otherwise. On failure the state is left as it was.
  SolveReport step(double h, const ReducedStepOptions& options = {});
  void reset();  ///< at rest, in the rest shape, at time 0; materials and loads stay
  /// In coordinates of the model, whatever the method. The acceleration after a step of warped modes is the
  /// mean over it.
  [[nodiscard]] const DynamicState& state() const;
  /// q and v: r' each, finite. The acceleration is the one that balances the forces. The time goes on from
  /// where it was.
  void set_state(const Vector& q, const Vector& v);
  [[nodiscard]] BodyEnergy energy() const;
  /// Potential energy of gravity and forces, 0 at rest, J; of warped modes also that of the frame's motion.
  /// With that of the springs that pull, and with energy(), it is what never grows by itself.
  [[nodiscard]] double load_energy() const;

  /// How a vertex of the surface is turned from rest, as modal warping has it: O(r). The identity for the
  /// other methods.
  [[nodiscard]] Eigen::Quaterniond orientation(int vertex) const;
  /// Position of a vertex of the surface, m: O(r).
  [[nodiscard]] Vector3 position(int vertex) const;
  /// Positions of all vertices of the surface now. x: 3 x n.
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const;
  /// See pick_vertex(): on the surface as it is now.
  [[nodiscard]] std::optional<Pick> pick(const Vector3& origin, const Vector3& direction) const;

  // Natural vibrations about the rest shape, for the present materials and rank: computed when first asked
  // for, O(r^3).

  [[nodiscard]] const Vector& frequencies()
      const;  ///< Hz, ascending, r'; valid until the next change of these
  /// q of vibration i, scaled so that the vertex of the surface that moves farthest moves by 1 m.
  [[nodiscard]] Vector mode_shape(Index i) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace limber
