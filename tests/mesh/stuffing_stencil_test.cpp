#include "limber/mesh/stuffing_stencil.hpp"

#include "limber/base/random.hpp"
#include "limber/mesh/quality.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace limber::stuffing_stencil_test {
namespace {

constexpr double alpha_long = 0.285, alpha_short = 0.3975;

/// A regular tetrahedron of the lattice with the given signs and the cuts at random places that warping
/// allows.
struct Sample {
  CutTetrahedron tetrahedron;
  std::vector<Vector3> points;

  Sample(const std::array<int, 4>& sign, Random& random) : points(4) {
    tetrahedron.position = {Eigen::Vector3i(1, 1, 1), Eigen::Vector3i(3, 1, 1), Eigen::Vector3i(2, 0, 0),
                            Eigen::Vector3i(2, 2, 0)};
    tetrahedron.sign = sign;
    for (std::size_t i = 0; i < 4; ++i) {
      tetrahedron.vertices[i] = static_cast<int>(i);
      points[i] = tetrahedron.position[i].cast<double>();
      tetrahedron.cut[i].fill(-1);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        if (sign[i] * sign[j] >= 0) continue;
        const double alpha = (i ^ 1U) == j ? alpha_long : alpha_short;
        const double share = random.uniform(alpha, 1.0 - alpha);
        tetrahedron.cut[i][j] = tetrahedron.cut[j][i] = static_cast<int>(points.size());
        points.push_back(points[i] + share * (points[j] - points[i]));
      }
    }
  }

  [[nodiscard]] std::vector<std::array<int, 4>> fill() const {
    std::vector<std::array<int, 4>> result;
    fill_cut_tetrahedron(tetrahedron, points, result);
    return result;
  }

  [[nodiscard]] double volume(const std::array<int, 4>& tet) const {
    const auto x = [&](std::size_t i) { return points[static_cast<std::size_t>(tet[i])]; };
    return std::abs((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0))) / 6.0;
  }

  /// Share of the tetrahedron inside, where the surface is linear between the cuts, by brute force: cuts off
  /// at the outer corners leave the rest.
  [[nodiscard]] double inner_volume_by_outer_corners() const {
    double inside = volume({0, 1, 2, 3});
    std::vector<std::size_t> outer;
    for (std::size_t i = 0; i < 4; ++i) {
      if (tetrahedron.sign[i] < 0) outer.push_back(i);
    }
    if (outer.size() != 1) return -1.0;  // only one corner off is a tetrahedron for sure
    std::array<int, 4> corner{static_cast<int>(outer[0]), 0, 0, 0};
    std::size_t next = 1;
    for (std::size_t j = 0; j < 4; ++j) {
      if (j == outer[0]) continue;
      corner[next++] = tetrahedron.sign[j] == 0 ? static_cast<int>(j) : tetrahedron.cut[outer[0]][j];
    }
    return inside - volume(corner);
  }
};

std::vector<std::array<int, 4>> all_signs() {
  std::vector<std::array<int, 4>> signs;
  for (int code = 0; code < 81; ++code) {
    signs.push_back({code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1});
  }
  return signs;
}

