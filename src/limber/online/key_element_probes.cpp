// Probes go in random directions in which soft and stiff combinations of the basis vectors have equal shares:
// along the vectors themselves the force of their stiff parts would hide that of the soft ones, which decide
// where the body comes to rest. The stiffness that tells them apart is estimated from a few points.

#include "limber/linalg/cholesky.hpp"
#include "limber/online/key_element_fit.hpp"

#include <cstdint>

namespace limber {
namespace {

/// In all poses together, so that a basis is probed in all directions. Without any, the stiffness of a
/// bending beam can be 19 times too large (r = 4, six poses along one path) while the forces of the poses are
/// right to 0.5 %.
constexpr Index probes_per_vector = 2;

/// Largest |grad u| of a probe: small, so that it is about the stiffness of its pose.
constexpr double probe_gradient = 1e-2;

/// Points that the stiffness of a pose is estimated from, to choose the directions of probes.
constexpr int sample_size = 128;

/// The stiffness U^T K U of a pose but for a factor, from a few points alone; positive semidefinite.
Matrix sampled_stiffness(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                         const KeyElementPose& pose, std::span<const QuadraturePoint> points) {
  const Index m = static_cast<Index>(points.size()), r = basis.cols(), nodes = model.mesh().elements.rows();
  Matrix G(9 * m, r), B(9 * m, r), modes(3 * nodes, r);
  ShapeGradients g;
  for (Index p = 0; p < m; ++p) {
    const QuadraturePoint& point = points[static_cast<std::size_t>(p)];
    const double weight = compute_shape_gradients(model.mesh(), point, g);
    gather_modes(model, basis, point.element, modes);
    Matrix3 F = Matrix3::Identity();
    auto Gp = G.middleRows<9>(9 * p);
    Gp.setZero();
    for (Index a = 0; a < nodes; ++a) {
      const int v = model.mesh().elements(a, point.element);
      F += pose.displacement.col(v) * g.row(a);
      for (Index j = 0; j < r; ++j) {
        Vector3 u = modes.block<3, 1>(3 * a, j);
        if (!pose.linear.empty()) u = (pose.linear[static_cast<std::size_t>(v)] * u).eval();
        for (int axis = 0; axis < 3; ++axis) Gp.col(j).segment<3>(3 * axis) += u * g(a, axis);
      }
    }
    const auto region =
        static_cast<std::size_t>(model.mesh().region[static_cast<std::size_t>(point.element)]);
    B.middleRows<9>(9 * p).noalias() =
        weight * projected_stress_derivative(model.materials()[region].law, F) * Gp;
  }
  return G.transpose() * B;
}

/// Drawn at random, the same ones every time.
std::vector<QuadraturePoint> sample_points(const ModeGradients& gradients) {
  Random random(1);
  std::vector<QuadraturePoint> points;
  for (int i = 0; i < sample_size; ++i) {
    const std::uint64_t number = random.next() % static_cast<std::uint64_t>(gradients.point_count());
    points.push_back(gradients.at(static_cast<Index>(number)));
  }
  return points;
}

/// Combinations of the vectors that are all about equally stiff in a pose: U L^-T with K = L L^T.
Matrix equally_stiff(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                     const KeyElementPose& pose) {
  Matrix K = sampled_stiffness(model, basis, pose, sample_points(ModeGradients(model, basis)));
  const double trace = K.trace();
  for (double ridge = 1e-12; ridge < 1.0; ridge *= 10.0) {
    K.diagonal().array() += ridge * trace;
    const Cholesky factor(K);
    if (factor.ok()) return factor.solve_lower(basis.transpose()).transpose();
  }
  return basis;
}

}  // namespace

void gather_modes(const FullModel& model, const Eigen::Ref<const Matrix>& basis, int element,
                  Eigen::Ref<Matrix> modes) {
  const auto vertices = model.mesh().elements.col(element);
  for (Index a = 0; a < vertices.size(); ++a) {
    const int free = model.dofs().free_index(vertices(a));
    if (free < 0) {
      modes.middleRows<3>(3 * a).setZero();
    } else {
      modes.middleRows<3>(3 * a) = basis.middleRows<3>(3 * Index{free});
    }
  }
}

void add_probes(const FullModel& model, const Assembly& assembly, const Eigen::Ref<const Matrix>& basis,
                std::span<KeyElementPose> poses, Random& random) {
  Index missing = probes_per_vector * basis.cols();
  for (const KeyElementPose& pose : poses) missing -= static_cast<Index>(pose.probes.size());
  Matrix directions;
  const KeyElementPose* directions_of = nullptr;
  for (; missing > 0; --missing) {
    KeyElementPose* pose = &poses.back();
    for (auto other = poses.rbegin(); other != poses.rend(); ++other)
      if (other->probes.size() < pose->probes.size()) pose = &*other;
    if (pose != directions_of) directions = equally_stiff(model, basis, *pose);
    directions_of = pose;
    Vector share(basis.cols());
    for (double& x : share) x = random.normal();
    Matrix3X change = model.dofs().expand(directions * share);
    for (std::size_t v = 0; v < pose->linear.size(); ++v) {
      auto at = change.col(static_cast<Index>(v));
      at = (pose->linear[v] * at).eval();
    }
    const double gradient = assembly.largest_gradient(change);
    if (gradient > 0.0) change *= probe_gradient / gradient;
    KeyElementProbe probe{pose->displacement + change, {}};
    Matrix3X forces;
    assembly.force(probe.displacement, forces);
    probe.force = model.dofs().restrict(forces) - pose->force;
    pose->probes.push_back(std::move(probe));
  }
}

}  // namespace limber
