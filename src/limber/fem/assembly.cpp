// Assembly of element energies, forces and stiffnesses.
//
// For each packet of eight elements: gather vertex displacements -> F at each quadrature point -> material
// law -> element vector and matrix, eight lanes wide -> scatter, one lane after the other.
//
//      F = I + sum_a u_a g_a^T,     f_a = sum_q w P g_a,     K_ab = sum_q w g_a^T A g_b,     A = dP/dF.
//
// Only the blocks a <= b of the symmetric element matrix are computed; the scatter writes their transposes
// too.
//
// Products (H : a_i) a_j for all pairs of directions come from the element forces sum_q w (dA_i : grad a_j)
// g_a with dA_i = dA/dF : grad a_i, so that dA_i serves all j. They are added up with all pairs of one
// unknown side by side, and transposed at the end.

#include "limber/fem/assembly.hpp"

#include "limber/fem/element_schedule.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/linalg/panels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace limber {
namespace {

template <class Element>
class ElementAssembly final : public Assembly {
 public:
  ElementAssembly(const VolumeMesh& mesh, const Sparsity& sparsity, const DofMap& dofs,
                  const std::vector<Material>& materials, const Executor& executor)
      : schedule_(make_element_schedule(mesh)),
        materials_(materials),
        executor_(executor),
        stride_(sparsity.stride) {
    for (const ElementPacket& packet : schedule_.packets) {
      elements_.emplace_back(mesh, packet);
      for (const int e : packet.element) {
        for (const int v : mesh.elements.col(e)) {
          vertices_.push_back(v);
          free_.push_back(dofs.free_index(v));
        }
        const auto slots = sparsity.slots.begin() + std::ptrdiff_t{e} * N * N;
        slots_.insert(slots_.end(), slots, slots + N * N);
      }
    }
  }

  double energy(const Matrix3X& displacement) const override {
    const auto packet_energy = [&](std::size_t p) {
      Packet sum{};
      for_each_point(p, gather(displacement, p), [&](const Mat3<Packet>& F, Packet weight, const Gradients&) {
        Packet density;
        energy_density(law(p), F, density);
        sum += weight * density;
      });
      return sum;
    };
    return reduce(0.0, packet_energy, [](double a, double b) { return a + b; });
  }

  double smallest_volume_ratio(const Matrix3X& displacement) const override {
    const auto packet_minimum = [&](std::size_t p) {
      Packet smallest = broadcast(std::numeric_limits<double>::infinity());
      for_each_point(p, gather(displacement, p), [&](const Mat3<Packet>& F, Packet, const Gradients&) {
        smallest = -max(-smallest, -determinant(F, cofactor(F)));
      });
      return smallest;
    };
    return reduce(std::numeric_limits<double>::infinity(), packet_minimum,
                  [](double a, double b) { return std::min(a, b); });
  }

  double largest_gradient(const Matrix3X& displacement) const override {
    const auto packet_maximum = [&](std::size_t p) {
      Packet largest{};
      for_each_point(p, gather(displacement, p), [&](const Mat3<Packet>& F, Packet, const Gradients&) {
        const Mat3<Packet> G = F - identity3<Packet>();
        largest = max(largest, inner(G, G));
      });
      return largest;
    };
    return std::sqrt(reduce(0.0, packet_maximum, [](double a, double b) { return std::max(a, b); }));
  }

  void force(const Matrix3X& displacement, Matrix3X& force) const override {
    force.setZero(3, displacement.cols());
    for_each_packet([&](std::size_t p) {
      Nodal f{};
      for_each_point(p, gather(displacement, p),
                     [&](const Mat3<Packet>& F, Packet weight, const Gradients& g) {
                       add_force(stress(law(p), F), weight, g, f);
                     });
      scatter(f, p, force);
    });
  }

  void force_and_stiffness(const Matrix3X& displacement, Tangent tangent, Matrix3X& force,
                           SparseMatrix& K) const override {
    force.setZero(3, displacement.cols());
    clear(K);
    for_each_packet([&](std::size_t p) {
      Nodal f{};
      Blocks k{};
      Mat9<Packet> A;
      for_each_point(p, gather(displacement, p),
                     [&](const Mat3<Packet>& F, Packet weight, const Gradients& g) {
                       add_force(stress(law(p), F), weight, g, f);
                       if (tangent == Tangent::exact) {
                         stress_derivative(law(p), F, A);
                       } else {
                         projected_stress_derivative(law(p), F, A);
                       }
                       add_stiffness(A, weight, g, k);
                     });
      scatter(f, p, force);
      scatter(k, p, K.valuePtr());
    });
  }

