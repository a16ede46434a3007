#include "limber/mesh/stuffing_stencil.hpp"

#include "limber/mesh/quality.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

using Tet = std::array<int, 4>;

constexpr int partner(int corner) { return corner ^ 1; }  ///< other end of the long edge

/// Corners sorted by where they are.
struct Sides {
  std::array<int, 4> inside{}, outside{}, on{};
  int in = 0, out = 0, zero = 0;

  explicit Sides(const std::array<int, 4>& sign) {
    for (int i = 0; i < 4; ++i) {
      const int s = sign[static_cast<std::size_t>(i)];
      if (s > 0) inside[static_cast<std::size_t>(in++)] = i;
      if (s < 0) outside[static_cast<std::size_t>(out++)] = i;
      if (s == 0) on[static_cast<std::size_t>(zero++)] = i;
    }
  }
};

/// True where the diagonal of the quadrilateral that the outer corner `o` leaves of the face (p, q, o) starts
/// at p (and ends at the cut on q-o); else it starts at q.
bool diagonal_from_first(const CutTetrahedron& t, int p, int q, int o) {
  if (partner(p) == o) return false;  // the cut on the long edge p-o takes the diagonal: it ends at q
  if (partner(q) == o) return true;
  const Eigen::Vector3i &at_p = t.position[static_cast<std::size_t>(p)],
                        &at_o = t.position[static_cast<std::size_t>(o)];
  return (at_p.array() > at_o.array()).count() % 2 == 1;
}

/// A triangular prism: top[i] is above bottom[i]. from_top[i]: the diagonal of the side between i and i + 1
/// goes from top[i] to bottom[i + 1], else from bottom[i] to top[i + 1].
struct Prism {
  std::array<int, 3> top{}, bottom{};
  std::array<bool, 3> from_top{};

  /// Diagonals that all turn the same way round leave no tetrahedron.
  [[nodiscard]] bool can_be_filled() const {
    return !(from_top[0] == from_top[1] && from_top[1] == from_top[2]);
  }

  void fill(std::vector<Tet>& result) const {
    // Some vertex is the end of two diagonals: top[i] where side i starts and side i - 1 ends there, likewise
    // below.
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t next = (i + 1) % 3, last = (i + 2) % 3;
      const bool top_has_both = from_top[i] && !from_top[last];
      const bool bottom_has_both = !from_top[i] && from_top[last];
      if (!top_has_both && !bottom_has_both) continue;
      const int apex = top_has_both ? top[i] : bottom[i];
      const auto& far = top_has_both ? bottom : top;
      result.push_back({apex, far[0], far[1], far[2]});
      // The side opposite, seen from the apex.
      if (from_top[next]) {
        result.push_back({apex, top[next], bottom[last], top[last]});
        result.push_back({apex, top[next], bottom[next], bottom[last]});
      } else {
        result.push_back({apex, bottom[next], top[last], top[next]});
        result.push_back({apex, bottom[next], bottom[last], top[last]});
      }
      return;
    }
  }
};

double worst_sine(const std::vector<Tet>& tets, const std::vector<Vector3>& points) {
  double worst = 1.0;
  for (const Tet& tet : tets) {
    const auto x = [&](std::size_t i) -> const Vector3& { return points[static_cast<std::size_t>(tet[i])]; };
    worst = std::min(worst, std::abs(smallest_dihedral_sine(x(0), x(1), x(2), x(3))));
  }
  return worst;
}

void append_better(const Prism& one, const Prism& other, const std::vector<Vector3>& points,
                   std::vector<Tet>& result) {
  std::vector<Tet> first, second;
  if (one.can_be_filled()) one.fill(first);
  if (other.can_be_filled()) other.fill(second);
  const bool take_first =
      second.empty() || (!first.empty() && worst_sine(first, points) >= worst_sine(second, points));
  const auto& chosen = take_first ? first : second;
  result.insert(result.end(), chosen.begin(), chosen.end());
}

}  // namespace

void fill_cut_tetrahedron(const CutTetrahedron& t, const std::vector<Vector3>& points,
                          std::vector<Tet>& result) {
  const Sides s(t.sign);
  const auto vertex = [&](int i) { return t.vertices[static_cast<std::size_t>(i)]; };
  const auto cut = [&](int i, int j) {
    return t.cut[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  };
  if (s.in == 0) return;
  const int p = s.inside[0], q = s.inside[1], r = s.inside[2];
  const int o = s.outside[0], o2 = s.outside[1];
  if (s.out == 0) {
    result.push_back(t.vertices);
  } else if (s.in == 1) {  // one tetrahedron, its other corners on the surface
    Tet tet{vertex(p), 0, 0, 0};
    std::size_t filled = 1;
    for (int i = 0; i < s.out; ++i) tet[filled++] = cut(p, s.outside[static_cast<std::size_t>(i)]);
    for (int i = 0; i < s.zero; ++i) tet[filled++] = vertex(s.on[static_cast<std::size_t>(i)]);
    result.push_back(tet);
  } else if (s.in == 2 && s.out == 1) {  // a pyramid over the quadrilateral p, q, cut q-o, cut p-o
    const int apex = vertex(s.on[0]);
    if (diagonal_from_first(t, p, q, o)) {
      result.push_back({apex, vertex(p), vertex(q), cut(q, o)});
      result.push_back({apex, vertex(p), cut(q, o), cut(p, o)});
    } else {
      result.push_back({apex, vertex(p), vertex(q), cut(p, o)});
      result.push_back({apex, vertex(q), cut(q, o), cut(p, o)});
    }
  } else if (s.in == 3) {  // a prism between the inner face and the cuts
    Prism prism{{vertex(p), vertex(q), vertex(r)}, {cut(p, o), cut(q, o), cut(r, o)}, {}};
    prism.from_top = {diagonal_from_first(t, p, q, o), diagonal_from_first(t, q, r, o),
                      diagonal_from_first(t, r, p, o)};
    prism.fill(result);
  } else {  // two inside, two outside: a prism along the edge p-q, with one side on the surface
    Prism prism{{vertex(p), cut(p, o), cut(p, o2)}, {vertex(q), cut(q, o), cut(q, o2)}, {}};
    prism.from_top = {diagonal_from_first(t, p, q, o), false, !diagonal_from_first(t, p, q, o2)};
    Prism other = prism;
    other.from_top[1] = true;
    append_better(prism, other, points, result);
  }
}

}  // namespace limber
