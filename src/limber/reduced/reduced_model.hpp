#pragma once

#include "limber/linalg/types.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/reduced/cubature.hpp"
#include "limber/reduced/warp_data.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Moments of a region and of its motions for 1 kg/m^3: what a body that is carried, or that flies, feels of
/// its frame. X: rest position, U_i: column i of the basis; 3 x 3 matrices are taken by columns.
/// [Barbic & Zhao 2011, Eq. 20-23]
struct RegionMoments {
  Vector3 first = Vector3::Zero();   ///< integral of X, m^4
  Matrix3 second = Matrix3::Zero();  ///< integral of X X^T, m^5
  Matrix second_rows;                ///< 9 x r: column i is the integral of U_i X^T, m^5 per unit of q
  Matrix second_pairs;  ///< 9 x r^2: column i + r j is the integral of U_i U_j^T, m^5 per unit of q squared
};

/// What one material region adds to the reduced equations, per unit of its parameters, so that these can be
/// changed at run time. [Barbic & James 2005, section 6.5]
struct ReducedRegion {
  Region region;
  Material material;    ///< as the model was made; with U from mass_pca, U^T M U = I for these densities
  double volume = 0.0;  ///< m^3
  /// monomials (quartic.hpp) of the energy for lambda = 1 Pa, mu = 0; m^3; none with cubature.
  Vector lambda_energy;
  Vector mu_energy;         ///< for lambda = 0, mu = 1 Pa; m^3; none with cubature
  Matrix mass;              ///< r x r, U^T M U for 1 kg/m^3
  Eigen::MatrixX3d weight;  ///< r x 3, reduced force of each unit acceleration for 1 kg/m^3
  RegionMoments moments;
};

/// What is drawn, and how it follows q: x + U q. Vertices and basis hold floats, as the model file does.
struct ReducedSurface {
  SurfaceMesh mesh;             ///< rest shape; every coordinate is a float
  std::vector<Vector3> colors;  ///< sRGB, one per part
  Eigen::MatrixXf basis;        ///< 3n x r, m per unit of q
};

/// The mesh that the model was made from.
struct SimulationMesh {
  VolumeMesh mesh;
  std::vector<int> fixed;  ///< vertices that do not move, ascending
  Matrix basis;            ///< 3n x r, zero rows for fixed vertices
  Embedding embedding;     ///< of the render vertices
};

/// A body whose displacement is u = U q: everything that run time needs. Its elastic forces are exact
/// polynomials (then it is of St. Venant-Kirchhoff material) or come from cubature.
/// Constant while it runs. Made by precompute/, kept in .glb files (io/model_file.hpp).
struct ReducedModel {
  std::string name;
  std::string description;  ///< how the basis was made, for people
  Index rank = 0;           ///< r
  std::vector<ReducedRegion> regions;
  std::optional<CubatureRule> cubature;  ///< none: exact forces
  ReducedSurface surface;
  std::optional<SimulationMesh> simulation;  ///< may be left out to keep the file small
  std::optional<WarpData> warp;              ///< none in files that know nothing of it

  [[nodiscard]] std::vector<Material> materials() const;  ///< of all regions
};

inline constexpr Index max_reduced_rank = 1000;  ///< the coefficients alone would fill 300 GiB

/// Throws Error unless all sizes agree, numbers are finite, indices in range, the materials possible and the
/// mass positive definite. `where` names the model in the message, e.g. its file. least_rank: 0 where it may
/// be rigid, as a domain of a tree may.
void check_model(const ReducedModel& model, std::string_view where, Index least_rank = 1);

}  // namespace limber
