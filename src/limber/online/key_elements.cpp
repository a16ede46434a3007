#include "limber/online/key_elements.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/online/key_element_fit.hpp"
#include "limber/reduced/cubature_kernels.hpp"
#include "limber/reduced/quartic_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

// Forces are summed by the kernels of cubature (reduced/cubature.cpp says how), with the gradients G of the
// carried basis at the points and the gradient C of the offsets: F = I + C + G q.

namespace limber {
namespace {

using namespace cubature;

void check_options(const KeyElementOptions& options) {
  require(options.error > 0.0 && options.error < 1.0,
          "the error asked of key elements is {}, expected a number between 0 and 1", options.error);
  require(options.max_points >= 1 && options.candidates >= 1 && options.max_poses >= 1,
          "{} key elements, {} candidates and {} poses asked for, expected one at least of each",
          options.max_points, options.candidates, options.max_poses);
}

void save_pose(const KeyElementPose& pose, StateWriter& out) {
  out.write(pose.displacement);
  Matrix3X linear(3, 3 * static_cast<Index>(pose.linear.size()));
  for (std::size_t v = 0; v < pose.linear.size(); ++v)
    linear.middleCols<3>(3 * static_cast<Index>(v)) = pose.linear[v];
  out.write(pose.force);
  out.write(linear);
  out.write(static_cast<std::int64_t>(pose.probes.size()));
  for (const KeyElementProbe& probe : pose.probes) {
    out.write(probe.displacement);
    out.write(probe.force);
  }
}

/// Displacements and forces, checked.
void restore_state(const FullModel& model, StateReader& in, Matrix3X& displacement, Vector& force) {
  in.read(displacement);
  in.read(force);
  require(displacement.cols() == model.mesh().vertex_count() && force.size() == model.dof_count(),
          "a saved pose has {} vertices and {} forces, the body has {} and {}: it is of another body",
          displacement.cols(), force.size(), model.mesh().vertex_count(), model.dof_count());
}

KeyElementPose restore_pose(const FullModel& model, StateReader& in) {
  KeyElementPose pose;
  restore_state(model, in, pose.displacement, pose.force);
  Matrix3X linear;
  in.read(linear);
  require(linear.cols() == 0 || linear.cols() == 3 * model.mesh().vertex_count(),
          "a saved pose has {} vertex maps, the body has {} vertices: it is of another body",
          linear.cols() / 3, model.mesh().vertex_count());
  for (Index v = 0; v < linear.cols(); v += 3) pose.linear.emplace_back(linear.middleCols<3>(v));
  std::int64_t count = 0;
  in.read(count);
  for (std::int64_t k = 0; k < count; ++k) {
    KeyElementProbe& probe = pose.probes.emplace_back();
    restore_state(model, in, probe.displacement, probe.force);
  }
  return pose;
}

}  // namespace

struct KeyElements::Impl {
  /// Up to eight points of one region that are computed together.
  struct PointPacket {
    int count = 0;
    int region = 0;
  };

  Impl(const FullModel& full, const KeyElementOptions& given)
      : model(full),
        options(given),
        random_seed(given.seed),
        maps(VertexMaps::identity(full.mesh().vertex_count())) {
    check_options(options);
  }

  const Assembly& assembly();
  void check_basis(const Eigen::Ref<const Matrix>& basis) const;
  void check_maps(const VertexMaps& given) const;
  void check_points() const;
  void set_rows(const Eigen::Ref<const Matrix>& basis);
  void pack();
  template <bool with_stiffness>
  double sweep(const VectorRef& q);

  const FullModel& model;
  KeyElementOptions options;
  std::uint64_t random_seed;  ///< of the next training
  std::vector<KeyElementPose> poses;
  KeyPoints chosen;
  std::unique_ptr<Assembly>
      own_assembly;  ///< made when first needed: of any displacements, whatever the model's supports are

