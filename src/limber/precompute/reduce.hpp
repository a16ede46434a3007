#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/sketch.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/precompute/train_cubature.hpp"
#include "limber/reduced/reduced_model.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber {

/// What stands for a body's small vibrations.
enum class ModeKind {
  modal,  ///< its natural modes, by an eigensolver                        [Barbic & James 2005]
  /// Linear inertia modes, by a few solves; then rotated to what comes nearest to modes [Yang et al. 2015]
  inertia,
};

inline constexpr std::array<std::string_view, 2> mode_kind_words{"modal", "inertia"};

/// How many vectors become few.
enum class Condensation {
  pca,     ///< mass-PCA: the directions that matter most
  random,  ///< random projection: faster, without that guarantee  [Yang et al. 2015, section 4.3.2]
};

inline constexpr std::array<std::string_view, 2> condensation_words{"pca", "random"};

/// What a subspace is made of. Several sources are mixed, each scaled to the same largest length.
struct BasisSettings {
  ModeKind kind = ModeKind::modal;
  int modes = 20;  ///< linear modes at most, without rigid motions; fewer where the body has fewer; 0: none
  int order = 1;   ///< of their derivatives along each other: 0 none, 1 first, ...
  Orthogonalization orthogonalization = Orthogonalization::full;  ///< of inertia modes
  std::vector<Matrix3X> snapshots;  ///< displacement fields, one column per vertex of the mesh
  std::vector<SketchForce> sketch;  ///< recorded forces, whose shapes full statics finds
  SketchOptions sketching{};
  /// Coordinates, of the rank, that are kept for static responses to pressure on the surface, so that the
  /// body dents where it is touched; 0: none.
  int contact = 0;
  std::vector<int> contact_vertices;  ///< of the mesh, where it is going to be touched; none: everywhere
  Condensation condense = Condensation::pca;
  int rank = 30;  ///< r at most; fewer where the sources span less
  bool check =
      true;  ///< find out how well the true modes are captured, which takes an eigensolver for inertia modes
  std::uint64_t seed = 1;  ///< of random projection
};

/// A good number of coordinates for contact: a third of the rank, rounded.
constexpr int contact_share(int rank) { return (rank + 1) / 3; }

/// How elastic forces are computed in the subspace.
enum class ForceKind {
  automatic,       ///< exact where all materials are St. Venant-Kirchhoff, else cubature
  exact,           ///< polynomials; St. Venant-Kirchhoff only
  cubature,        ///< optimized cubature
  modal_cubature,  ///< modal cubature
};

inline constexpr std::array<std::string_view, 4> force_kind_words{"auto", "exact", "cubature",
                                                                  "modal-cubature"};

/// Throws Error for any other word, naming the nearest.
ForceKind parse_force_kind(std::string_view word);
std::string_view name_of(ForceKind kind);

/// What a model has: never `automatic`.
ForceKind forces_of(const ReducedModel& model);
ForceKind forces_of(const CubatureRule& rule);
/// motion, gaussian, given. Throws Error for any other word.
PoseSource parse_pose_source(std::string_view word);

struct ReduceOptions {
  BasisSettings basis{};
  ForceKind forces = ForceKind::automatic;
  CubatureSettings cubature{};  ///< where forces are not exact; its kind follows from them
  std::vector<Matrix3X>
      training_snapshots;  ///< displacement fields to train cubature with, one column per vertex
  bool keep_simulation_mesh = true;
  Index lumps = default_lumps;  ///< of modal warping; see make_warp_data()
  Progress progress{};
};

/// How well a subspace holds a body's own modes.
struct ModeCheck {
  Vector frequencies_hz;  ///< of the true modes, without rigid ones
  Vector angles;          ///< between each of them and the subspace, radians
  double seconds = 0.0;   ///< spent on it, not in the stages
};

/// What a subspace knows of touch: the share of the true compliance that pressures on patches of the surface
/// meet in it, in the mean over these patches.
struct ContactCheck {
  Index patches = 0;     ///< 0: nobody asked for it
  Index directions = 0;  ///< coordinates that are kept for contact
  double before = 0.0;   ///< with a basis of the same rank that keeps none
  double after = 0.0;
};

/// What was done, and how long each stage took.
struct ReduceReport {
  Index modes = 0;         ///< linear modes found
  Vector frequencies_hz;   ///< of the linear modes (or of those nearest to them)
  Index rigid_modes = 0;   ///< motions without strain, which the model leaves out
  Index samples = 0;       ///< vectors that the basis was condensed from
  Vector singular_values;  ///< of all samples, descending; mass-PCA only
  SketchShapes sketch;     ///< counts; its shapes are taken away
  ContactCheck contact{};
  double modes_orthonormality = 0.0;              ///< of the linear modes, largest entry of |X^T M X - I|
  double orthonormality = 0.0;                    ///< of the basis, largest entry of |U^T M U - I|
  double missed = 0.0;                            ///< share of the samples that the basis does not hold
  ReducedGramSchmidtReport reduced_gram_schmidt;  ///< where inertia modes used it
  std::optional<ModeCheck> check;
  std::optional<CubatureResult> cubature;              ///< its rule is taken away
  std::vector<std::pair<std::string, double>> stages;  ///< seconds, in their order
};

/// A subspace for the motion of a body, dofs x r, mass-orthonormal.
/// Throws Error when the settings name no source or the modes are not found.
Matrix compute_basis(const FullModel& model, const BasisSettings& settings, ReduceReport& report,
                     const Progress& progress = {});

/// From a mesh to a body that moves in real time: basis, forces, surface. [Barbic & James 2005; Yang et al.
/// 2015] surface, colors: as for build_reduced_model.
ReducedModel reduce(const FullModel& model, const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                    const ReduceOptions& options, ReduceReport& report);

}  // namespace limber
