#pragma once

#include "bench/experiments/soak_subject.hpp"
#include "limber/body/body.hpp"

#include <cmath>
#include <vector>

namespace limber::bench {

inline double extent(const Matrix3X& vertices) {
  return (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).norm();
}

/// Pulls at a body by springs.
class Hands {
 public:
  void grab(Body& body, double size, Random& random) {
    const SurfaceMesh& mesh = body.surface().mesh();
    springs_.clear();
    const int count = 1 + static_cast<int>(random.uniform(0.0, 3.0));
    while (static_cast<int>(springs_.size()) < count) {  // at least one, or nothing would be let go
      const int vertex = static_cast<int>(random.uniform() * static_cast<double>(mesh.vertex_count()));
      const double stiffness = body.stiffness_at(vertex);
      if (!std::isfinite(stiffness)) continue;  // it is held
      const Vector3 target =
          body.position(vertex) + log_uniform(random, 0.01, 1.0) * size * random_direction(random);
      springs_.push_back({vertex, target, stiffness * log_uniform(random, 0.1, strongest)});
    }
    reach_ = size;
    body.set_springs(springs_);
  }

  void move(Body& body, Random& random) {
    for (Spring& spring : springs_) spring.target += 0.01 * reach_ * random_direction(random);
    body.set_springs(springs_);
  }

  void let_go(Body& body) {
    springs_.clear();
    body.set_springs(springs_);
  }

 private:
  static constexpr double strongest = 100.0;  ///< times the stiffness of the body

  std::vector<Spring> springs_;
  double reach_ = 0.0;
};

}  // namespace limber::bench
