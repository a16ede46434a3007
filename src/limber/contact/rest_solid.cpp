#include "limber/contact/rest_solid.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/tetrahedron_place.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber {
namespace {

/// Around the diagonal from corner 0 to 6, so that neighbours cut the face they share along the same
/// diagonal.
constexpr int brick_tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                        {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

/// More make boxes and first guesses tighter, fewer cost less to follow. Cutting them into what hangs
/// together adds some: an octopus has 291, which take 14 us to follow at r = 30.
constexpr Index wanted_patches = 192;
constexpr Index least_patch_size = 12;  // tetrahedra: two bricks

/// Orders items so that halves of them lie on either side of a plane, again and again, down to `least` of
/// them; calls leaf(first, count).  place(item): 3 numbers.  multiple: of how many items halves are, but for
/// the last.
template <class Place, class Leaf>
void halve_by_place(std::vector<int>& order, int first, int count, int least, int multiple,
                    const Place& place, const Leaf& leaf) {
  if (count <= least) return leaf(first, count);
  Vector3 low = place(order[static_cast<std::size_t>(first)]), high = low;
  for (int i = first; i < first + count; ++i) {
    low = low.cwiseMin(place(order[static_cast<std::size_t>(i)]));
    high = high.cwiseMax(place(order[static_cast<std::size_t>(i)]));
  }
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = (count / 2 + multiple - 1) / multiple * multiple;
  std::nth_element(order.begin() + first, order.begin() + first + half, order.begin() + first + count,
                   [&](int a, int b) {
                     const double x = place(a)(axis), y = place(b)(axis);
                     return x < y || (x == y && a < b);
                   });
  halve_by_place(order, first, half, least, multiple, place, leaf);
  halve_by_place(order, first + half, count - half, least, multiple, place, leaf);
}

}  // namespace

RestSolid::RestSolid(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis,
                     std::shared_ptr<const RestField> field)
    : rank_(basis.cols()), vertex_count_(mesh.vertex_count()), field_(std::move(field)) {
  require(basis.rows() == 3 * mesh.vertex_count(), "a basis of {} rows for {} vertices, expected 3 each",
          basis.rows(), mesh.vertex_count());
  require(mesh.element_count() > 0, "a mesh without elements fills nothing");
  split_into_tetrahedra(mesh);
  find_neighbours();
  rows_.assign(static_cast<std::size_t>(vertex_count_ * 4 * (rank_ + 1)), 0.0F);
  for (Index v = 0; v < vertex_count_; ++v) {
    float* const row = rows_.data() + v * 4 * (rank_ + 1);
    for (Index l = 0; l < 3; ++l) row[l] = static_cast<float>(mesh.vertices(l, v));
    places_.insert(places_.end(), row, row + 4);
    for (Index k = 0; k < rank_; ++k)
      for (Index l = 0; l < 3; ++l) row[4 * (k + 1) + l] = static_cast<float>(basis(3 * v + l, k));
  }
  rows_.resize(rows_.size() + lane_count, 0.0F);  // the last one is read with what is behind it
  make_patches(mesh.vertices);
  const std::vector<std::vector<int>> members = patch_vertices();
  bound_patches(mesh.vertices, members);

  words_ = (patches_.size() + 63) / 64;
  neighbours_.assign(words_ * patches_.size(), 0);
  std::vector<std::vector<int>> patches_at(static_cast<std::size_t>(vertex_count_));
  for (std::size_t p = 0; p < members.size(); ++p)
    for (const int v : members[p]) patches_at[static_cast<std::size_t>(v)].push_back(static_cast<int>(p));
  for (const auto& meeting : patches_at)
    for (const int a : meeting)
      for (const int b : meeting)
        neighbours_[static_cast<std::size_t>(a) * words_ + static_cast<std::size_t>(b) / 64] |=
            std::uint64_t{1} << (b % 64);

  pack_patches(mesh.vertices, basis, members);
}

RestSolid::RestSolid(const VolumeMesh& mesh, std::shared_ptr<const RestField> field)
    : RestSolid(mesh, Matrix(3 * mesh.vertex_count(), 0), std::move(field)) {
  for (std::vector<int>& vertices : patch_vertices())
    fits_.push_back({AffineFit(mesh.vertices(Eigen::all, vertices)), std::move(vertices)});
}

std::vector<std::vector<int>> RestSolid::patch_vertices() const {
  std::vector<std::vector<int>> members(patches_.size());
  for (std::size_t t = 0; t < tetrahedra_.size(); ++t)
    for (const int v : tetrahedra_[t].vertex) members[static_cast<std::size_t>(patch_of_[t])].push_back(v);
  for (auto& of_patch : members) {
    std::sort(of_patch.begin(), of_patch.end());
    of_patch.erase(std::unique(of_patch.begin(), of_patch.end()), of_patch.end());
  }
  return members;
}

void RestSolid::split_into_tetrahedra(const VolumeMesh& mesh) {
  const auto put = [&](int a, int b, int c, int d) {
    tetrahedra_.push_back({{a, b, c, d}, {-1, -1, -1, -1}});
  };
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto at = [&](int k) { return mesh.elements(k, e); };
    if (mesh.kind == ElementKind::tetrahedron) {
      put(at(0), at(1), at(2), at(3));
    } else {
      for (const auto& corner : brick_tetrahedra)
        put(at(corner[0]), at(corner[1]), at(corner[2]), at(corner[3]));
    }
  }
}

