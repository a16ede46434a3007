#include "limber/material/material.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/linalg/svd3.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <cmath>

namespace limber {
namespace {

/// Eight singular value decompositions, lane by lane.
struct PacketSvd {
  Mat3<Packet> U, V;
  Mat3<Packet> sigma;  ///< diagonal
};

PacketSvd packet_svd(const Mat3<Packet>& F) {
  PacketSvd result;
  for (int lane = 0; lane < packet_size; ++lane) {
    Matrix3 one;
    for (int i = 0; i < 9; ++i) one(i) = F.entry[i][lane];
    const RotationSvd svd = rotation_svd(one);
    for (int i = 0; i < 9; ++i) {
      result.U.entry[i][lane] = svd.U(i);
      result.V.entry[i][lane] = svd.V(i);
    }
    for (int i = 0; i < 3; ++i) result.sigma(i, i)[lane] = svd.sigma(i);
  }
  return result;
}

/// Eigenvalues, clamped at zero, and eigenvectors (as columns) of eight symmetric 3 x 3 matrices.
struct ClampedEigen {
  Packet value[3];
  Mat3<Packet> vector;
};

ClampedEigen clamped_eigen(const Mat3<Packet>& A) {
  ClampedEigen result;
  for (int lane = 0; lane < packet_size; ++lane) {
    Matrix3 one;
    for (int i = 0; i < 9; ++i) one(i) = A.entry[i][lane];
    const SymmetricEigen3 eigen = symmetric_eigen3(one);
    for (int i = 0; i < 3; ++i) result.value[i][lane] = max(eigen.values(i), 0.0);
    for (int i = 0; i < 9; ++i) result.vector.entry[i][lane] = eigen.vectors(i);
  }
  return result;
}

/// A += value E (x) E.
void add_mode(Packet value, const Mat3<Packet>& E, Mat9<Packet>& A) {
  for (int c = 0; c < 9; ++c) {
    const Packet scaled = value * E.entry[c];
    for (int r = 0; r < 9; ++r) A(r, c) += scaled * E.entry[r];
  }
}

Mat3<Packet> outer_columns(const Mat3<Packet>& U, int i, const Mat3<Packet>& V, int j) {
  Mat3<Packet> E;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) E(r, c) = U(r, i) * V(c, j);
  return E;
}

/// A deformation gradient in every lane, for the functions of one matrix.
Mat3<Packet> spread(const Matrix3& F) {
  Mat3<Packet> result;
  for (int i = 0; i < 9; ++i) result.entry[i] = broadcast(F(i));
  return result;
}

Eigen::Matrix<double, 9, 9> first_lane(const Mat9<Packet>& A) {
  Eigen::Matrix<double, 9, 9> result;
  for (int i = 0; i < 81; ++i) result(i) = A.entry[i][0];
  return result;
}

}  // namespace

std::string_view name_of(const MaterialLaw& law) { return material_names[law.index()]; }

MaterialLaw make_law(std::string_view name, const LameParameters& lame, const MaterialConstants& constants) {
  check_lame(lame);
  if (name == "linear") return Linear{lame};
  if (name == "corotational") return Corotational{lame};
  if (name == "stvk") return Stvk{lame};
  if (name == "neo-hookean") return NeoHookean(lame);
  if (name == "mooney-rivlin") {
    require(constants.mooney_share >= 0.0 && constants.mooney_share <= 1.0,
            "the Mooney-Rivlin share is {}, expected a number from 0 to 1", constants.mooney_share);
    MooneyRivlin law(lame, constants.mooney_share);
    require(law.log_lambda() >= 0.0,
            "the Mooney-Rivlin share is {}, expected at most {} (lambda / 2 mu) for this Poisson's ratio: "
            "more would reward "
            "loss of volume",
            constants.mooney_share, max(0.0, 0.5 * lame.lambda / lame.mu));
    return law;
  }
  if (name == "arruda-boyce") {
    require(std::isfinite(constants.locking_stretch) && constants.locking_stretch > 1.0,
            "the locking stretch is {}, expected more than 1", constants.locking_stretch);
    return ArrudaBoyce(lame, constants.locking_stretch);
  }
  throw Error("unknown material '{}'; {}", name, suggestion(name, material_names));
}

LameParameters lame_of(const MaterialLaw& law) {
  return std::visit([](const auto& l) { return l.lame; }, law);
}

MaterialConstants constants_of(const MaterialLaw& law) {
  MaterialConstants constants;
  if (const auto* mooney = std::get_if<MooneyRivlin>(&law)) constants.mooney_share = mooney->share;
  if (const auto* arruda = std::get_if<ArrudaBoyce>(&law))
    constants.locking_stretch = arruda->locking_stretch;
  return constants;
}