  void stiffness_derivative(const Matrix3X& displacement, const Matrix3X& direction,
                            SparseMatrix& H) const override {
    clear(H);
    for_each_packet([&](std::size_t p) {
      const Nodal a = gather(direction, p);
      Blocks h{};
      Mat9<Packet> dA;
      for_each_point(p, gather(displacement, p),
                     [&](const Mat3<Packet>& F, Packet weight, const Gradients& g) {
                       stress_second_derivative(law(p), F, displacement_gradient(a, g), dA);
                       add_stiffness(dA, weight, g, h);
                     });
      scatter(h, p, H.valuePtr());
    });
  }

  void stiffness_derivative_products(const Matrix3X& displacement, const Eigen::Ref<const Matrix>& directions,
                                     Matrix& products) const override {
    const int count = static_cast<int>(directions.cols());
    RowMajorMatrix sums;
    for (int first = 0, end = 0; first < count; first = end) {
      while (end < count && (end == first || pair_count(end + 1) - pair_count(first) <= pairs_at_once)) ++end;
      const Index first_pair = pair_count(first), pairs = pair_count(end) - first_pair;
      sums.setZero(products.rows(), (pairs + packet_size - 1) / packet_size * packet_size);
      for_each_block([&](const ElementSchedule::Block& block) {
        PairForces forces(end, sums.cols());
        for (int p = block.first_packet; p < block.end_packet; ++p) {
          compute_pair_forces(static_cast<std::size_t>(p), displacement, directions, first, forces);
          scatter(forces, static_cast<std::size_t>(p), sums);
        }
      });
      executor_.parallel_ranges(sums.rows(), rows_transposed_at_once, [&](Index begin, Index stop) {
        products.block(begin, first_pair, stop - begin, pairs) = sums.block(begin, 0, stop - begin, pairs);
      });
    }
  }

 private:
  static constexpr int N = Element::nodes;
  static constexpr int node_pairs = N * (N + 1) / 2;
  static constexpr Index pairs_at_once = 256;  ///< bounds the memory beside the result
  static constexpr Index rows_transposed_at_once = 64;
  using Gradients = Packet[N][3];
  using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// A vector per vertex of eight elements.
  struct Nodal {
    Packet at[N][3];
  };

  /// The blocks (a, b), a <= b, of eight element matrices; block (a, b) has the number b (b + 1) / 2 + a.
  struct Blocks {
    Packet at[node_pairs][3][3];
  };

  /// Element forces of eight elements for many pairs of directions, with what is needed to compute them.
  struct PairForces {
    /// padded_pairs: their number, rounded up to whole packets.
    PairForces(int directions, Index padded_pairs)
        : gradient(static_cast<std::size_t>(directions * Element::points)),
          row(static_cast<std::size_t>(directions)),
          pairs(padded_pairs),
          at(static_cast<std::size_t>(3 * N * padded_pairs)) {}

    std::vector<Mat3<Packet>> gradient;  ///< per direction and point
    std::vector<Nodal> row;              ///< of the pairs (i, j) for one i
    Index pairs;
    std::vector<Packet> at;  ///< (3 a + axis) pairs + pair
  };

  const MaterialLaw& law(std::size_t p) const {
    return materials_[static_cast<std::size_t>(schedule_.packets[p].region)].law;
  }

  /// body(p) for every packet; those that share a vertex run one after the other, in an order that never
  /// changes.
  template <class Body>
  void for_each_packet(const Body& body) const {
    for_each_block([&](const ElementSchedule::Block& block) {
      for (int p = block.first_packet; p < block.end_packet; ++p) body(static_cast<std::size_t>(p));
    });
  }

  /// The same for blocks of packets.
  template <class Body>
  void for_each_block(const Body& body) const {
    for (std::size_t c = 0; c + 1 < schedule_.first_of_colour.size(); ++c) {
      const int first = schedule_.first_of_colour[c];
      executor_.parallel_for(schedule_.first_of_colour[c + 1] - first, [&](std::ptrdiff_t i) {
        body(schedule_.blocks[static_cast<std::size_t>(first + i)]);
      });
    }
  }

  /// Combines value(p) of all packets and lanes, block by block and then in the order of blocks.
  template <class Value, class Combine>
  double reduce(double initial, const Value& value, const Combine& combine) const {
    std::vector<double> parts(schedule_.blocks.size(), initial);
    executor_.parallel_for(static_cast<std::ptrdiff_t>(parts.size()), [&](std::ptrdiff_t i) {
      const auto& block = schedule_.blocks[static_cast<std::size_t>(i)];
      double part = initial;
      for (int p = block.first_packet; p < block.end_packet; ++p) {
        const Packet lanes = value(static_cast<std::size_t>(p));
        for (int lane = 0; lane < schedule_.packets[static_cast<std::size_t>(p)].count; ++lane) {
          part = combine(part, lanes[lane]);
        }
      }
      parts[static_cast<std::size_t>(i)] = part;
    });
    double result = initial;
    for (const double part : parts) result = combine(result, part);
    return result;
  }

