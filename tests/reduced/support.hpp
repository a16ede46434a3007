#pragma once

#include "limber/mesh/embedding.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "tests/mesh/support.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace limber::test {

/// Coefficients of 1/2 sum over m of (a_m . q + curvature * q . B_m q)^2 with random a and B: like the energy
/// of a body it is never negative, zero at rest, and its stiffness may be indefinite far from there.
inline Vector strain_energy(Index rank, std::uint64_t seed, double curvature = 0.5) {
  const Index variables = 1 + rank;
  Random random(seed);
  Vector energy = Vector::Zero(monomial_count(rank));
  for (Index m = 0; m < 2 * rank; ++m) {
    Vector strain = Vector::Zero(pair_count(variables));
    for (Index i = 1; i <= rank; ++i) {
      strain(pair_index(i, 0)) = random.normal() / std::sqrt(static_cast<double>(rank));
      for (Index j = 1; j <= i; ++j) {
        strain(pair_index(i, j)) = curvature * random.normal() / static_cast<double>(rank);
      }
    }
    for (Index i = 0; i < variables; ++i) {
      for (Index j = 0; j <= i; ++j) {
        for (Index k = 0; k < variables; ++k) {
          for (Index l = 0; l <= k; ++l) {
            std::array index{i, j, k, l};
            std::sort(index.begin(), index.end());
            energy(monomial_index(index[3], index[2], index[1], index[0])) +=
                0.5 * strain(pair_index(i, j)) * strain(pair_index(k, l));
          }
        }
      }
    }
  }
  return energy;
}

/// Coefficients of 1/2 q . K q.
inline Vector spring_energy(const Matrix& K) {
  Vector energy = Vector::Zero(monomial_count(K.rows()));
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) energy(monomial_index(i + 1, j + 1, 0, 0)) = K(i, j);
    energy(monomial_index(i + 1, i + 1, 0, 0)) = 0.5 * K(i, i);
  }
  return energy;
}

inline ReducedEquations equations_of(Index rank, const Vector& energy, const Matrix& mass) {
  return {rank, Quartic(rank, energy), mass, Eigen::MatrixX3d::Zero(rank, 3)};
}
inline ReducedEquations equations_of(Index rank, const Vector& energy) {
  return equations_of(rank, energy, Matrix::Identity(rank, rank));
}

/// Symmetric and positive definite, well away from the identity.
inline Matrix some_mass(Index rank) {
  const Matrix A = Eigen::Map<const Matrix>(random_vector(rank * rank, 1.0, 9).eval().data(), rank, rank);
  return 0.5 * Matrix::Identity(rank, rank) + A * A.transpose();
}

struct Evaluation {
  double energy;
  Vector force;
  Matrix stiffness;
};
inline Evaluation evaluate(const ReducedEquations& equations, const Vector& q) {
  ElasticWorkspace work;
  Evaluation result{0.0, Vector(q.size()), Matrix(q.size(), q.size())};
  result.energy = equations.elastic.evaluate(q, work, result.force, result.stiffness);
  return result;
}

/// A model of two regions whose numbers come from nowhere but fit together: what its parts mean does not
/// matter here.
inline ReducedModel small_model(Index rank = 4) {
  ReducedModel model;
  model.name = "small";
  model.rank = rank;
  SimulationMesh simulation;
  simulation.mesh = make_beam({ElementKind::tetrahedron, Vector3(2.0, 1.0, 1.0), Eigen::Vector3i(2, 1, 1)});
  simulation.mesh.regions = {{1, "left"}, {2, "right"}};
  for (Index e = 0; e < simulation.mesh.element_count(); ++e) {
    simulation.mesh.region[static_cast<std::size_t>(e)] = e < simulation.mesh.element_count() / 2 ? 0 : 1;
  }
  const Index n = simulation.mesh.vertex_count();
  simulation.basis = Eigen::Map<const Matrix>(random_vector(3 * n * rank, 1.0, 1).eval().data(), 3 * n, rank);
  simulation.fixed = vertices_below(simulation.mesh, 1e-6);
  for (const int vertex : simulation.fixed) simulation.basis.middleRows<3>(3 * Index{vertex}).setZero();

  model.surface.mesh = boundary_surface(simulation.mesh);
  model.surface.colors = {Vector3(0.8, 0.2, 0.2), Vector3(0.2, 0.2, 0.8)};
  simulation.embedding = embed_points(simulation.mesh, model.surface.mesh.vertices);
  const Index points = model.surface.mesh.vertex_count();
  model.surface.basis.resize(3 * points, rank);
  for (Index k = 0; k < rank; ++k) {
    const Matrix3X field = Eigen::Map<const Matrix3X>(simulation.basis.col(k).data(), 3, n);
    model.surface.basis.col(k) = interpolate(simulation.embedding, field).reshaped().cast<float>();
  }

  // Masses that sum up to the identity for densities 1000 and 500.
  const Matrix share = 0.3 * Matrix::Identity(rank, rank) + 0.05 * Matrix::Ones(rank, rank);
  const std::array<Matrix, 2> masses{share / 1000.0, (Matrix::Identity(rank, rank) - share) / 500.0};
  for (int i = 0; i < 2; ++i) {
    ReducedRegion region;
    region.region = simulation.mesh.regions[static_cast<std::size_t>(i)];
    region.material = {Stvk{lame_from_young(1.0 + i, 0.3)}, i == 0 ? 1000.0 : 500.0};
    region.volume = 1.0;
    region.lambda_energy = strain_energy(rank, static_cast<std::uint64_t>(10 + i));
    region.mu_energy = strain_energy(rank, static_cast<std::uint64_t>(20 + i));
    region.mass = masses[static_cast<std::size_t>(i)];
    region.weight =
        Eigen::Map<const Eigen::MatrixX3d>(random_vector(3 * rank, 1e-3, 30).eval().data(), rank, 3);
    const Matrix3 spread = random_matrix3(1.0, static_cast<std::uint64_t>(40 + i));
    region.moments = {.first = Vector3(0.5 + i, 0.5, 0.5),
                      .second = spread * spread.transpose(),
                      .second_rows = random_vector(9 * rank, 1e-3, 50).reshaped(9, rank),
                      .second_pairs = random_vector(9 * rank * rank, 1e-3, 60).reshaped(9, rank * rank)};
    model.regions.push_back(std::move(region));
  }
  model.simulation = std::move(simulation);
  return model;
}

/// Equal to the last bit, time included.
inline bool same_state(const DynamicState& a, const DynamicState& b) {
  return a.time == b.time && a.u == b.u && a.v == b.v && a.a == b.a;
}

}  // namespace limber::test
