#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/multidomain/model.hpp"

#include <utility>

namespace limber {
namespace {

constexpr double line_tolerance =
    1e-6;  ///< middle eigenvalue of the covariance of an interface as a share of the largest

void check_spread(const Matrix3& covariance, std::string_view port) {
  const Vector3 spread = symmetric_eigen3(covariance).values;
  require(
      spread(2) > 0.0 && spread(1) > line_tolerance * spread(2),
      "interface '{}': its vertices are on one line, so that nothing says how it turns; choose more of them",
      port);
}

}  // namespace

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
