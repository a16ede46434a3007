// One pass over packets of eight points. Each packet does all that it can while its gradients G are in the
// nearest cache:
//
//      F = I + G q              nine dot products of each point with q
//      psi, P, A                of eight points at once, in the lanes of a register
//      f += G^T w P             sums of rows of G
//      B = w A G                a 9 x 9 matrix times rows of G, for each point
//      K += G^T B               a product of 72 rows, of which the lower triangle is computed
//
// In a register of G lie coordinates, not points: only the dot products then have to be added up across
// lanes, and what multiplies a row of G in the other stages is one number, which a CPU loads into all lanes
// at no cost. Rows are cut into panels of eight coordinates (four without AVX-512), and a panel's rows of one
// packet follow each other:
//
//      packet 0                                                 packet 1
//      panel 0                      panel 1                     panel 0
//      point 0   point 1   ...      point 0   point 1   ...     point 8   ...
//      9 rows    9 rows             9 rows    9 rows            9 rows
//
// so that a tile of K, 24 x 8 numbers in registers, reads four short streams. Each tile is loaded and stored
// once per packet. B is made for two panels of columns at a time and stays in the nearest cache.
//
// Modal cubature has L_p = G_p diag(w_p). With the symmetric S_p = G_p^T A_p G_p, its force is
// sum_p diag(w_p) G_p^T P_p, and the symmetric part of its stiffness is
//
//      K_ij = sum_p (w_pi + w_pj) / 2 (S_p)_ij:
//
// eleven operations per point and entry of the triangle instead of nine, where L^T (A G) would take eighteen;
// and L, nine times as large as the weights, is not needed.

#include "limber/reduced/cubature.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/reduced/cubature_kernels.hpp"
#include "limber/reduced/quartic_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber {
namespace {

using namespace cubature;

void check_weights(const Eigen::Ref<const Matrix>& weights) {
  for (Index j = 0; j < weights.cols(); ++j) {
    for (Index p = 0; p < weights.rows(); ++p) {
      require(std::isfinite(weights(p, j)) && weights(p, j) >= 0.0,
              "a weight of cubature point {} is {}, expected a number of m^3, 0 or more", p, weights(p, j));
    }
  }
}

void check_rule(const CubatureRule& rule, Index material_count, Index rank) {
  const Index m = rule.point_count(), r = rule.gradients.cols();
  require(rank >= 1 && rank <= r, "rank {} of a cubature rule for {} coordinates, expected 1 to {}", rank, r,
          r);
  require(rule.gradients.rows() == components * m,
          "the gradients of a cubature rule have {} rows, expected {} (9 for each of {} points)",
          rule.gradients.rows(), components * m, m);
  require(rule.weights.cols() == 1 || rule.weights.cols() == r,
          "a cubature rule has {} weights per point, expected 1 or {} (one per coordinate)",
          rule.weights.cols(), r);
  require(rule.energy_weights.size() == m,
          "a cubature rule has {} weights of the energy, expected {} (one per point)",
          rule.energy_weights.size(), m);
  require(rule.region.size() == static_cast<std::size_t>(m),
          "a cubature rule has {} region numbers, expected {} (one per point)", rule.region.size(), m);
  for (Index p = 0; p < m; ++p) {
    const int region = rule.region[static_cast<std::size_t>(p)];
    require(region >= 0 && region < material_count,
            "cubature point {} is in region {}, but there are materials for regions 0 to {} only", p, region,
            material_count - 1);
  }
  require(rule.gradients.allFinite(), "a gradient of a cubature rule is not a finite number");
  check_weights(rule.weights);
  check_weights(rule.energy_weights);
}

/// The largest singular value of the gradients at a point.
double steepest_gradient(const Eigen::Ref<const Matrix>& gradients) {
  double square = 0.0;
  for (Index row = 0; row < gradients.rows(); row += components) {
    using Gram = Eigen::Matrix<double, components, components>;
    const auto G = gradients.middleRows<components>(row);
    const Gram gram = G * G.transpose();
    square = std::max(square, symmetric_eigenvalues(gram).values(components - 1));
  }
  return std::sqrt(square);
}

/// psi and P of eight points, and A where it is asked for.
struct Response {
  Packet energy;
  Mat3<Packet> stress;
  Mat9<Packet> derivative;
};

template <bool with_stiffness>
void respond(const MaterialLaw& law, const Mat3<Packet>& F, Response& response) {
  std::visit(
      [&](const auto& l) {
        response.energy = l.energy_density(F);
        response.stress = l.stress(F);
        if constexpr (with_stiffness) l.stress_derivative(F, response.derivative);
      },
      law);
}

template <bool with_stiffness>
void scale(Packet weights, Response& response) {
  for (Packet& entry : response.stress.entry) entry *= weights;
  if constexpr (with_stiffness) {
    for (Packet& entry : response.derivative.entry) entry *= weights;
  }
}

}  // namespace