  VertexMaps maps;
  Index rank = 0, panels = 0;
  /// of the basis at the vertices of the points, in the rest pose: 3 N m x r, zero where a vertex is fixed.
  Matrix rows;
  std::vector<PointPacket> packets;
  Vector gradients;  ///< G, packet by packet, as in cubature_kernels.hpp
  Vector offsets;    ///< C, [packet][component][lane]
  Vector weights;    ///< of the lanes; 0 where one fills up
  Vector work_q, work_f, work_K;
};

const Assembly& KeyElements::Impl::assembly() {
  if (!own_assembly) {
    own_assembly = make_assembly(model.mesh(), make_sparsity(model.mesh(), model.dofs()), model.dofs(),
                                 model.materials(), model.executor());
  }
  return *own_assembly;
}

void KeyElements::Impl::check_basis(const Eigen::Ref<const Matrix>& basis) const {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  require(basis.cols() >= 1, "the basis has no vectors, expected one at least");
}

void KeyElements::Impl::check_maps(const VertexMaps& given) const {
  const Index n = model.mesh().vertex_count();
  require(given.offset.cols() == n, "vertex maps have {} offsets, the mesh has {} vertices",
          given.offset.cols(), n);
  require(!given.carries() || static_cast<Index>(given.linear.size()) == n,
          "there are {} vertex maps, the mesh has {} vertices", given.linear.size(), n);
}

void KeyElements::Impl::check_points() const {
  const VolumeMesh& mesh = model.mesh();
  const int per_element =
      mesh.kind == ElementKind::tetrahedron ? TetrahedronElement::points : BrickElement::points;
  require(chosen.weights.size() == static_cast<Index>(chosen.points.size()), "{} weights for {} key elements",
          chosen.weights.size(), chosen.points.size());
  for (std::size_t p = 0; p < chosen.points.size(); ++p) {
    const auto [element, point] = chosen.points[p];
    require(element >= 0 && element < mesh.element_count() && point >= 0 && point < per_element,
            "there is no quadrature point {} in element {}; the mesh has {} elements with {} each", point,
            element, mesh.element_count(), per_element);
    const double weight = chosen.weights(static_cast<Index>(p));
    require(std::isfinite(weight) && weight > 0.0, "the weight of a key element is {}, expected more than 0",
            weight);
  }
}

void KeyElements::Impl::set_rows(const Eigen::Ref<const Matrix>& basis) {
  const Index nodes = model.mesh().elements.rows();
  rank = basis.cols();
  rows.resize(3 * nodes * static_cast<Index>(chosen.points.size()), rank);
  Index row = 0;
  for (const QuadraturePoint& point : chosen.points) {
    gather_modes(model, basis, point.element, rows.middleRows(row, 3 * nodes));
    row += 3 * nodes;
  }
  pack();
}

/// Lays out G, C and the weights of the points for the maps.
void KeyElements::Impl::pack() {
  const auto region = [&](std::size_t p) {
    return model.mesh().region[static_cast<std::size_t>(chosen.points[p].element)];
  };
  std::vector<std::size_t> order(chosen.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return region(a) < region(b); });
  packets.clear();
  std::vector<std::pair<std::size_t, Index>> lane_of;  // point, number of its lane
  for (const std::size_t p : order) {
    if (packets.empty() || packets.back().count == packet_size || packets.back().region != region(p))
      packets.push_back({0, region(p)});
    lane_of.emplace_back(p, (static_cast<Index>(packets.size()) - 1) * packet_size + packets.back().count++);
  }

  panels = round_up(rank, panel) / panel;
  const Index lane_count = static_cast<Index>(packets.size()) * packet_size,
              nodes = model.mesh().elements.rows();
  gradients.setZero(lane_count * components * panels * panel);
  offsets.setZero(lane_count * components);
  weights.setZero(lane_count);
  ShapeGradients g;
  for (const auto& [p, n] : lane_of) {
    const Index packet = n / packet_size, lane = n % packet_size;
    const QuadraturePoint& point = chosen.points[p];
    weights(n) = chosen.weights(static_cast<Index>(p));
    compute_shape_gradients(model.mesh(), point, g);
    for (Index a = 0; a < nodes; ++a) {
      const int v = model.mesh().elements(a, point.element);
      const Vector3 c = maps.offset.col(v);
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 3; ++i)
          offsets((packet * components + i + 3 * axis) * packet_size + lane) += c(i) * g(a, axis);
      for (Index j = 0; j < rank; ++j) {
        Vector3 u = rows.block<3, 1>(3 * (static_cast<Index>(p) * nodes + a), j);
        if (maps.carries()) u = (maps.linear[static_cast<std::size_t>(v)] * u).eval();
        const Index row = (packet * panels + j / panel) * packet_size + lane;
        double* at = gradients.data() + row * components * panel + j % panel;
        for (int axis = 0; axis < 3; ++axis)
          for (int i = 0; i < 3; ++i) at[(i + 3 * axis) * panel] += u(i) * g(a, axis);
      }
    }
  }
}

template <bool with_stiffness>
double KeyElements::Impl::sweep(const VectorRef& q) {
  require(rank > 0, "key elements have no basis yet: train them or set one");
  require(q.size() == rank, "{} reduced coordinates for key elements of rank {}", q.size(), rank);
  const Index padded = panels * panel;
  work_q.setZero(padded);
  work_q.head(rank) = q;
  work_f.setZero(padded);
  if constexpr (with_stiffness) work_K.setZero(padded * padded);
  const double *G = gradients.data(), *C = offsets.data(), *w = weights.data();
  Packet energy{};
  for (const auto& [count, region] : packets) {
    Mat3<Packet> F;
    deformation_gradients(G, panels, work_q.data(), F);
    for (int c = 0; c < components; ++c) F.entry[c] += load_packet(C + c * packet_size);
    const Packet weight = load_packet(w);
    const int point_count = count;
    std::visit(
        [&](const auto& law) {
          energy += weight * law.energy_density(F);
          Mat3<Packet> P = law.stress(F);
          for (Packet& entry : P.entry) entry *= weight;
          add_force(G, panels, P, point_count, work_f.data());
          if constexpr (with_stiffness) {
            Mat9<Packet> A;
            law.stress_derivative(F, A);
            for (Packet& entry : A.entry) entry *= weight;
            add_stiffness(G, panels, A, point_count, work_K.data());
          }
        },
        model.materials()[static_cast<std::size_t>(region)].law);
    G += panels * panel_size;
    C += components * packet_size;
    w += packet_size;
  }
  return limber::sum_lanes(energy);
}

