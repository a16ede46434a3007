#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// Energies of one region as polynomials in q (reduced/quartic.hpp), for unit Lamé parameters; m^3.
struct StvkCoefficients {
  Vector lambda_energy;  ///< monomial_count(r)
  Vector mu_energy;      ///< monomial_count(r)
};

/// Exact coefficients of the reduced St. Venant-Kirchhoff energy, one pair per region of the mesh; laws and
/// parameters of the model's materials do not matter.  basis: dofs x r. [Barbic & James 2005, sections 4.2,
/// 6.5, Appendix B]
///
/// At a quadrature point the Green strain is linear in the products x_i x_j of x = (1, q), so that one
/// symmetric rank-k update over all points gives every coefficient: see the source and strain_columns.hpp.
/// Streams over the elements in chunks that stay in the cache. Memory: twice pair_count(1 + r)^2 doubles for
/// each share of the elements that a thread works on: 8, or fewer where that is more than 2 GiB.
/// Cost: 6 (tets) or 70 (bricks) times pair_count(1 + r)^2 flops per element.
/// The same bits for any number of threads.
std::vector<StvkCoefficients> compute_stvk_coefficients(const FullModel& model,
                                                        const Eigen::Ref<const Matrix>& basis,
                                                        const Progress& progress = {});

}  // namespace limber
