#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/multidomain/domain_tree.hpp"

#include <Eigen/SparseCore>

#include <array>
#include <cmath>

namespace limber {
namespace {

constexpr double line_tolerance =
    1e-6;  ///< middle eigenvalue of the covariance of an interface as a share of the largest

/// Mass matrix of one coordinate, n x n, kg.
Eigen::SparseMatrix<double> scalar_mass(const ReducedModel& model, bool lumped) {
  const VolumeMesh& mesh = model.simulation->mesh;
  const int N = vertices_per_element(mesh.kind);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(mesh.element_count()) * static_cast<std::size_t>(N * N));
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto region = static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)]);
    const double mass = model.regions[region].material.density * element_volume(mesh, e);
    for (int b = 0; b < N; ++b) {
      for (int a = 0; a < N; ++a) {
        const double consistent = mesh.kind == ElementKind::tetrahedron ? TetrahedronElement::mass_share(a, b)
                                                                        : BrickElement::mass_share(a, b);
        const double share = !lumped ? consistent : a == b ? 1.0 / N : 0.0;
        if (share != 0.0) entries.emplace_back(mesh.elements(a, e), mesh.elements(b, e), mass * share);
      }
    }
  }
  Eigen::SparseMatrix<double> M(mesh.vertex_count(), mesh.vertex_count());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

/// Rows of one coordinate of a 3n x r basis, n x r.
Matrix coordinate_rows(const Matrix& basis, Index coordinate) {
  return basis(Eigen::seq(coordinate, Eigen::last, 3), Eigen::all);
}

void check_spread(const Matrix3& covariance, std::string_view port) {
  const Vector3 spread = symmetric_eigen3(covariance).values;
  require(
      spread(2) > 0.0 && spread(1) > line_tolerance * spread(2),
      "interface '{}': its vertices are on one line, so that nothing says how it turns; choose more of them",
      port);
}

}  // namespace

DomainInertia make_inertia(const ReducedModel& model, bool lumped) {
  require(model.simulation.has_value(), "{}: the model was kept without its mesh, which its inertia needs",
          model.name);
  const SimulationMesh& simulation = *model.simulation;
  const Index r = model.rank;
  const Eigen::SparseMatrix<double> M = scalar_mass(model, lumped);
  const Eigen::MatrixX3d X = simulation.mesh.vertices.transpose();
  const Eigen::MatrixX3d MX = M * X;
  const Vector masses = M * Vector::Ones(M.cols());

  DomainInertia result;
  result.mass = masses.sum();
  result.first = X.transpose() * masses;
  result.second = X.transpose() * MX;
  result.second = 0.5 * (result.second + result.second.transpose()).eval();
  result.first_rows = Matrix3X::Zero(3, r);
  result.second_rows = Matrix::Zero(9, r);
  result.second_pairs = Matrix::Zero(9, r * r);
  if (r == 0) return result;
  std::array<Matrix, 3> U, MU;
  for (int a = 0; a < 3; ++a) {
    const auto c = static_cast<std::size_t>(a);
    U[c] = coordinate_rows(simulation.basis, a);
    MU[c] = M * U[c];
    result.first_rows.row(a) = masses.transpose() * U[c];
    for (int b = 0; b < 3; ++b) result.second_rows.row(a + 3 * b) = MX.col(b).transpose() * U[c];
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const Matrix pairs = U[static_cast<std::size_t>(a)].transpose() * MU[static_cast<std::size_t>(b)];
      result.second_pairs.row(a + 3 * b) = pairs.reshaped().transpose();
    }
  }
  return result;
}

InterfacePort make_port(const ReducedModel& model, std::string name, std::vector<int> vertices,
                        const Vector& weights) {
  require(model.simulation.has_value(), "{}: the model was kept without its mesh, which interfaces need",
          model.name);
  require(vertices.size() >= 3, "interface '{}' has {} vertices, expected at least three", name,
          vertices.size());
  require(static_cast<std::size_t>(weights.size()) == vertices.size() && weights.minCoeff() > 0.0,
          "interface '{}': expected a positive weight for each of its {} vertices", name, vertices.size());
  const SimulationMesh& simulation = *model.simulation;
  InterfacePort port;
  port.name = std::move(name);
  port.vertices = std::move(vertices);
  port.weights = weights / weights.sum();
  port.center_rows = Matrix3X::Zero(3, model.rank);
  port.covariance_rows = Matrix::Zero(9, model.rank);
  const auto rows = [&](std::size_t k) {
    return simulation.basis.middleRows<3>(3 * Index{port.vertices[k]});
  };
  for (std::size_t k = 0; k < port.vertices.size(); ++k) {
    const double w = port.weights(static_cast<Index>(k));
    port.center += w * simulation.mesh.vertices.col(port.vertices[k]);
    port.center_rows += w * rows(k);
  }
  for (std::size_t k = 0; k < port.vertices.size(); ++k) {
    const double w = port.weights(static_cast<Index>(k));
    const Vector3 X = simulation.mesh.vertices.col(port.vertices[k]) - port.center;
    port.covariance += w * X * X.transpose();
    for (int b = 0; b < 3; ++b)
      port.covariance_rows.middleRows<3>(3 * b) += w * X(b) * (rows(k) - port.center_rows);
  }
  check_spread(port.covariance, port.name);
  return port;
}

}  // namespace limber
