#pragma once

#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

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
};

struct BodyEnergy {
  double elastic = 0.0;  ///< J, of the body; without the springs that pull at it
  double kinetic = 0.0;  ///< J
};

/// A body in someone's hands: a reduced model with its materials, state and loads, all of which may change between two steps.
/// This is what an engine embeds, and what the viewer runs in the browser. For one thread at a time. After the first
/// step, steps allocate nothing.
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
  /// The forces of the stiffness at rest, K(0) q, instead of the nonlinear ones: what sketching is done with.
  ///                                                                    [Barbic & James 2005, section 5.2]
  void set_linear(bool linear);

  // What acts on it, until it is changed.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2; none at first
  /// A constant force on a vertex of the surface, N, in place of the one there; zero takes it away.
  void set_force(int vertex, const Vector3& force);
  void clear_forces();
  /// Springs, taken implicitly: as stiff as one likes, at any time step. The whole list is replaced.
  void set_pulls(std::span<const Pull> pulls);
  [[nodiscard]] Vector3 pull_force(Index pull) const;  ///< N, with which the spring pulls now
  /// Stiffness with which the body at rest resists a force on this vertex, N/m: the mean over directions of the compliance
  /// U_v K(0)^-1 U_v^T, inverted. Infinity for a vertex that cannot move. Motions that K(0) does not resist, such as the
  /// rigid ones of a body that nothing holds, are left out: 0 for a vertex that moves in these alone.
  [[nodiscard]] double stiffness_at(int vertex) const;

  // Motion.

  /// Advances by h seconds; see step() in reduced_dynamics.hpp. On failure the state is left as it was.
  SolveReport step(double h, const ReducedStepOptions& options = {});
  void reset();  ///< at rest, in the rest shape, at time 0; materials and loads stay
  [[nodiscard]] const DynamicState& state() const;
  /// q and v: r' each, finite. The acceleration is the one that balances the forces. The time goes on from where it was.
  void set_state(const Vector& q, const Vector& v);
  [[nodiscard]] BodyEnergy energy() const;

  /// Position of a vertex of the surface, m: O(r).
  [[nodiscard]] Vector3 position(int vertex) const;
  /// Positions of all vertices of the surface now. x: 3 x n.
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const;
  /// See pick_vertex(): on the surface as it is now.
  [[nodiscard]] std::optional<Pick> pick(const Vector3& origin, const Vector3& direction) const;

  // Natural vibrations about the rest shape, for the present materials and rank: computed when first asked for, O(r^3).

  [[nodiscard]] const Vector& frequencies()
      const;  ///< Hz, ascending, r'; valid until the next change of these
  /// q of vibration i, scaled so that the vertex of the surface that moves farthest moves by 1 m.
  [[nodiscard]] Vector mode_shape(Index i) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace limber
