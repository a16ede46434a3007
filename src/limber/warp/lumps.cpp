#include "limber/warp/lumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <span>

namespace limber {
namespace {

constexpr Index most_columns = 6;  ///< of the basis that features are made of: the slowest
constexpr double place_weight =
    0.5;  ///< of a way through the whole body, against a turn by 1 rad in the slowest column
constexpr int power_iterations = 6;  ///< for the direction of most variation: nearly that does as well

/// A share of a region's volume at a vertex.
struct Particle {
  int vertex;
  double volume;  ///< m^3
};

/// Those of each region, by ascending vertices; of moving vertices only.
std::vector<std::vector<Particle>> moving_particles(const VolumeMesh& mesh, const std::vector<char>& moves) {
  std::vector<std::vector<Particle>> particles(mesh.regions.size());
  const double share = 1.0 / vertices_per_element(mesh.kind);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double volume = share * element_volume(mesh, e);
    for (const int vertex : mesh.elements.col(e)) {
      if (moves[static_cast<std::size_t>(vertex)])
        particles[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])].push_back(
            {vertex, volume});
    }
  }
  for (std::vector<Particle>& region : particles) {
    std::stable_sort(region.begin(), region.end(),
                     [](const Particle& a, const Particle& b) { return a.vertex < b.vertex; });
    std::size_t count = 0;
    for (const Particle& particle : region) {
      if (count > 0 && region[count - 1].vertex == particle.vertex)
        region[count - 1].volume += particle.volume;
      else
        region[count++] = particle;
    }
    region.resize(count);
  }
  return particles;
}