Cubature::Cubature(const CubatureRule& rule, std::span<const Material> materials, Index rank)
    : rank_(rank),
      point_count_(rule.point_count()),
      panels_(round_up(rank, panel) / panel),
      modal_(rule.modal()) {
  check_rule(rule, static_cast<Index>(materials.size()), rank);
  for (const Material& material : materials) laws_.push_back(material.law);
  pack(rule);
  const double steepest = steepest_gradient(rule.gradients.leftCols(rank));
  if (steepest > 0.0) reach_ = 1.0 / steepest;
  for (std::size_t p = 0; p < rule.region.size(); ++p) {
    const LameParameters lame = lame_of(laws_[static_cast<std::size_t>(rule.region[p])]);
    unit_energy_ += rule.energy_weights(static_cast<Index>(p)) * (std::abs(lame.lambda) + 2.0 * lame.mu);
  }
}

void Cubature::pack(const CubatureRule& rule) {
  const auto region = [&](Index p) { return rule.region[static_cast<std::size_t>(p)]; };
  std::vector<Index> order(static_cast<std::size_t>(point_count_));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return region(a) < region(b); });

  std::vector<Index> point;  // of every lane
  for (std::size_t next = 0; next < order.size();) {
    PointPacket packet{0, region(order[next])};
    for (; next < order.size() && packet.count < packet_size && region(order[next]) == packet.region;
         ++next) {
      point.push_back(order[next]);
      ++packet.count;
    }
    point.resize(point.size() + static_cast<std::size_t>(packet_size - packet.count), point.back());
    packets_.push_back(packet);
  }

  const Index lane_count = static_cast<Index>(point.size());
  gradients_ = Vector::Zero(lane_count * components * panels_ * panel);
  weights_ = Vector::Zero(lane_count * (modal_ ? panels_ * panel : 1));
  energy_weights_ = Vector::Zero(lane_count);
  for (Index n = 0; n < lane_count; ++n) {
    const Index p = point[static_cast<std::size_t>(n)], packet = n / packet_size, lane = n % packet_size;
    const bool counts = lane < packets_[static_cast<std::size_t>(packet)].count;
    if (counts) energy_weights_(n) = rule.energy_weights(p);
    if (counts && !modal_) weights_(n) = rule.weights(p, 0);
    for (Index i = 0; i < rank_; ++i) {
      const Index row = (packet * panels_ + i / panel) * packet_size + lane;
      for (Index c = 0; c < components; ++c) {
        gradients_((row * components + c) * panel + i % panel) = rule.gradients(components * p + c, i);
      }
      if (counts && modal_) weights_(row * panel + i % panel) = rule.weights(p, i);
    }
  }
}

template <bool with_stiffness>
double Cubature::sweep(const VectorRef& q, CubatureWorkspace& work) const {
  const Index padded = panels_ * panel;
  grow(work.q, padded);
  grow(work.f, padded);
  // What padding multiplies is zero, but a workspace may have held another rule, or numbers that are not
  // finite.
  work.q.head(padded) << q, Vector::Zero(padded - rank_);
  work.f.head(padded).setZero();
  double *f = work.f.data(), *K = nullptr;
  if constexpr (with_stiffness) {
    grow(work.sums, padded * padded);
    work.sums.head(padded * padded).setZero();
    K = work.sums.data();
  }

  const bool modal = modal_ && !work.forces_of_energy;
  const double *G = gradients_.data(), *energy_weights = energy_weights_.data();
  const double* w = modal || !modal_ ? weights_.data() : energy_weights;
  Packet energy{};
  for (const auto& [count, region] : packets_) {
    Mat3<Packet> F;
    Response response;
    deformation_gradients(G, panels_, work.q.data(), F);
    respond<with_stiffness>(laws_[static_cast<std::size_t>(region)], F, response);
    energy += load_packet(energy_weights) * response.energy;
    if (modal) {
      add_modal_force(G, w, panels_, response.stress, count, f);
    } else {
      scale<with_stiffness>(load_packet(w), response);
      add_force(G, panels_, response.stress, count, f);
    }
    if constexpr (with_stiffness) {
      if (modal) {
        add_modal_stiffness(G, w, panels_, response.derivative, count, K);
      } else {
        add_stiffness(G, panels_, response.derivative, count, K);
      }
    }
    G += panels_ * panel_size;
    w += modal ? panels_ * weight_panel_size : packet_size;
    energy_weights += packet_size;
  }
  return limber::sum_lanes(energy);
}

double Cubature::evaluate(const VectorRef& q, CubatureWorkspace& work, Eigen::Ref<Vector> f,
                          Eigen::Ref<Matrix> K) const {
  const double energy = sweep<true>(q, work);
  f = work.f.head(rank_);
  const double factor = modal_ && !work.forces_of_energy ? 0.5 : 1.0;
  const double* column = work.sums.data();
  for (Index j = 0; j < rank_; ++j, column += panels_ * panel) {
    for (Index i = j; i < rank_; ++i) K(i, j) = K(j, i) = factor * column[i];
  }
  return energy;
}

double Cubature::evaluate_force(const VectorRef& q, CubatureWorkspace& work, Eigen::Ref<Vector> f) const {
  const double energy = sweep<false>(q, work);
  f = work.f.head(rank_);
  return energy;
}

}  // namespace limber
