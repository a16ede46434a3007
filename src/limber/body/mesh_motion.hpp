#pragma once

#include "limber/base/error.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/motion.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/full_springs.hpp"
#include "limber/full/full_wind.hpp"
#include "limber/full/moving_support.hpp"
#include "limber/mesh/embedding.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace limber {

/// How the points of a body follow its mesh.
class MeshPoints {
 public:
  explicit MeshPoints(std::shared_ptr<const MeshBodySetup> setup);

  [[nodiscard]] Vector3 rest(const Point& point) const;  ///< m
  [[nodiscard]] MeshPlace place(const Point& point) const;
  /// Calls take(vertex, weight) for the vertices of the mesh that carry a point.
  template <class Take>
  void for_each_vertex(const Point& point, const Take& take) const;
  [[nodiscard]] const Matrix3X& surface() const { return surface_; }  ///< at rest, 3 x vertices, m
  /// Displacements of the surface from those of the mesh, 3 x vertices each.
  [[nodiscard]] Matrix3X on_surface(const Matrix3X& of_mesh) const;

 private:
  [[nodiscard]] const Embedding& embedding() const;

  std::shared_ptr<const MeshBodySetup> setup_;
  Matrix3X surface_;
  std::vector<int> boundary_;  ///< vertices of the mesh that are the surface; none: that is embedded
  mutable std::shared_ptr<const Embedding> embedding_;  ///< made when first needed
};

template <class Take>
void MeshPoints::for_each_vertex(const Point& point, const Take& take) const {
  if (point.of == Point::Of::mesh) return take(point.vertex, 1.0);
  if (!boundary_.empty()) return take(boundary_[static_cast<std::size_t>(point.vertex)], 1.0);
  const Embedding& bound = embedding();
  for (Index a = 0; a < bound.weights.rows(); ++a)
    take(bound.vertices(a, point.vertex), bound.weights(a, point.vertex));
}

/// The surface that the body is drawn by.
std::shared_ptr<const BodySurface> surface_of(const MeshBodySetup& setup);

/// Time as a number of steps: a sum of them would drift away from times that are their multiples.
class StepClock {
 public:
  [[nodiscard]] double time() const { return time_; }  ///< s
  void set(double time);
  void aim(double h);  ///< before a step of h seconds: what follows is of that
  [[nodiscard]] double begin() const { return from_ + static_cast<double>(steps_) * h_; }
  [[nodiscard]] double end() const { return from_ + static_cast<double>(steps_ + 1) * h_; }
  void advance();  ///< it was taken

  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  double from_ = 0.0, h_ = 0.0, time_ = 0.0;
  std::int64_t steps_ = 0;
};

/// What the motions of bodies that are computed with their mesh have in common: its model, what acts on that,
/// and where it is. Unknowns are displacements of the vertices that are free; of quasistatic bodies those in
/// the rest pose, from where their maps carry them.
///
/// Springs, handles, wind and supports that move are those of FullDynamics, and quasistatic bodies take none;
/// equilibria take all of them, air as it pushes at a body that rests. A support that is set carries the
/// whole body to where it has it at that time.
class MeshMotion : public Motion {
 public:
  MeshMotion(const MeshMotion&) = delete;  // functions of its solvers refer to it
  MeshMotion& operator=(const MeshMotion&) = delete;

