#pragma once

#include "limber/live/live_body.hpp"
#include "limber/live/warped_body.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "limber/warp/warped_surface.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace limber {

/// What a person may change of the equations of motion.
struct Choice {
  std::vector<Material> materials;  ///< one per region
  Index rank = 0;
  Method method = Method::nonlinear;
  RayleighDamping damping;
};

struct LiveBody::Parts {
  ReducedModel model;
  Choice choice;
  std::shared_ptr<const ReducedEquations> equations;  ///< to which the system keeps a reference
  ReducedWorkspace work;
  DynamicState state;

  Vector3 gravity = Vector3::Zero();
  std::vector<VertexForce> forces;  ///< none is zero
  std::vector<Pull> pulls;
  Vector load;  ///< r', of gravity and forces

  std::unique_ptr<WarpedBody> warped;  ///< which moves it where the method is that, else none
  FrameMotion frame;
  ConstraintReport handle_report;

  Reconstruction<float> reconstruction;
  Eigen::Matrix3Xf rest;                        ///< 3 x n, m
  std::optional<WarpedSurface> warped_surface;  ///< from the first use of the method on

  // Memory of const functions and what these compute when first asked.
  ElasticWorkspace elastic;
  Vector product;
  Eigen::VectorXf coordinates;
  Eigen::Matrix3Xf surface;
  Matrix3X points;
  std::optional<NaturalModes> natural;  ///< of the equations

  explicit Parts(ReducedModel given);

  void check_vertex(int vertex) const;
  void check_region(Index region) const;

  [[nodiscard]] Matrix3X rows(int vertex, Index rank) const;  ///< U at a vertex, 3 x rank
  [[nodiscard]] Vector3 rotation(int vertex) const;           ///< rotation vector, rad; of warped modes
  [[nodiscard]] Vector3 displacement(int vertex) const;       ///< m

  [[nodiscard]] std::vector<ReducedSpring> springs(std::span<const Pull> list, Index rank) const;
  [[nodiscard]] Vector load_of(const ReducedEquations& of, const Vector3& acceleration,
                               const std::vector<VertexForce>& at) const;
  [[nodiscard]] std::unique_ptr<WarpedBody> warped_for(const Choice& next, const ReducedEquations& of,
                                                       const DynamicState& from) const;
  void adopt(Choice next, std::shared_ptr<const ReducedEquations> of);
  void adopt(Choice next);
  void take_forces(std::vector<VertexForce> next);
  void go_to(DynamicState next);
  SolveReport step_warped(double h, bool exact);
  const NaturalModes& modes();
  void update_surface(Eigen::Ref<Eigen::Matrix3Xf> x);
};

}  // namespace limber
