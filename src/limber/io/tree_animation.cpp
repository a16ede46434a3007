#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/clip_builder.hpp"
#include "limber/io/clip_file.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// By which the columns of a rotation may miss being orthonormal.
constexpr double orthonormal_tolerance = 1e-6;

/// Pairs of a domain and a frame that the normals of a part are fitted to: more add nothing but time.
constexpr Index max_samples = 200;

void check_motion(const TreeClipMotion& motion, Index steps, std::string_view where) {
  const Model& tree = *motion.tree;
  require(motion.coordinates.rows() == tree.coordinate_count() && motion.coordinates.cols() == steps,
          "{}: the motion of '{}' is {} x {}, expected {} coordinates x {} frames", where, tree.name,
          motion.coordinates.rows(), motion.coordinates.cols(), tree.coordinate_count(), steps);
  require((motion.coordinates.array().abs() < largest_clip_number).all(),
          "{}: the motion of '{}' has coordinates that are not finite or beyond 1e30", where, tree.name);
  check_clip_up(motion.up, tree.name, where);
  require(static_cast<Index>(motion.frames.size()) == steps,
          "{}: the motion of '{}' has the frames of domains in {} steps, expected {}", where, tree.name,
          motion.frames.size(), steps);
  for (std::size_t f = 0; f < motion.frames.size(); ++f) {
    require(motion.frames[f].size() == tree.domains.size(),
            "{}: {} frames of domains in step {}, expected {}, one per domain", where,
            motion.frames[f].size(), f, tree.domains.size());
    for (std::size_t d = 0; d < motion.frames[f].size(); ++d) {
      const PoseMatrix& frame = motion.frames[f][d];
      require((frame.position.array().abs() < largest_clip_number).all(),
              "{}: the frame of '{}' is at ({}, {}, {}) in step {}, expected finite numbers below 1e30",
              where, tree.domains[d].name, frame.position.x(), frame.position.y(), frame.position.z(), f);
      require((frame.rotation * frame.rotation.transpose()).isIdentity(orthonormal_tolerance) &&
                  frame.rotation.determinant() > 0.0,
              "{}: the frame of '{}' is not a rotation in step {}", where, tree.domains[d].name, f);
    }
  }
}

/// The domains of a part, and where their coordinates are.
struct PartUses {
  std::vector<Index> domains, first;
};

std::vector<PartUses> find_uses(const Model& tree) {
  std::vector<PartUses> uses(tree.parts.size());
  Index first = 0;
  for (Index d = 0; d < tree.domain_count(); ++d) {
    PartUses& of_part = uses[static_cast<std::size_t>(tree.domains[static_cast<std::size_t>(d)].part)];
    of_part.domains.push_back(d);
    of_part.first.push_back(first);
    first += tree.rank(d);
  }
  return uses;
}

/// Number k of a sequence that spreads evenly over `count` items. With an irrational number of its own each,
/// several of these cover all combinations evenly.
Index spread(Index k, Index count, double irrational) {
  const double turns = irrational * static_cast<double>(k);
  return std::min(static_cast<Index>((turns - std::floor(turns)) * static_cast<double>(count)), count - 1);
}

class TreeClip {
 public:
  TreeClip(const TreeClipMotion& motion, ClipBuilder& clip)
      : motion_(motion), tree_(*motion.tree), clip_(clip) {}

  /// Adds nodes in the order of the domains.
  void add() {
    const std::vector<PartUses> uses = find_uses(tree_);
    std::vector<ClipEncoding> encodings;
    std::vector<int> meshes;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const ReducedModel& model = tree_.parts[k].model;
      encodings.push_back(make_encoding(uses[k], model.rank));
      const Matrix samples = encodings[k].weights(sample(uses[k], model.rank));
      // A mesh that nobody shows would be of no use.
      meshes.push_back(
          uses[k].domains.empty() ? -1 : clip_.add_mesh(model.surface, encodings[k], samples, model.name));
    }
    Index first = 0;
    for (Index d = 0; d < tree_.domain_count(); ++d) {
      const auto part = static_cast<std::size_t>(tree_.domains[static_cast<std::size_t>(d)].part);
      add_domain(d, meshes[part], encodings[part], coordinates(first, tree_.rank(d)));
      first += tree_.rank(d);
    }
  }

 private:
  [[nodiscard]] Matrix coordinates(Index first, Index rank) const {
    return motion_.coordinates.middleRows(first, rank);
  }

  [[nodiscard]] ClipEncoding make_encoding(const PartUses& uses, Index rank) const {
    Vector least = Vector::Zero(rank), most = least;
    for (const Index first : uses.first) {
      const Matrix q = coordinates(first, rank);
      least = least.cwiseMin(q.rowwise().minCoeff());
      most = most.cwiseMax(q.rowwise().maxCoeff());
    }
    return {least, most};
  }

  /// Coordinates of the part in some of its domains and frames; all where there are few.
  [[nodiscard]] Matrix sample(const PartUses& uses, Index rank) const {
    const Index frames = motion_.coordinates.cols();
    const auto domains = static_cast<Index>(uses.domains.size());
    const Index pairs = domains * frames;
    Matrix q(rank, std::min(pairs, max_samples));
    for (Index k = 0; k < q.cols(); ++k) {
      // Powers of one over the root of x^3 = x + 1, which cover a square best.
      const Index use = pairs > max_samples ? spread(k, domains, 0.7548776662466927) : k / frames;
      const Index frame = pairs > max_samples ? spread(k, frames, 0.5698402909980532) : k % frames;
      q.col(k) = motion_.coordinates.col(frame).segment(uses.first[static_cast<std::size_t>(use)], rank);
    }
    return q;
  }

  void add_domain(Index d, int mesh, const ClipEncoding& encoding, const Matrix& q) {
    const Domain& domain = tree_.domains[static_cast<std::size_t>(d)];
    const int node = clip_.add_node(mesh, domain.name);
    std::vector<Pose> path;
    path.reserve(motion_.frames.size());
    for (const std::vector<PoseMatrix>& frames : motion_.frames) {
      const PoseMatrix& frame = frames[static_cast<std::size_t>(d)];
      path.push_back({frame.position, Eigen::Quaterniond(frame.rotation)});
    }
    clip_.move(node, path, motion_.up, domain.scale);
    if (!q.isZero(0.0)) clip_.deform(node, encoding.weights(q));
  }

  const TreeClipMotion& motion_;
  const Model& tree_;
  ClipBuilder& clip_;
};

}  // namespace

std::string encode_tree_animation(std::span<const double> times, const TreeClipMotion& motion,
                                  std::string_view where) {
  ClipBuilder clip(times, where);
  require(motion.tree != nullptr, "{}: a clip needs a tree of domains", where);
  check_model(*motion.tree, where);
  check_motion(motion, clip.frame_count(), where);
  TreeClip(motion, clip).add();
  return clip.encode();
}

void write_tree_animation(const std::filesystem::path& path, std::span<const double> times,
                          const TreeClipMotion& motion) {
  write_file(path, encode_tree_animation(times, motion, path.string()),
             [](std::span<const std::string> contents) { check_clip(contents.front(), "its content"); });
}

}  // namespace limber