void RestSolid::find_neighbours() {
  std::vector<std::array<int, 4>> faces;  // three vertices, ascending; 4 tetrahedron + the vertex across
  faces.reserve(4 * tetrahedra_.size());
  for (std::size_t t = 0; t < tetrahedra_.size(); ++t) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& v = tetrahedra_[t].vertex;
      std::array<int, 4> face{v[(k + 1) % 4], v[(k + 2) % 4], v[(k + 3) % 4], static_cast<int>(4 * t + k)};
      std::sort(face.begin(), face.begin() + 3);
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end());
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
    const auto &a = faces[i], &b = faces[i + 1];
    if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2]) continue;
    tetrahedra_[static_cast<std::size_t>(a[3] / 4)].next[static_cast<std::size_t>(a[3] % 4)] = b[3] / 4;
    tetrahedra_[static_cast<std::size_t>(b[3] / 4)].next[static_cast<std::size_t>(b[3] % 4)] = a[3] / 4;
  }
}

/// Halves of halves of the tetrahedra, each cut into what hangs together: two arms side by side are two
/// patches.
void RestSolid::make_patches(const Matrix3X& vertices) {
  const auto count = static_cast<int>(tetrahedra_.size());
  Matrix3X middles(3, count);
  for (int t = 0; t < count; ++t) {
    const auto& v = tetrahedra_[static_cast<std::size_t>(t)].vertex;
    middles.col(t) =
        0.25 * (vertices.col(v[0]) + vertices.col(v[1]) + vertices.col(v[2]) + vertices.col(v[3]));
  }
  const int least = static_cast<int>(std::max<Index>(least_patch_size, count / wanted_patches));
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  patch_of_.assign(static_cast<std::size_t>(count), -1);
  std::vector<int> group_of_vertex(static_cast<std::size_t>(vertex_count_), -1);
  int patch_count = 0;
  halve_by_place(
      order, 0, count, least, 1, [&](int t) { return middles.col(t); },
      [&](int first, int size) {
        // The group of a vertex is the first tetrahedron that has it; groups that meet are joined.
        std::vector<int> parent(static_cast<std::size_t>(size));
        std::iota(parent.begin(), parent.end(), 0);
        const auto root = [&](int i) {
          while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
          return i;
        };
        const auto each_vertex = [&](const auto& action) {
          for (int i = 0; i < size; ++i)
            for (const int v :
                 tetrahedra_[static_cast<std::size_t>(order[static_cast<std::size_t>(first + i)])].vertex)
              action(i, group_of_vertex[static_cast<std::size_t>(v)]);
        };
        each_vertex([&](int i, int& group) {
          if (group < 0) group = i;
          const int a = root(i), b = root(group);
          parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        });
        each_vertex([](int, int& group) { group = -1; });
        for (int i = 0; i < size; ++i) {
          const int of = root(i);
          const auto t = static_cast<std::size_t>(order[static_cast<std::size_t>(first + i)]);
          patch_of_[t] =
              of == i ? patch_count++
                      : patch_of_[static_cast<std::size_t>(order[static_cast<std::size_t>(first + of)])];
        }
      });
  patches_.resize(static_cast<std::size_t>(patch_count));
}

void RestSolid::bound_patches(const Matrix3X& vertices, const std::vector<std::vector<int>>& members) {
  for (std::size_t p = 0; p < members.size(); ++p) {
    const Matrix3X places = vertices(Eigen::all, members[p]);
    const Vector3 low = places.rowwise().minCoeff(), high = places.rowwise().maxCoeff();
    patches_[p] = {(0.5 * (low + high)).cast<float>(), (0.5 * (high - low)).cast<float>()};
  }
  // Tetrahedra from which walks start: of each place of a patch's box the one whose middle is nearest.
  const std::size_t per_patch = start_side * start_side * start_side;
  starts_.assign(per_patch * patches_.size(), -1);
  std::vector<double> nearest(starts_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < tetrahedra_.size(); ++t) {
    Vector3 middle = Vector3::Zero();
    for (const int v : tetrahedra_[t].vertex) middle += 0.25 * vertices.col(v);
    const auto p = static_cast<std::size_t>(patch_of_[t]);
    const Vector3 center = patches_[p].center.cast<double>(), half = patches_[p].half.cast<double>();
    for (std::size_t s = 0; s < per_patch; ++s) {
      const std::size_t layer = s / start_side, top = layer / start_side;
      const Vector3 share(static_cast<double>(s % start_side), static_cast<double>(layer % start_side),
                          static_cast<double>(top));
      const Vector3 place =
          center + ((2.0 * share.array() + 1.0) / start_side - 1.0).matrix().cwiseProduct(half);
      const double d = (place - middle).squaredNorm();
      if (d >= nearest[per_patch * p + s]) continue;
      nearest[per_patch * p + s] = d;
      starts_[per_patch * p + s] = static_cast<int>(t);
    }
  }
}

