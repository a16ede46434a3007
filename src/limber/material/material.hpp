#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/small.hpp"
#include "limber/material/arruda_boyce.hpp"
#include "limber/material/corotational.hpp"
#include "limber/material/elastic_moduli.hpp"
#include "limber/material/linear.hpp"
#include "limber/material/mooney_rivlin.hpp"
#include "limber/material/neo_hookean.hpp"
#include "limber/material/stvk.hpp"

#include <array>
#include <string_view>
#include <variant>

namespace limber {

/// How a material stores energy when deformed: psi(F), J/m^3, of the deformation gradient F = I + grad u.
/// Every law has psi(I) = 0, no stress at rest, and the same response to small strain for the same Lamé
/// parameters.
using MaterialLaw = std::variant<Linear, Corotational, Stvk, NeoHookean, MooneyRivlin, ArrudaBoyce>;

struct Material {
  MaterialLaw law;
  double density = 1000.0;  ///< kg/m^3
};

/// What names a law in scene files and on the command line.
inline constexpr std::array<std::string_view, 6> material_names{
    "linear", "corotational", "stvk", "neo-hookean", "mooney-rivlin", "arruda-boyce"};
std::string_view name_of(const MaterialLaw& law);

/// Further constants of the laws that have some.
struct MaterialConstants {
  double mooney_share = 0.2;     ///< c01 / (c10 + c01), in [0, 1]
  double locking_stretch = 2.5;  ///< Arruda-Boyce: the stretch at which the chains lock, > 1

  bool operator==(const MaterialConstants&) const = default;
};

/// What a law was made from: it is make_law(name_of(law), lame_of(law), constants_of(law)). Constants that
/// the law has not are the defaults.
LameParameters lame_of(const MaterialLaw& law);
MaterialConstants constants_of(const MaterialLaw& law);

/// The law of that name. Throws Error for an unknown name (naming the nearest) or constants out of range.
MaterialLaw make_law(std::string_view name, const LameParameters& lame,
                     const MaterialConstants& constants = {});

/// Throws Error unless the density is positive and finite.
void check_density(double density);

/// Throws Error unless the density is so, and the law has parameters that make_law would take.
void check_material(const Material& material);

/// Whether two materials are of the same law with the same numbers, to the bit.
bool operator==(const Material& a, const Material& b);

// The triplet psi, P = d psi / d F, A = d P / d F, and the derivative of A along dF, at one deformation
// gradient.

double energy_density(const MaterialLaw& law, const Matrix3& F);  ///< J/m^3
Matrix3 stress(const MaterialLaw& law, const Matrix3& F);         ///< P, Pa
Eigen::Matrix<double, 9, 9> stress_derivative(const MaterialLaw& law,
                                              const Matrix3& F);  ///< A, symmetric, Pa
Eigen::Matrix<double, 9, 9> stress_second_derivative(const MaterialLaw& law, const Matrix3& F,
                                                     const Matrix3& dF);

/// A with its negative eigenvalues set to zero: the stiffness of a Newton step that always descends.
/// In the frames of F's singular value decomposition A falls into one 3 x 3 and three 2 x 2 blocks, for every
/// isotropic law; these are clamped and turned back.     [Teran et al. 2005; Smith, De Goes & Kim 2019]
Eigen::Matrix<double, 9, 9> projected_stress_derivative(const MaterialLaw& law, const Matrix3& F);

// The same for eight deformation gradients at once: what the finite elements call.

void energy_density(const MaterialLaw& law, const Mat3<Packet>& F, Packet& energy);
Mat3<Packet> stress(const MaterialLaw& law, const Mat3<Packet>& F);
void stress_derivative(const MaterialLaw& law, const Mat3<Packet>& F, Mat9<Packet>& A);
void stress_second_derivative(const MaterialLaw& law, const Mat3<Packet>& F, const Mat3<Packet>& dF,
                              Mat9<Packet>& dA);
void projected_stress_derivative(const MaterialLaw& law, const Mat3<Packet>& F, Mat9<Packet>& A);

}  // namespace limber
