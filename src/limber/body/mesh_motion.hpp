#pragma once

#include "limber/base/error.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/motion.hpp"
#include "limber/full/full_springs.hpp"
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
class MeshMotion : public Motion {
 public:
  MeshMotion(const MeshMotion&) = delete;  // functions of its solvers refer to it
  MeshMotion& operator=(const MeshMotion&) = delete;

  [[nodiscard]] const std::vector<Material>& materials() const override { return model_->materials(); }
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const PointForce> forces) override;
  void set_timed_loads(const TimedLoads& loads) override;
  void set_velocity(const Vector3& velocity, const Vector3& angular) override;

  [[nodiscard]] Index unknowns() const override { return model_->dof_count(); }
  [[nodiscard]] BodyEnergy energy() const override;
  [[nodiscard]] double load_energy() const override;
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(const Point& point) const override;
  [[nodiscard]] Vector3 velocity(const Point& point) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] Index mesh_vertex_count() const override { return model_->mesh().vertex_count(); }
  [[nodiscard]] double smallest_volume_ratio() const override;

 protected:
  MeshMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials);

  /// After a change of loads, or of the damping.
  virtual void loads_changed() = 0;
  /// Moves on with these velocities of the unknowns, m/s.
  virtual void take_velocities(Vector v) = 0;
  [[nodiscard]] virtual Vector world_displacement() const = 0;  ///< of the unknowns, m
  [[nodiscard]] virtual double kinetic_energy() const = 0;      ///< J
  [[nodiscard]] virtual Matrix3X mesh_velocity() const;         ///< 3 x n, m/s
  // Of one vertex of the mesh.
  [[nodiscard]] virtual Vector3 vertex_displacement(int vertex) const = 0;
  [[nodiscard]] virtual Vector3 vertex_velocity(int vertex) const;

  [[nodiscard]] const std::string& name() const { return setup_->name; }
  [[nodiscard]] std::unique_ptr<FullModel> make_model(std::vector<Material> materials) const;
  /// Other materials, without what was made with the model there was.
  void adopt_model(std::unique_ptr<FullModel> model);
  /// Gives another motion of the same body the same loads.
  void hand_loads_to(MeshMotion& other) const;

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

 private:
  void compute_loads();
  void compute_timed_loads();
  [[nodiscard]] Vector constant_load(const Vector3& gravity, std::span<const PointForce> forces) const;
  [[nodiscard]] std::vector<Vector> timed_forces(const TimedLoads& loads) const;

  Vector3 gravity_ = Vector3::Zero();
  std::vector<PointForce> forces_;
  TimedLoads timed_;
  Vector constant_;                   ///< force of gravity and constant forces, N
  std::vector<Vector> timed_forces_;  ///< one per force by the time, N
  /// Force of a unit of acceleration along each axis, where some come by the time: it is linear in it.
  std::array<Vector, 3> along_;
};

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
