#include "limber/fem/elements.hpp"

#include <Eigen/LU>

#include <cmath>

namespace limber {
namespace {

/// Side (0 low, 1 high) of each brick vertex along each axis, in the order of VolumeMesh.
constexpr int brick_side[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/// Shape-function gradients and weights of the unit cube at its 27 Gauss points.
struct UnitCube {
  double gradient[27][8][3];
  double weight[27];

  UnitCube() {
    const double offset = 0.5 * std::sqrt(0.6);
    const double position[3] = {0.5 - offset, 0.5, 0.5 + offset};
    const double share[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    for (int q = 0; q < 27; ++q) {
      const int index[3] = {q % 3, q / 3 % 3, q / 9};
      weight[q] = share[index[0]] * share[index[1]] * share[index[2]];
      for (int a = 0; a < 8; ++a) {
        double value[3], slope[3];
        for (int axis = 0; axis < 3; ++axis) {
          const double x = position[index[axis]];
          value[axis] = brick_side[a][axis] ? x : 1.0 - x;
          slope[axis] = brick_side[a][axis] ? 1.0 : -1.0;
        }
        gradient[q][a][0] = slope[0] * value[1] * value[2];
        gradient[q][a][1] = value[0] * slope[1] * value[2];
        gradient[q][a][2] = value[0] * value[1] * slope[2];
      }
    }
  }
};

const UnitCube unit_cube;

}  // namespace

TetrahedronElement::TetrahedronElement(const VolumeMesh& mesh, const ElementPacket& packet) {
  for (int lane = 0; lane < packet_size; ++lane) {
    const int e = packet.element[lane];
    const auto x = [&](int a) { return mesh.vertices.col(mesh.elements(a, e)); };
    Matrix3 edges;
    edges << x(1) - x(0), x(2) - x(0), x(3) - x(0);
    const Matrix3 inverse = edges.inverse();  // row a - 1 is the gradient of shape function a
    volume[lane] = edges.determinant() / 6.0;
    for (int axis = 0; axis < 3; ++axis) {
      for (int a = 1; a < nodes; ++a) gradient[a][axis][lane] = inverse(a - 1, axis);
      gradient[0][axis][lane] = -inverse.col(axis).sum();
    }
  }
}

BrickElement::BrickElement(const VolumeMesh& mesh, const ElementPacket& packet) {
  for (int lane = 0; lane < packet_size; ++lane) {
    const int e = packet.element[lane];
    const Vector3 size = mesh.vertices.col(mesh.elements(6, e)) - mesh.vertices.col(mesh.elements(0, e));
    volume[lane] = size.prod();
    for (int axis = 0; axis < 3; ++axis) inverse_size[axis][lane] = 1.0 / size(axis);
  }
}

Packet BrickElement::point(int q, Packet (&g)[nodes][3]) const {
  for (int a = 0; a < nodes; ++a)
    for (int axis = 0; axis < 3; ++axis) g[a][axis] = unit_cube.gradient[q][a][axis] * inverse_size[axis];
  return unit_cube.weight[q] * volume;
}

double BrickElement::mass_share(int a, int b) {
  double share = 1.0;
  for (int axis = 0; axis < 3; ++axis)
    share *= brick_side[a][axis] == brick_side[b][axis] ? 1.0 / 3.0 : 1.0 / 6.0;
  return share;
}

}  // namespace limber