/// What tells vertices apart, one column each: rotation vectors of the slowest columns of the basis, and the
/// place.
///
/// Stiffness is not known here, but how fast a column varies in space is: it turns by k per unit of
/// displacement. In bending stiffness grows as k^4 and with it rotations under a load fall as 1/k^3.
Matrix make_features(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis, const Matrix& rotations) {
  const auto farthest = [&](const auto& column) {
    return std::sqrt(column.reshaped(3, mesh.vertex_count()).colwise().squaredNorm().maxCoeff());
  };
  std::vector<std::pair<double, Index>> columns;  // 1 / k and number of those that turn
  Vector turn(basis.cols());
  for (Index i = 0; i < basis.cols(); ++i) {
    turn(i) = farthest(rotations.col(i));
    if (turn(i) > 0.0) columns.emplace_back(farthest(basis.col(i)) / turn(i), i);
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (static_cast<Index>(columns.size()) > most_columns) columns.resize(most_columns);

  const BoundingBox box = bounding_box(mesh);
  Matrix features(3 + 3 * static_cast<Index>(columns.size()), mesh.vertex_count());
  features.topRows<3>() = place_weight / (box.max - box.min).norm() * (mesh.vertices.colwise() - box.min);
  for (Index c = 0; c < static_cast<Index>(columns.size()); ++c) {
    const auto& [slowness, i] = columns[static_cast<std::size_t>(c)];
    const double weight = std::pow(slowness / columns.front().first, 3) / turn(i);
    features.middleRows<3>(3 + 3 * c) = weight * rotations.col(i).reshaped(3, mesh.vertex_count());
  }
  return features;
}

/// A range of the particles of a region.
struct Piece {
  std::size_t region = 0, begin = 0, end = 0;
  double volume = 0.0;
  double error = 0.0;  ///< volume times variance of the features
  Vector mean, direction;

  /// Later in the queue: smaller errors; among equal ones those behind, for one fixed order.
  bool operator<(const Piece& other) const {
    if (error != other.error) return error < other.error;
    return std::pair(region, begin) > std::pair(other.region, other.begin);
  }
};

Piece measure(const Matrix& features, const std::vector<Particle>& particles, std::size_t region,
              std::size_t begin, std::size_t end) {
  const std::span<const Particle> range(particles.data() + begin, end - begin);
  Piece piece{region, begin, end, 0.0, 0.0, Vector::Zero(features.rows()), Vector::Zero(features.rows())};
  for (const auto& [vertex, volume] : range) {
    piece.volume += volume;
    piece.mean += volume * features.col(vertex);
  }
  piece.mean /= piece.volume;
  Vector spread = Vector::Zero(features.rows());
  for (const auto& [vertex, volume] : range)
    spread += volume * (features.col(vertex) - piece.mean).cwiseAbs2();
  if (range.size() > 1) piece.error = spread.sum();
  piece.direction = spread.cwiseSqrt();
  for (int i = 0; i < power_iterations && piece.error > 0.0; ++i) {
    Vector next = Vector::Zero(features.rows());
    for (const auto& [vertex, volume] : range) {
      const Vector difference = features.col(vertex) - piece.mean;
      next += volume * difference.dot(piece.direction) * difference;
    }
    if (next.isZero(0.0)) break;
    piece.direction = next.normalized();
  }
  Index largest = 0;
  piece.direction.cwiseAbs().maxCoeff(&largest);
  if (piece.direction(largest) < 0.0) piece.direction = -piece.direction;
  return piece;
}

/// Divides the particles of a piece, of which there are several, and returns where.
std::size_t divide(const Matrix& features, std::vector<Particle>& particles, const Piece& piece) {
  const auto first = particles.begin() + static_cast<std::ptrdiff_t>(piece.begin);
  const auto last = particles.begin() + static_cast<std::ptrdiff_t>(piece.end);
  const double middle = piece.mean.dot(piece.direction);
  auto split = std::stable_partition(first, last, [&](const Particle& one) {
    return features.col(one.vertex).dot(piece.direction) < middle;
  });
  if (split == first || split == last) split = first + (last - first) / 2;  // all the same
  return static_cast<std::size_t>(split - particles.begin());
}

/// All particles in pieces, in the order of regions and then of particles, which are reordered.
std::vector<Piece> divide_all(const Matrix& features, std::vector<std::vector<Particle>>& particles,
                              Index most) {
  std::priority_queue<Piece> queue;
  std::size_t count = 0;
  for (std::size_t region = 0; region < particles.size(); ++region) {
    count += particles[region].size();
    if (!particles[region].empty())
      queue.push(measure(features, particles[region], region, 0, particles[region].size()));
  }
  const std::size_t limit = most == 0 ? count : std::min(count, static_cast<std::size_t>(most));
  std::vector<Piece> done;  // of one particle, or of equal ones
  while (queue.size() + done.size() < limit) {
    const Piece piece = queue.top();
    queue.pop();
    if (piece.end - piece.begin == 1) {
      done.push_back(piece);
      continue;
    }
    const std::size_t split = divide(features, particles[piece.region], piece);
    queue.push(measure(features, particles[piece.region], piece.region, piece.begin, split));
    queue.push(measure(features, particles[piece.region], piece.region, split, piece.end));
  }
  for (; !queue.empty(); queue.pop()) done.push_back(queue.top());
  std::sort(done.begin(), done.end(), [](const Piece& a, const Piece& b) {
    return std::pair(a.region, a.begin) < std::pair(b.region, b.begin);
  });
  return done;
}

}  // namespace

Lumps make_lumps(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis, const Matrix& rotations,
                 Index most) {
  std::vector<char> moves(static_cast<std::size_t>(mesh.vertex_count()));
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    moves[static_cast<std::size_t>(v)] = (basis.middleRows<3>(3 * v).array() != 0.0).any() ? 1 : 0;
  std::vector<std::vector<Particle>> particles = moving_particles(mesh, moves);
  const std::vector<Piece> pieces = divide_all(make_features(mesh, basis, rotations), particles, most);
  const auto total = static_cast<Index>(pieces.size());
  Lumps lumps{{},
              Vector::Zero(total),
              Matrix3X::Zero(3, total),
              Matrix::Zero(3 * total, basis.cols()),
              Matrix::Zero(3 * total, basis.cols())};
  for (Index i = 0; i < total; ++i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    lumps.region.push_back(static_cast<int>(piece.region));
    lumps.volume(i) = piece.volume;
    for (std::size_t p = piece.begin; p < piece.end; ++p) {
      const auto& [vertex, volume] = particles[piece.region][p];
      const double share = volume / piece.volume;
      lumps.center.col(i) += share * mesh.vertices.col(vertex);
      lumps.moment.middleRows<3>(3 * i) += volume * basis.middleRows<3>(3 * Index{vertex});
      lumps.rotations.middleRows<3>(3 * i) += share * rotations.middleRows<3>(3 * Index{vertex});
    }
  }
  return lumps;
}

}  // namespace limber