  /// point(F, weight, gradients) at each quadrature point of packet p.
  template <class Point>
  void for_each_point(std::size_t p, const Nodal& u, const Point& point) const {
    for (int q = 0; q < Element::points; ++q) {
      Gradients g;
      const Packet weight = elements_[p].point(q, g);
      point(displacement_gradient(u, g) + identity3<Packet>(), weight, g);
    }
  }

  Nodal gather(const Matrix3X& field, std::size_t p) const {
    Nodal u;
    const int* vertex = &vertices_[p * packet_size * N];
    for (int lane = 0; lane < packet_size; ++lane) {
      for (int a = 0; a < N; ++a, ++vertex) {
        const double* x = field.data() + 3 * std::ptrdiff_t{*vertex};
        for (int axis = 0; axis < 3; ++axis) u.at[a][axis][lane] = x[axis];
      }
    }
    return u;
  }

  /// The same from a column of unknowns.
  Nodal gather_unknowns(const double* u, std::size_t p) const {
    Nodal result;
    const int* free = &free_[p * packet_size * N];
    for (int lane = 0; lane < packet_size; ++lane) {
      for (int a = 0; a < N; ++a, ++free) {
        for (int axis = 0; axis < 3; ++axis) {
          result.at[a][axis][lane] = *free < 0 ? 0.0 : u[3 * std::ptrdiff_t{*free} + axis];
        }
      }
    }
    return result;
  }

  static Mat3<Packet> displacement_gradient(const Nodal& u, const Gradients& g) {
    Mat3<Packet> G;
    for (int a = 0; a < N; ++a)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) G(i, j) += u.at[a][i] * g[a][j];
    return G;
  }

  static void add_force(const Mat3<Packet>& P, Packet weight, const Gradients& g, Nodal& f) {
    const Mat3<Packet> wP = weight * P;
    for (int a = 0; a < N; ++a)
      for (int i = 0; i < 3; ++i) f.at[a][i] += wP(i, 0) * g[a][0] + wP(i, 1) * g[a][1] + wP(i, 2) * g[a][2];
  }

  static void add_stiffness(const Mat9<Packet>& A, Packet weight, const Gradients& g, Blocks& k) {
    for (int b = 0; b < N; ++b) {
      const Packet wg[3] = {weight * g[b][0], weight * g[b][1], weight * g[b][2]};
      for (int c = 0; c < 3; ++c) {  // column (b, c) of the element matrix
        Packet Ag[9];
        for (int ij = 0; ij < 9; ++ij)
          Ag[ij] = A(ij, c) * wg[0] + A(ij, c + 3) * wg[1] + A(ij, c + 6) * wg[2];
        for (int a = 0; a <= b; ++a) {
          Packet(&block)[3][3] = k.at[b * (b + 1) / 2 + a];
          for (int i = 0; i < 3; ++i)
            block[i][c] += Ag[i] * g[a][0] + Ag[i + 3] * g[a][1] + Ag[i + 6] * g[a][2];
        }
      }
    }
  }

  /// forces.at for the pairs (i, j) with i from `first` on.
  void compute_pair_forces(std::size_t p, const Matrix3X& displacement,
                           const Eigen::Ref<const Matrix>& directions, int first, PairForces& forces) const {
    const int count = static_cast<int>(forces.row.size());
    Mat3<Packet> F[Element::points];
    Gradients g[Element::points];
    Packet weight[Element::points];
    const Nodal u = gather(displacement, p);
    for (int q = 0; q < Element::points; ++q) {
      weight[q] = elements_[p].point(q, g[q]);
      F[q] = displacement_gradient(u, g[q]) + identity3<Packet>();
    }
    for (int i = 0; i < count; ++i) {
      const Nodal a = gather_unknowns(directions.col(i).data(), p);
      for (int q = 0; q < Element::points; ++q)
        forces.gradient[gradient_at(q, i, count)] = displacement_gradient(a, g[q]);
    }
    Mat9<Packet> dA;
    for (int i = first; i < count; ++i) {
      for (int j = 0; j <= i; ++j) forces.row[static_cast<std::size_t>(j)] = Nodal{};
      for (int q = 0; q < Element::points; ++q) {
        stress_second_derivative(law(p), F[q], forces.gradient[gradient_at(q, i, count)], dA);
        for (int j = 0; j <= i; ++j) {
          add_force(contract(dA, forces.gradient[gradient_at(q, j, count)]), weight[q], g[q],
                    forces.row[static_cast<std::size_t>(j)]);
        }
      }
      Packet* at = forces.at.data() + pair_count(i) - pair_count(first);
      for (int c = 0; c < 3 * N; ++c, at += forces.pairs) {
        for (int j = 0; j <= i; ++j) at[j] = forces.row[static_cast<std::size_t>(j)].at[c / 3][c % 3];
      }
    }
  }