KeyElements::KeyElements(const FullModel& model, const KeyElementOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
KeyElements::~KeyElements() = default;
KeyElements::KeyElements(KeyElements&&) noexcept = default;

void KeyElements::add_pose(const Matrix3X& displacement, const VertexMaps& maps, const Vector& force) {
  impl_->check_maps(maps);
  const Index n = impl_->model.mesh().vertex_count();
  require(displacement.cols() == n, "a pose has displacements of {} vertices, the mesh has {}",
          displacement.cols(), n);
  require(force.size() == impl_->model.dof_count(),
          "the forces of a pose have {} entries, the model needs {} (3 per free vertex)", force.size(),
          impl_->model.dof_count());
  require(displacement.allFinite() && force.allFinite(), "a training pose holds numbers that are not finite");
  if (pose_count() == impl_->options.max_poses) impl_->poses.erase(impl_->poses.begin());
  impl_->poses.push_back({displacement, maps.linear, force, {}});
}

Index KeyElements::pose_count() const { return static_cast<Index>(impl_->poses.size()); }

KeyElementFit KeyElements::train(const Eigen::Ref<const Matrix>& basis) {
  Impl& own = *impl_;
  own.check_basis(basis);
  require(!own.poses.empty(), "there are no poses to train key elements with");
  Random random(own.random_seed);
  add_probes(own.model, own.assembly(), basis, own.poses, random);
  const KeyElementFit fit = fit_key_elements(own.model, basis, own.poses, own.options, random, own.chosen);
  own.random_seed = random.next();
  own.set_rows(basis);
  return fit;
}

void KeyElements::set_points(const std::vector<QuadraturePoint>& points, const Vector& weights) {
  impl_->chosen = {points, weights};
  impl_->check_points();
  impl_->rank = 0;
}

void KeyElements::set_basis(const Eigen::Ref<const Matrix>& basis) {
  impl_->check_basis(basis);
  impl_->set_rows(basis);
}

void KeyElements::set_maps(const VertexMaps& maps) {
  impl_->check_maps(maps);
  impl_->maps = maps;
  if (impl_->rank > 0) impl_->pack();
}

Index KeyElements::rank() const { return impl_->rank; }
Index KeyElements::point_count() const { return static_cast<Index>(impl_->chosen.points.size()); }
const std::vector<QuadraturePoint>& KeyElements::points() const { return impl_->chosen.points; }
const Vector& KeyElements::weights() const { return impl_->chosen.weights; }

double KeyElements::evaluate(const VectorRef& q, Vector& f, Matrix& K) const {
  const double energy = impl_->sweep<true>(q);
  const Index r = rank(), padded = impl_->panels * panel;
  f = impl_->work_f.head(r);
  K.resize(r, r);
  const double* column = impl_->work_K.data();
  for (Index j = 0; j < r; ++j, column += padded)
    for (Index i = j; i < r; ++i) K(i, j) = K(j, i) = column[i];
  return energy;
}

double KeyElements::evaluate_force(const VectorRef& q, Vector& f) const {
  const double energy = impl_->sweep<false>(q);
  f = impl_->work_f.head(rank());
  return energy;
}

void KeyElements::save(StateWriter& out) const {
  const Impl& own = *impl_;
  out.write(own.random_seed);
  std::vector<int> numbers;
  for (const auto& [element, point] : own.chosen.points) numbers.insert(numbers.end(), {element, point});
  out.write(numbers);
  out.write(own.chosen.weights);
  out.write(static_cast<std::int64_t>(own.poses.size()));
  for (const KeyElementPose& pose : own.poses) save_pose(pose, out);
}

void KeyElements::restore(StateReader& in) {
  Impl& own = *impl_;
  in.read(own.random_seed);
  std::vector<int> numbers;
  in.read(numbers);
  own.chosen.points.clear();
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
    own.chosen.points.push_back({numbers[i], numbers[i + 1]});
  in.read(own.chosen.weights);
  own.check_points();
  std::int64_t count = 0;
  in.read(count);
  own.poses.clear();
  for (std::int64_t t = 0; t < count; ++t) own.poses.push_back(restore_pose(own.model, in));
  own.rank = 0;
}

}  // namespace limber
