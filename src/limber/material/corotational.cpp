#include "limber/material/corotational.hpp"

namespace limber {
namespace {

/// sigma_i + sigma_j falls to zero only where F is inverted and its rotation is about to become ambiguous.
/// There dR/dF has no bound; below this sum (of stretches, 1 at rest) it is kept finite.
constexpr double smallest_stretch_sum = 1e-3;

}  // namespace

RotationWithDerivative<double> rotation_with_derivative(const Mat3<double>& F) {
  const RotationSvd svd = rotation_svd(to_eigen(F));
  Vector3 inverse;
  for (int i = 0; i < 3; ++i) {
    inverse(i) = 1.0 / max(svd.sigma((i + 1) % 3) + svd.sigma((i + 2) % 3), smallest_stretch_sum);
  }
  return {from_eigen(svd.U * svd.V.transpose()),
          from_eigen(svd.V * inverse.asDiagonal() * svd.V.transpose())};
}

RotationWithDerivative<Packet> rotation_with_derivative(const Mat3<Packet>& F) {
  RotationWithDerivative<Packet> result;
  for (int lane = 0; lane < packet_size; ++lane) {
    Mat3<double> one;
    for (int i = 0; i < 9; ++i) one.entry[i] = F.entry[i][lane];
    const RotationWithDerivative<double> rotation = rotation_with_derivative(one);
    for (int i = 0; i < 9; ++i) {
      result.R.entry[i][lane] = rotation.R.entry[i];
      result.B.entry[i][lane] = rotation.B.entry[i];
    }
  }
  return result;
}

RotationWithDerivative<Dual<Packet>> rotation_with_derivative(const Mat3<Dual<Packet>>& F) {
  Mat3<Packet> value, dF;
  for (int i = 0; i < 9; ++i) {
    value.entry[i] = F.entry[i].value;
    dF.entry[i] = F.entry[i].derivative;
  }
  const auto [R, B] = rotation_with_derivative(value);

  // R^T dR = [omega]x with omega = B axial(R^T dF - dF^T R).
  const Mat3<Packet> RtdF = transpose(R) * dF;
  Packet omega[3];
  for (int i = 0; i < 3; ++i) {
    omega[i] = B(i, 0) * (RtdF(2, 1) - RtdF(1, 2)) + B(i, 1) * (RtdF(0, 2) - RtdF(2, 0)) +
               B(i, 2) * (RtdF(1, 0) - RtdF(0, 1));
  }
  Mat3<Packet> spin;
  for (int i = 0; i < 3; ++i) {
    spin((i + 2) % 3, (i + 1) % 3) = omega[i];
    spin((i + 1) % 3, (i + 2) % 3) = -omega[i];
  }
  const Mat3<Packet> dR = R * spin;

  // B^-1 = tr(S) I - S with S = R^T F, hence dB = B (dS - tr(dS) I) B.
  Mat3<Packet> dS = transpose(dR) * value + RtdF;
  const Packet tr = trace(dS);
  for (int i = 0; i < 3; ++i) dS(i, i) = dS(i, i) - tr;
  const Mat3<Packet> dB = B * dS * B;

  RotationWithDerivative<Dual<Packet>> result;
  for (int i = 0; i < 9; ++i) {
    result.R.entry[i] = {R.entry[i], dR.entry[i]};
    result.B.entry[i] = {B.entry[i], dB.entry[i]};
  }
  return result;
}

}  // namespace limber
