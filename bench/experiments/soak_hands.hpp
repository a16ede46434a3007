#pragma once

#include "bench/experiments/soak_subject.hpp"
#include "limber/live/live_body.hpp"

#include <cmath>
#include <vector>

namespace limber::bench {

inline double extent(const Matrix3X& vertices) {
  return (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).norm();
}

/// Pulls at a body or a tree.
template <class Live>
class Hands {
 public:
  void grab(Live& live, const SurfaceMesh& mesh, double size, Random& random) {
    pulls_.clear();
    const int count = 1 + static_cast<int>(random.uniform(0.0, 3.0));
    while (static_cast<int>(pulls_.size()) < count) {  // at least one, or nothing would be let go
      const int vertex = static_cast<int>(random.uniform() * static_cast<double>(mesh.vertex_count()));
      const double stiffness = live.stiffness_at(vertex);
      if (!std::isfinite(stiffness)) continue;  // it is held
      const Vector3 target =
          live.position(vertex) + log_uniform(random, 0.01, 1.0) * size * random_direction(random);
      pulls_.push_back({vertex, target, stiffness * log_uniform(random, 0.1, strongest)});
    }
    reach_ = size;
    live.set_pulls(pulls_);
  }

  void move(Live& live, Random& random) {
    for (Pull& pull : pulls_) pull.target += 0.01 * reach_ * random_direction(random);
    live.set_pulls(pulls_);
  }

  void let_go(Live& live) {
    pulls_.clear();
    live.set_pulls(pulls_);
  }

 private:
  static constexpr double strongest = 100.0;  ///< times the stiffness of the body

  std::vector<Pull> pulls_;
  double reach_ = 0.0;
};

}  // namespace limber::bench