void check_material(const Material& material) {
  (void)make_law(name_of(material.law), lame_of(material.law), constants_of(material.law));
  check_density(material.density);
}

bool operator==(const Material& a, const Material& b) {
  return a.law.index() == b.law.index() && lame_of(a.law) == lame_of(b.law) &&
         constants_of(a.law) == constants_of(b.law) && a.density == b.density;
}

void check_density(double density) {
  require(std::isfinite(density) && density > 0.0, "the density is {}, expected a positive number of kg/m^3",
          density);
}

void energy_density(const MaterialLaw& law, const Mat3<Packet>& F, Packet& energy) {
  std::visit([&](const auto& l) { energy = l.energy_density(F); }, law);
}

Mat3<Packet> stress(const MaterialLaw& law, const Mat3<Packet>& F) {
  return std::visit([&](const auto& l) { return l.stress(F); }, law);
}

void stress_derivative(const MaterialLaw& law, const Mat3<Packet>& F, Mat9<Packet>& A) {
  std::visit([&](const auto& l) { l.stress_derivative(F, A); }, law);
}

void stress_second_derivative(const MaterialLaw& law, const Mat3<Packet>& F, const Mat3<Packet>& dF,
                              Mat9<Packet>& dA) {
  Mat3<Dual<Packet>> dual;
  for (int i = 0; i < 9; ++i) dual.entry[i] = {F.entry[i], dF.entry[i]};
  Mat9<Dual<Packet>> A;
  std::visit([&](const auto& l) { l.stress_derivative(dual, A); }, law);
  for (int i = 0; i < 81; ++i) dA.entry[i] = A.entry[i].derivative;
}

void projected_stress_derivative(const MaterialLaw& law, const Mat3<Packet>& F, Mat9<Packet>& A) {
  if (std::holds_alternative<Linear>(law))
    return stress_derivative(law, F, A);  // constant, and positive already

  const auto [U, V, sigma] = packet_svd(F);
  Mat9<Packet> diagonal_frame;
  stress_derivative(law, sigma, diagonal_frame);
  for (Packet& entry : A.entry) entry = Packet{};

  Mat3<Packet> stretches;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) stretches(i, j) = diagonal_frame(4 * i, 4 * j);
  const ClampedEigen eigen = clamped_eigen(stretches);
  for (int mode = 0; mode < 3; ++mode) {
    Mat3<Packet> E;
    for (int i = 0; i < 3; ++i) E = E + eigen.vector(i, mode) * outer_columns(U, i, V, i);
    add_mode(eigen.value[mode], E, A);
  }

  // Each pair of axes has the block [a b; b a]: a symmetric and an antisymmetric mode with eigenvalues a + b
  // and a - b.
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Packet a = diagonal_frame(i + 3 * j, i + 3 * j);
    const Packet b = diagonal_frame(i + 3 * j, j + 3 * i);
    const Mat3<Packet> E = outer_columns(U, i, V, j);
    const Mat3<Packet> G = outer_columns(U, j, V, i);
    add_mode(0.5 * max(a + b, Packet{}), E + G, A);
    add_mode(0.5 * max(a - b, Packet{}), E - G, A);
  }
}

double energy_density(const MaterialLaw& law, const Matrix3& F) {
  Packet energy;
  energy_density(law, spread(F), energy);
  return energy[0];
}

Matrix3 stress(const MaterialLaw& law, const Matrix3& F) {
  const Mat3<Packet> P = stress(law, spread(F));
  Matrix3 result;
  for (int i = 0; i < 9; ++i) result(i) = P.entry[i][0];
  return result;
}

Eigen::Matrix<double, 9, 9> stress_derivative(const MaterialLaw& law, const Matrix3& F) {
  Mat9<Packet> A;
  stress_derivative(law, spread(F), A);
  return first_lane(A);
}

Eigen::Matrix<double, 9, 9> stress_second_derivative(const MaterialLaw& law, const Matrix3& F,
                                                     const Matrix3& dF) {
  Mat9<Packet> dA;
  stress_second_derivative(law, spread(F), spread(dF), dA);
  return first_lane(dA);
}

Eigen::Matrix<double, 9, 9> projected_stress_derivative(const MaterialLaw& law, const Matrix3& F) {
  Mat9<Packet> A;
  projected_stress_derivative(law, spread(F), A);
  return first_lane(A);
}

}  // namespace limber