  static std::size_t gradient_at(int q, int direction, int directions) {
    return static_cast<std::size_t>(q * directions + direction);
  }

  /// dP = A : dF.
  static Mat3<Packet> contract(const Mat9<Packet>& A, const Mat3<Packet>& dF) {
    Mat3<Packet> P;
    for (int kl = 0; kl < 9; ++kl)
      for (int ij = 0; ij < 9; ++ij) P.entry[ij] += A(ij, kl) * dF.entry[kl];
    return P;
  }

  void scatter(const PairForces& forces, std::size_t p, RowMajorMatrix& sums) const {
    const int* free = &free_[p * packet_size * N];
    for (int c = 0; c < 3 * N; ++c) {
      double* target[packet_size];
      for (int lane = 0; lane < packet_size; ++lane) {
        const int f = lane < schedule_.packets[p].count ? free[lane * N + c / 3] : -1;
        target[lane] = f < 0 ? nullptr : sums.data() + (3 * Index{f} + c % 3) * forces.pairs;
      }
      for (Index pair = 0; pair < forces.pairs; pair += packet_size) {
        Packet lanes[packet_size];
        for (int i = 0; i < packet_size; ++i)
          lanes[i] = forces.at[static_cast<std::size_t>(c * forces.pairs + pair + i)];
        transpose(lanes);  // from pairs of lanes to lanes of pairs
        for (int lane = 0; lane < packet_size; ++lane) {
          if (target[lane]) *reinterpret_cast<Packet*>(target[lane] + pair) += lanes[lane];
        }
      }
    }
  }

  void scatter(const Nodal& f, std::size_t p, Matrix3X& force) const {
    const int* vertex = &vertices_[p * packet_size * N];
    for (int lane = 0; lane < schedule_.packets[p].count; ++lane) {
      for (int a = 0; a < N; ++a, ++vertex) {
        double* x = force.data() + 3 * std::ptrdiff_t{*vertex};
        for (int axis = 0; axis < 3; ++axis) x[axis] += f.at[a][axis][lane];
      }
    }
  }

  void scatter(const Blocks& k, std::size_t p, double* values) const {
    for (int lane = 0; lane < schedule_.packets[p].count; ++lane) {
      const std::size_t element = p * packet_size + static_cast<std::size_t>(lane);
      const int* slot = &slots_[element * N * N];  // slot[a + N b]
      const int* free = &free_[element * N];
      for (int b = 0; b < N; ++b) {
        if (free[b] < 0) continue;
        const int stride_b = stride_[static_cast<std::size_t>(free[b])];
        for (int a = 0; a <= b; ++a) {
          if (free[a] < 0) continue;
          const Packet(&block)[3][3] = k.at[b * (b + 1) / 2 + a];
          double* upper = values + slot[a + N * b];
          for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i) upper[i + j * stride_b] += block[i][j][lane];
          if (a == b) continue;
          const int stride_a = stride_[static_cast<std::size_t>(free[a])];
          double* lower = values + slot[b + N * a];
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) lower[j + i * stride_a] += block[i][j][lane];
        }
      }
    }
  }

  void clear(SparseMatrix& K) const {
    executor_.parallel_ranges(K.nonZeros(), 1 << 18, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::fill(K.valuePtr() + begin, K.valuePtr() + end, 0.0);
    });
  }

  ElementSchedule schedule_;
  std::vector<Element> elements_;  ///< per packet
  std::vector<int> vertices_;      ///< per packet, lane and local vertex: vertex number
  std::vector<int> free_;          ///< the same: number among the free vertices, or -1
  std::vector<int> slots_;         ///< per packet and lane: N x N slots of the Sparsity
  std::vector<Material> materials_;
  Executor executor_;
  std::vector<int> stride_;
};

}  // namespace

std::unique_ptr<Assembly> make_assembly(const VolumeMesh& mesh, const Sparsity& sparsity, const DofMap& dofs,
                                        const std::vector<Material>& materials, const Executor& executor) {
  if (mesh.kind == ElementKind::tetrahedron) {
    return std::make_unique<ElementAssembly<TetrahedronElement>>(mesh, sparsity, dofs, materials, executor);
  }
  return std::make_unique<ElementAssembly<BrickElement>>(mesh, sparsity, dofs, materials, executor);
}

}  // namespace limber