void RestSolid::pack_patches(const Matrix3X& vertices, const Eigen::Ref<const Matrix>& basis,
                             const std::vector<std::vector<int>>& members) {
  order_.resize(patches_.size());
  std::iota(order_.begin(), order_.end(), 0);
  halve_by_place(
      order_, 0, static_cast<int>(order_.size()), lane_count, lane_count,
      [&](int p) { return patches_[static_cast<std::size_t>(p)].center.cast<double>(); }, [](int, int) {});
  slots_.resize(order_.size());
  balls_ = BallPackets(vertices, basis);
  maps_ = PatchMaps(rank_);
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const auto p = static_cast<std::size_t>(order_[slot]);
    const auto packet = static_cast<int>(slot / lane_count), lane = static_cast<int>(slot % lane_count);
    slots_[p] = static_cast<int>(slot);
    if (lane == 0) {
      balls_.add();
      halves_.emplace_back();
    }
    balls_.put(packet, lane, members[p]);
    const auto count = static_cast<Index>(members[p].size());
    Matrix rows(3 * count, rank_);
    for (Index i = 0; i < count; ++i)
      rows.middleRows<3>(3 * i) = basis.middleRows<3>(Index{3} * members[p][static_cast<std::size_t>(i)]);
    maps_.add(patches_[p].center.cast<double>(), vertices(Eigen::all, members[p]), rows);
    for (int l = 0; l < 3; ++l) halves_.back().at[l][lane] = patches_[p].half(l);
  }
  balls_.finish();
}

int RestSolid::start_in(int patch, const Eigen::Vector3f& rest) const {
  const Patch& p = patches_[static_cast<std::size_t>(patch)];
  std::size_t index = 0;
  for (int k = 2; k >= 0; --k) {
    const float share = 0.5F * static_cast<float>(start_side) * ((rest(k) - p.center(k)) / p.half(k) + 1.0F);
    const float within = share > 0.0F ? std::min(share, static_cast<float>(start_side) - 0.5F) : 0.0F;
    index = index * start_side + static_cast<std::size_t>(within);
  }
  return starts_[static_cast<std::size_t>(patch) * start_side * start_side * start_side + index];
}

RestSolid::RestWalk RestSolid::walk_at_rest(const Eigen::Vector3f& rest, int from) const {
  RestWalk walk;
  walk.tetrahedron = walk_to(
      rest, from, [&](int t) -> const auto& { return tetrahedra_[static_cast<std::size_t>(t)].next; },
      [&](int t) {
        const auto& v = tetrahedra_[static_cast<std::size_t>(t)].vertex;
        return TetrahedronFrame(rest_of(v[0]), rest_of(v[1]), rest_of(v[2]), rest_of(v[3]));
      },
      walk.weights);
  return walk;
}

int RestSolid::locate(const Vector3& rest) const {
  const Eigen::Vector3f x = rest.cast<float>();
  int best = -1;
  float best_weight = -std::numeric_limits<float>::infinity(),
        best_distance = std::numeric_limits<float>::infinity();
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    const float outside = ((x - patches_[p].center).cwiseAbs() - patches_[p].half).cwiseMax(0.0F).norm();
    // A patch whose box holds it, else the nearest one.
    if (outside > best_distance) continue;
    const RestWalk walk = walk_at_rest(x, start_in(static_cast<int>(p), x));
    const float least = walk.weights.minCoeff();
    if (outside == best_distance && least <= best_weight) continue;
    best = walk.tetrahedron;
    best_weight = least;
    best_distance = outside;
  }
  return best;
}

void RestSolid::rows_at(const SolidPlace& place, Eigen::Ref<Eigen::Matrix3Xd> rows) const {
  rows.setZero();
  for (std::size_t i = 0; i < 4; ++i) {
    const float* const column = row_of(place.vertices[i]) + 4;
    for (Index k = 0; k < std::min(rank_, rows.cols()); ++k)
      for (Index l = 0; l < 3; ++l) rows(l, k) += place.weights[i] * static_cast<double>(column[4 * k + l]);
  }
}

std::size_t RestSolid::bytes() const {
  return maps_.bytes() + sizeof(float) * (rows_.size() + places_.size()) +
         sizeof(Tetrahedron) * tetrahedra_.size() + sizeof(int) * (patch_of_.size() + starts_.size()) +
         sizeof(std::uint64_t) * neighbours_.size();
}

RestSolid make_rest_solid(const ReducedModel& model, std::shared_ptr<const RestField> field) {
  require(model.simulation.has_value(),
          "{}: the model was kept without the mesh it was made from: nothing says what is inside of it when "
          "it deforms; "
          "reduce it again, or export it without --small",
          model.name.empty() ? "model" : model.name);
  if (!field) field = std::make_shared<const RestField>(make_rest_field(model));
  return {model.simulation->mesh, model.simulation->basis, std::move(field)};
}

}  // namespace limber