TEST(StuffingStencil, FillsExactlyWhatIsLeftWhereOneCornerIsOutside) {
  Random random(3);
  int compared = 0;
  for (const auto& sign : all_signs()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Sample sample(sign, random);
      const double expected = sample.inner_volume_by_outer_corners();
      if (expected < 0.0 || *std::max_element(sign.begin(), sign.end()) < 1) continue;
      double filled = 0.0;
      for (const auto& tet : sample.fill()) filled += sample.volume(tet);
      EXPECT_NEAR(filled, expected, 1e-12);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(StuffingStencil, LeavesNothingOfATetrahedronThatIsOutside) {
  Random random(4);
  for (const auto& sign : all_signs()) {
    const bool any_inside = *std::max_element(sign.begin(), sign.end()) > 0;
    EXPECT_EQ(Sample(sign, random).fill().empty(), !any_inside);
  }
}

/// Lattice edges from a vertex, half cells, and no move at all.
std::vector<Eigen::Vector3i> moves() {
  std::vector<Eigen::Vector3i> result{Eigen::Vector3i::Zero()};
  for (int axis = 0; axis < 3; ++axis) {
    for (const int sign : {2, -2}) result.push_back(sign * Eigen::Vector3i::Unit(axis));
  }
  for (int corner = 0; corner < 8; ++corner) {
    result.emplace_back((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
  }
  return result;
}

struct Angles {
  double smallest = 180.0, largest = 0.0;

  void add(const Sample& sample) {
    VolumeMesh mesh;
    mesh.regions = {{1, ""}};
    mesh.region = {0};
    mesh.elements = Eigen::Vector4i(0, 1, 2, 3);
    mesh.vertices.resize(3, 4);
    for (const auto& tet : sample.fill()) {
      for (Index i = 0; i < 4; ++i) {
        mesh.vertices.col(i) = sample.points[static_cast<std::size_t>(tet[static_cast<std::size_t>(i)])];
      }
      const MeshQuality quality = measure_quality(mesh);
      smallest = std::min(smallest, quality.smallest_dihedral);
      largest = std::max(largest, quality.largest_dihedral);
    }
  }
};

TEST(StuffingStencil, KeepsAnglesWithinTheBoundsForAllExtremesOfCutsAndMoves) {
  // Each vertex on the surface was moved along any lattice edge as far as warping allows, or not at all; each
  // cut is as near to an end as it may be. That is more than can happen together on a surface.
  const std::vector<Eigen::Vector3i> directions = moves();
  Angles angles;
  for (const auto& sign : all_signs()) {
    if (*std::max_element(sign.begin(), sign.end()) < 1) continue;
    Random random(7);
    const Sample plain(sign, random);
    const std::size_t cuts = plain.points.size() - 4;
    int combinations = 1;
    for (const int s : sign) combinations *= s == 0 ? static_cast<int>(directions.size()) : 1;
    for (int choice = 0; choice < combinations; ++choice) {
      for (unsigned ends = 0; ends < (1U << cuts); ++ends) {
        Sample sample = plain;
        int rest = choice;
        for (std::size_t i = 0; i < 4; ++i) {
          if (sign[i] != 0) continue;
          const Eigen::Vector3i& way = directions[static_cast<std::size_t>(rest) % directions.size()];
          rest /= static_cast<int>(directions.size());
          sample.points[i] +=
              (way.cwiseAbs().maxCoeff() == 2 ? alpha_long : alpha_short) * way.cast<double>();
        }
        for (std::size_t i = 0; i < 4; ++i) {
          for (std::size_t j = i + 1; j < 4; ++j) {
            const int cut = plain.tetrahedron.cut[i][j];
            if (cut < 0) continue;
            const double alpha = (i ^ 1U) == j ? alpha_long : alpha_short;
            const double share = (ends >> (cut - 4) & 1U) != 0 ? alpha : 1.0 - alpha;
            sample.points[static_cast<std::size_t>(cut)] =
                plain.points[i] + share * (plain.points[j] - plain.points[i]);
          }
        }
        angles.add(sample);
      }
    }
  }
  EXPECT_GT(angles.smallest, 10.7);
  EXPECT_LT(angles.largest, 164.8);
  EXPECT_LT(angles.smallest, 10.9) << "the bound that is promised could be better";
}

/// Triangles of the filling that lie in a face of the tetrahedron, as sets of vertices.
std::set<std::set<int>> triangles_in_face(const Sample& sample, const std::set<int>& face) {
  std::set<int> allowed = face;
  for (const int i : face) {
    for (const int j : face) {
      const int cut = sample.tetrahedron.cut[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (cut >= 0) allowed.insert(cut);
    }
  }
  std::set<std::set<int>> triangles;
  for (const auto& tet : sample.fill()) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::set<int> triangle(tet.begin(), tet.end());
      triangle.erase(tet[left_out]);
      if (std::includes(allowed.begin(), allowed.end(), triangle.begin(), triangle.end()))
        triangles.insert(triangle);
    }
  }
  return triangles;
}

TEST(StuffingStencil, DividesAFaceTheSameWayWhateverTheFourthCornerIs) {
  // The face 0 1 2 is shared with a neighbour, whose fourth corner has a sign of its own.
  for (int code = 0; code < 27; ++code) {
    std::set<std::set<int>> first;
    bool have_first = false;
    for (const int fourth : {-1, 0, 1}) {
      Random random(6);
      std::array<int, 4> sign{code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1, fourth};
      if (std::max({sign[0], sign[1], sign[2]}) < 1) continue;
      // Cut vertices are numbered in the order of edges; name them by their edge to compare.
      const Sample sample(sign, random);
      std::set<std::set<int>> named;
      for (const auto& triangle : triangles_in_face(sample, {0, 1, 2})) {
        std::set<int> names;
        for (const int v : triangle) {
          int name = v;
          for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
              if (sample.tetrahedron.cut[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] == v)
                name = 100 + 10 * i + j;
            }
          }
          names.insert(name);
        }
        named.insert(names);
      }
      if (have_first) {
        EXPECT_EQ(named, first) << "signs of the face: code " << code << ", fourth " << fourth;
      }
      first = named;
      have_first = true;
    }
  }
}

}  // namespace
}  // namespace limber::stuffing_stencil_test