  [[nodiscard]] const std::vector<Material>& materials() const override { return model_->materials(); }
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const PointForce> forces) override;
  void set_timed_loads(const TimedLoads& loads) override;
  void set_surface_forces(std::span<const SurfaceForces> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                   std::span<const Point> exercised) override;
  void set_wind(const Wind& wind) override;
  void set_support(const PoseFunction& motion) override;
  StepReport solve_static(const EquilibriumOptions& options) override;
  void set_velocity(const Vector3& velocity, const Vector3& angular) override;

  [[nodiscard]] Index unknowns() const override { return model_->dof_count(); }
  [[nodiscard]] BodyEnergy energy() const override;
  [[nodiscard]] double load_energy() const override;
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(const Point& point) const override;
  [[nodiscard]] Vector3 velocity(const Point& point) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const override;
  void point_rows(const Point& point, PointRows& result) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  void positions_of(std::span<const int> vertices, Matrix3X& x) const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] Index mesh_vertex_count() const override { return model_->mesh().vertex_count(); }
  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] const VolumeMesh* volume_mesh() const override { return &setup_->mesh; }
  [[nodiscard]] double smallest_volume_ratio() const override;
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }

 protected:
  MeshMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials);

  /// Supports of the model at rest for as long as it lives: what is made from the model sees it so.
  class AtRest {
   public:
    explicit AtRest(MeshMotion& motion);
    ~AtRest();
    AtRest(const AtRest&) = delete;
    AtRest& operator=(const AtRest&) = delete;

   private:
    MeshMotion& motion_;
    Eigen::Isometry3d pose_ = Eigen::Isometry3d::Identity();
  };

  /// After a change of loads, or of the damping.
  virtual void loads_changed() = 0;
  // After a change of the one or the other.
  virtual void springs_changed() = 0;
  virtual void handles_changed(bool led) = 0;  ///< led: they only move on
  virtual void air_changed() = 0;
  /// Another support, or none, has carried the body along by `way`.
  virtual void support_changed(const Eigen::Isometry3d& way) = 0;
  /// Rests there from now on, at the same time.  u: unknowns, m.
  virtual void rest_at(Vector u) = 0;
  /// Of a quasistatic body, as they are now; none of others.
  [[nodiscard]] virtual const VertexMaps* maps() const = 0;
  /// Moves on with these velocities of the unknowns, m/s.
  virtual void take_velocities(Vector v) = 0;
  [[nodiscard]] virtual double moving_energy() const = 0;  ///< kinetic, of the unknowns, J

  [[nodiscard]] Vector world_displacement() const;  ///< of the unknowns, m
  [[nodiscard]] double kinetic_energy() const;      ///< J
  [[nodiscard]] Matrix3X mesh_velocity() const;     ///< 3 x n, m/s
  // Of one vertex of the mesh.
  [[nodiscard]] Vector3 vertex_displacement(int vertex) const;
  [[nodiscard]] Vector3 vertex_velocity(int vertex) const;
  /// How a free vertex moves with its unknowns; none: as they say.
  [[nodiscard]] virtual const Matrix3* vertex_map(int /*vertex*/) const { return nullptr; }

  [[nodiscard]] const std::string& name() const { return setup_->name; }
  [[nodiscard]] bool quasistatic() const { return setup_->quasistatic; }
  [[nodiscard]] std::unique_ptr<FullModel> make_model(std::vector<Material> materials) const;
  /// The model with another material.
  [[nodiscard]] std::unique_ptr<FullModel> model_with(Index region, const Material& material) const;
  /// Other materials, without what was made with the model there was: all of that is gone by now. Supports
  /// stand where they stood.
  void adopt_model(std::unique_ptr<FullModel> model);
  /// Gives another motion of the same body the same loads.
  void hand_loads_to(MeshMotion& other) const;

  [[nodiscard]] std::vector<FullSpring> full_springs() const;
  [[nodiscard]] std::vector<FullHandle> full_handles() const;
  [[nodiscard]] FullAir air() const;
  void look_at_handles();  ///< after a step: how far they are from where they should be
  [[nodiscard]] bool has_springs() const { return !springs_.empty(); }
  [[nodiscard]] bool has_handles() const { return !handles_.empty(); }
  [[nodiscard]] bool has_wind() const { return !(wind_ == Wind{}); }
  /// Gives dynamics that were just made all of these, and what they go on from.
  template <class Dynamics>
  void burden(Dynamics& dynamics, const DynamicState& state, bool started,
              const FullDynamics::Memory& memory) const;
  [[nodiscard]] Eigen::Isometry3d support_pose_at(double time) const;
  void require_dynamic(bool nothing, Ability ability) const;

  // For solvers, which keep them; they keep a reference to this motion.
  [[nodiscard]] LoadFunction load_function() const;
  [[nodiscard]] std::function<VertexMaps(double)> map_function() const;
  /// Of equilibria over time.
  [[nodiscard]] StaticOptions quasistatic_options() const;
  [[nodiscard]] DynamicsOptions dynamics_options(const ReducedStepOptions& options) const;

  /// Mean force on the unknowns from t0 to t1 (at t0 where they are equal), N.
  void load(double t0, double t1, Vector& f) const;
  /// Throws Error for a time that is none.
  static void check_step(double h);
  /// Of a state that is set. Throws Error where forces are not finite.
  [[nodiscard]] DynamicState taken_state(const TreeState& state, Accelerations accelerations) const;

  std::shared_ptr<const MeshBodySetup> setup_;
  std::unique_ptr<FullModel> model_;
  MeshPoints points_;
  RayleighDamping damping_;
  ConstraintReport report_;                 ///< of the handles
  std::shared_ptr<MovingSupport> support_;  ///< none: it stands still
  /// Before the first step, s.
  static constexpr double usual_support_h = 1e-3;
  /// Of the last step, s: what velocities of the support are differences over.
  double support_h_ = usual_support_h;

 private:
  void make_statics(const EquilibriumOptions& options);
  [[nodiscard]] std::vector<FullSpring> static_springs() const;
  [[nodiscard]] RigidVelocity support_velocity() const;
  void compute_loads();
  void compute_timed_loads();
  void compute_surface_loads();
  [[nodiscard]] Vector constant_load(const Vector3& gravity, std::span<const PointForce> forces) const;
  [[nodiscard]] std::vector<Vector> timed_forces(const TimedLoads& loads) const;

  Vector3 gravity_ = Vector3::Zero();
  std::vector<PointForce> forces_;
  TimedLoads timed_;
  Vector constant_;                   ///< force of gravity and constant forces, N
  std::vector<Vector> timed_forces_;  ///< one per force by the time, N
  std::vector<SurfaceForces> surface_;
  std::vector<Vector> surface_loads_;  ///< one each, N
  /// Force of a unit of acceleration along each axis, where some come by the time: it is linear in it.
  std::array<Vector, 3> along_;
  std::vector<Spring> springs_;
  std::vector<Handle> handles_;
  Wind wind_;
  PoseFunction support_motion_;
  std::unique_ptr<StaticSolver> statics_;
  StaticOptions static_options_;  ///< of these
};

template <class Dynamics>
void MeshMotion::burden(Dynamics& dynamics, const DynamicState& state, bool started,
                        const FullDynamics::Memory& memory) const {
  if (!springs_.empty()) dynamics.set_springs(full_springs());
  if (!handles_.empty()) dynamics.set_handles(full_handles());
  if (support_) dynamics.set_support(support_);
  if (!(wind_ == Wind{})) dynamics.set_air(air());
  dynamics.resume(state, started);
  dynamics.set_memory(memory);
  // Where the wind has stopped since the last step, its drag is to be forgotten.
  if (wind_ == Wind{} && memory.wake.drag.size() > 0) dynamics.set_air({});
}

/// Vectors on vertices, one after the other, that something rigid has turned.
Vector turned(const Eigen::Isometry3d& way, const Vector& x);
/// A state that something rigid has carried along, with the body's places at rest X.
DynamicState carried(const Eigen::Isometry3d& way, const Vector& X, DynamicState state);

/// A state at rest: displacements u.
DynamicState state_at_rest(double time, Vector u);
TreeState tree_state_of(const DynamicState& state);
StepReport step_report_of(const StaticReport& solved);

/// What `make` returns, its errors with the name of the body.
template <class Make>
auto naming(const std::string& name, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error("{}: {}", name, error.what());
  }
}

}  // namespace limber
