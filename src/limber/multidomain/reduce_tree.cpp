#include "limber/multidomain/reduce_tree.hpp"

#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/derivative_family.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/basis/rest_stiffness.hpp"
#include "limber/linalg/blas.hpp"
#include "limber/precompute/region_mass.hpp"
#include "limber/reduced/quartic.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

namespace limber {
namespace {

/// Places that differ by no more than this share of a part's size are the same: pieces of one mesh are moved
/// to coordinates of their own, which rounds.
constexpr double same_place = 1e-10;

constexpr int most_rank = 200;  ///< of a domain: more take gigabytes each

/// Sites up to which each adds load cases of its own to the basis; beyond, all of them are loaded at once.
constexpr std::size_t most_separate_sites = 12;

/// Motions whose derivatives are computed: they have 36, of which the basis takes the strongest.
constexpr Index most_derived = 8;

bool same_places(const Matrix3X& a, const Matrix3X& b) {
  if (a.cols() != b.cols()) return false;
  if (a.cols() == 0) return true;
  const double size = (a.rowwise().maxCoeff() - a.rowwise().minCoeff()).norm();
  return (a - b).cwiseAbs().maxCoeff() <= same_place * size;
}

template <class Columns>
bool same_columns(const Columns& a, const Columns& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

bool same_weights(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= same_place * std::max(x, y); });
}

/// Whether two parts are the same to whoever reduces them, whatever they and their sites are called.
bool same_part(const Part& a, const Part& b) {
  return a.mesh.kind == b.mesh.kind && same_columns(a.mesh.elements, b.mesh.elements) &&
         a.mesh.region == b.mesh.region && a.mesh.regions == b.mesh.regions && a.materials == b.materials &&
         a.fixed == b.fixed && a.rigid == b.rigid && a.rank == b.rank && a.colors == b.colors &&
         same_columns(a.render.triangles, b.render.triangles) && a.render.part == b.render.part &&
         a.render.parts == b.render.parts &&
         std::equal(a.sites.begin(), a.sites.end(), b.sites.begin(), b.sites.end(),
                    [](const AttachmentSite& x, const AttachmentSite& y) {
                      return x.vertices == y.vertices && same_weights(x.weights, y.weights);
                    }) &&
         same_places(a.mesh.vertices, b.mesh.vertices) && same_places(a.render.vertices, b.render.vertices);
}

/// The parts that are placed, equal ones once.
struct DistinctParts {
  std::vector<int> parts;      ///< the first of those that are equal
  std::vector<int> number_of;  ///< among these, of each part of the tree; -1: placed nowhere
  std::vector<int> uses;       ///< placements of each
};

DistinctParts find_distinct(const PartTree& tree) {
  DistinctParts distinct;
  distinct.number_of.assign(tree.parts.size(), -1);
  for (const Placement& placement : tree.placements) {
    int& number = distinct.number_of[placement.part];
    if (number < 0) {
      const auto found = std::find_if(distinct.parts.begin(), distinct.parts.end(), [&](int p) {
        return same_part(tree.parts[p], tree.parts[placement.part]);
      });
      number = static_cast<int>(found - distinct.parts.begin());
      if (found == distinct.parts.end()) {
        distinct.parts.push_back(placement.part);
        distinct.uses.push_back(0);
      }
    }
    ++distinct.uses[number];
  }
  return distinct;
}

/// Unknowns of a part: three per vertex that moves.
Index dof_count(const Part& part) {
  const std::vector<char> used = used_vertices(part.mesh);
  return 3 * (std::count(used.begin(), used.end(), 1) - static_cast<Index>(part.fixed.size()));
}

/// Coordinates that a part can have: what its unknowns allow; those of a free one move as a whole in six
/// ways.
int largest_rank(const Part& part) {
  if (part.rigid) return 0;
  const Index most = dof_count(part) - (part.fixed.empty() ? 6 : 0);
  return static_cast<int>(std::clamp<Index>(most, 0, max_reduced_rank));
}

/// Whole numbers near to `share`, each from 1 to its `most`, such that the sum of uses times them comes as
/// near to `total` as single steps bring it.
std::vector<int> round_shares(const std::vector<double>& share, const std::vector<int>& most,
                              const std::vector<int>& uses, int total) {
  std::vector<int> rounded(share.size());
  long sum = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    rounded[i] = std::clamp(static_cast<int>(std::lround(share[i])), std::min(1, most[i]), most[i]);
    sum += long{uses[i]} * rounded[i];
  }
  while (true) {
    const int step = sum < total ? 1 : -1;
    std::size_t best = share.size();
    for (std::size_t i = 0; i < share.size(); ++i) {
      const int next = rounded[i] + step;
      if (next < 1 || next > most[i]) continue;
      if (std::abs(sum + long{step} * uses[i] - total) >= std::abs(sum - total)) continue;
      // The one that is farthest on the other side of its share.
      if (best == share.size() || step * (share[i] - rounded[i]) > step * (share[best] - rounded[best]))
        best = i;
    }
    if (best == share.size()) return rounded;
    rounded[best] += step;
    sum += long{step} * uses[best];
  }
}

std::vector<int> ranks_of_parts(const PartTree& tree, const DistinctParts& distinct,
                                const TreeReduceOptions& options) {
  require(options.total_rank >= 0, "{} coordinates in all asked for, expected 0 (--rank each) or more",
          options.total_rank);
  require(options.total_rank > 0 || (options.rank >= 1 && options.rank <= most_rank),
          "the rank of a domain is {}, expected 1 to {}", options.rank, most_rank);
  std::vector<int> rank(distinct.parts.size()), open, most, uses;
  std::vector<double> share;
  int left = options.total_rank;
  double weight = 0.0;
  for (std::size_t k = 0; k < rank.size(); ++k) {
    const Part& part = tree.parts[distinct.parts[k]];
    const int largest = largest_rank(part);
    rank[k] = std::min(part.rank > 0 ? part.rank : options.rank, largest);
    if (options.total_rank == 0 || largest == 0) continue;
    if (part.rank > 0) {
      left -= distinct.uses[k] * rank[k];
      continue;
    }
    open.push_back(static_cast<int>(k));
    most.push_back(largest);
    uses.push_back(distinct.uses[k]);
    share.push_back(std::log(std::max(2.0, static_cast<double>(part.mesh.element_count()))));
    weight += distinct.uses[k] * share.back();
  }
  for (double& s : share) s *= std::max(0, left) / weight;
  const std::vector<int> rounded = round_shares(share, most, uses, left);
  for (std::size_t i = 0; i < open.size(); ++i) rank[open[i]] = rounded[i];
  return rank;
}

/// Forces on all vertices, 3n x 6: unit forces on a site along the axes, then torques about them of one unit
/// times `lever`.
Matrix site_loads(const Part& part, const AttachmentSite& site, double lever) {
  const Vector w = Eigen::Map<const Vector>(site.weights.data(), static_cast<Index>(site.weights.size()));
  const Vector weights = w / w.sum();
  const Matrix3X x = part.mesh.vertices(Eigen::all, site.vertices);
  const Matrix3X arms = x.colwise() - x * weights;
  // Forces w (a x arm) have the torque J a.
  Matrix3 J = Matrix3::Zero();
  for (Index i = 0; i < arms.cols(); ++i) {
    const Vector3 d = arms.col(i);
    J += weights(i) * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  const Matrix3 turns = lever * J.inverse();
  Matrix loads = Matrix::Zero(3 * part.mesh.vertex_count(), 6);
  for (Index i = 0; i < arms.cols(); ++i) {
    const Index row = 3 * Index{site.vertices[static_cast<std::size_t>(i)]};
    for (int k = 0; k < 3; ++k) {
      loads(row + k, k) += weights(i);
      loads.block<3, 1>(row, 3 + k) += weights(i) * Vector3(turns.col(k)).cross(Vector3(arms.col(i)));
    }
  }
  return loads;
}

/// How the part gives way where children pull and turn it, which its own modes hold badly: attachment modes,
/// dofs x 6 for each site, or for all of them together. [Craig 1985]
Matrix attachment_shapes(RestStiffness& rest, const Part& part) {
  const FullModel& model = rest.model();
  if (part.sites.empty()) return Matrix(model.dof_count(), 0);
  const BoundingBox box = bounding_box(part.mesh);
  const double lever = 0.5 * (box.max - box.min).norm();
  const bool separate = part.sites.size() <= most_separate_sites;
  Matrix loads =
      Matrix::Zero(3 * part.mesh.vertex_count(), separate ? 6 * static_cast<Index>(part.sites.size()) : 6);
  for (std::size_t s = 0; s < part.sites.size(); ++s)
    loads.middleCols<6>(separate ? 6 * static_cast<Index>(s) : 0) += site_loads(part, part.sites[s], lever);
  Matrix B(model.dof_count(), loads.cols()), X(model.dof_count(), loads.cols());
  for (Index i = 0; i < loads.cols(); ++i)
    B.col(i) = model.dofs().restrict(loads.col(i).reshaped(3, part.mesh.vertex_count()));
  const SolveReport solved = rest.solve(B, X);
  require(solved.ok(), "its shapes under loads at its sites were not found: {}", name_of(solved.status));
  return X;
}

/// Adds to a mass-orthonormal basis the strongest directions of some samples that it does not hold, at most
/// `most`. Returns how many they were.
Index append(Matrix& basis, const Matrix& samples, Index most, const FullModel& model) {
  constexpr double held = 1e-6;  // share of a sample that rounding may leave
  const SparseMatrix& M = model.mass();
  Matrix left = samples - basis * (basis.transpose() * (M * samples));
  std::vector<Index> open;
  for (Index i = 0; i < samples.cols(); ++i) {
    const double before = samples.col(i).dot(M * samples.col(i)), after = left.col(i).dot(M * left.col(i));
    if (after > held * held * before) open.push_back(i);
  }
  if (open.empty() || most <= 0) return 0;
  const MassPca pca = mass_pca(left(Eigen::all, open), M, most, model.executor());
  Matrix joined(basis.rows(), basis.cols() + pca.basis.cols());
  joined << basis, pca.basis;
  const Index known = basis.cols();
  basis = mass_orthonormalize(joined, M, held, model.executor()).Q;
  return basis.cols() - known;
}

/// The subspace of a part and what it is made of. Half of it holds small motions: natural modes and, where
/// children load it, as many attachment shapes. The other half are derivatives of these, for large motions.
struct PartBasis {
  Matrix basis;  ///< dofs x r, mass-orthonormal
  Vector frequencies_hz;
  std::string description;
};

PartBasis make_basis(const FullModel& model, const Part& part, int rank, int order) {
  RestStiffness rest(model);
  const Index rigid = rest.rigid_modes().cols();
  const Index count = std::min<Index>(rank, model.dof_count() - rigid);
  const LinearModes modes = compute_linear_modes(rest, count + rigid);
  require(modes.report.ok(), "its linear modes were not found: {}", name_of(modes.report.status));
  const Matrix shapes = modes.elastic_shapes();
  const Vector eigenvalues = modes.elastic_eigenvalues();

  const Index small = order > 0 ? std::min<Index>(count, rank / 2 + 2) : count;
  const Index attached = part.sites.empty() ? 0 : small / 2;
  PartBasis result;
  result.basis = shapes.leftCols(small - attached);
  const Index loads = append(result.basis, attachment_shapes(rest, part), attached, model);
  Index derivatives = 0;
  if (order > 0) {
    // Of the softest motions in what there is, which those under loads are among.
    const Index bases = std::min(result.basis.cols(), most_derived);
    const RitzModes softest = rayleigh_ritz(rest, result.basis, bases);
    const DerivativeFamily family =
        compute_derivative_family(rest, softest.shapes, softest.eigenvalues, order);
    require(family.report.ok(), "the derivatives of its modes were not found: {}",
            name_of(family.report.status));
    const Index more = family.shapes.cols() - bases;
    const Matrix weighted = family.shapes.rightCols(more) * family.weights.tail(more).asDiagonal();
    derivatives = append(result.basis, weighted, rank - result.basis.cols(), model);
  }
  append(result.basis, shapes, rank - result.basis.cols(), model);  // where the others span less
  result.frequencies_hz = modes.frequencies_hz.tail(count);
  result.description =
      fmt::format("{} linear modes, {} shapes under loads at {} sites, {} derivatives",
                  result.basis.cols() - loads - derivatives, loads, part.sites.size(), derivatives);
  return result;
}

/// A part that does not deform.
ReducedModel make_rigid(const Part& part, MassKind mass, const Executor& executor) {
  static const Vector3 plain_color(0.60, 0.68, 0.78);
  ReducedModel model;
  model.description = "rigid";
  for (std::size_t i = 0; i < part.mesh.regions.size(); ++i) {
    ReducedRegion& region = model.regions.emplace_back();
    region.region = part.mesh.regions[i];
    region.material = part.materials[i];
    region.lambda_energy = region.mu_energy = Vector::Zero(static_cast<Index>(monomial_count(0)));
  }
  add_up_mass(part.mesh, mass, Matrix(3 * part.mesh.vertex_count(), 0), model.regions);
  ReducedSurface& surface = model.surface;
  surface.mesh = part.render.triangle_count() > 0 ? part.render : boundary_surface(part.mesh);
  Embedding embedding = embed_points(part.mesh, surface.mesh.vertices, executor);
  surface.mesh.vertices = surface.mesh.vertices.cast<float>().cast<double>().eval();
  surface.colors = part.colors;
  surface.colors.resize(surface.mesh.parts.size(), plain_color);
  surface.basis.resize(3 * surface.mesh.vertex_count(), 0);
  std::vector<int> fixed = part.fixed;
  std::sort(fixed.begin(), fixed.end());
  model.simulation = {part.mesh, std::move(fixed), Matrix(3 * part.mesh.vertex_count(), 0),
                      std::move(embedding)};
  return model;
}

ReducedModel reduce_part(const Part& part, int rank, const TreeReduceOptions& options,
                         const Executor& executor, const Progress& progress, PartReport& report) {
  if (rank == 0) return make_rigid(part, options.mass, executor);
  const FullModel full(part.mesh, part.materials, part.fixed, {.mass = options.mass, .executor = executor});
  const PartBasis basis = make_basis(full, part, rank, options.reduce.basis.order);
  ReduceOptions reducing = options.reduce;
  reducing.basis.modes = 0;
  reducing.basis.rank = static_cast<int>(basis.basis.cols());
  for (Index i = 0; i < basis.basis.cols(); ++i)
    reducing.basis.snapshots.push_back(full.dofs().expand(basis.basis.col(i)));
  reducing.basis.condense = Condensation::pca;
  reducing.keep_simulation_mesh = true;  // for the ports
  reducing.progress = progress;
  ReduceReport reduced;
  ReducedModel model = reduce(full, part.render, part.colors, reducing, reduced);
  model.description = basis.description;
  model.warp.reset();
  report.frequencies_hz = basis.frequencies_hz;
  return model;
}

ReducedPart make_reduced(const Part& part, int rank, const TreeReduceOptions& options,
                         const Executor& executor, const Progress& progress, PartReport& report) {
  const Timer timer;
  ReducedPart reduced;
  try {
    reduced.model = reduce_part(part, rank, options, executor, progress, report);
  } catch (const Error& error) {
    throw Error("part '{}': {}", part.name, error.what());
  }
  reduced.model.name = part.name;
  for (const AttachmentSite& site : part.sites) {
    reduced.ports.push_back(
        make_port(reduced.model, site.name, site.vertices,
                  Eigen::Map<const Vector>(site.weights.data(), static_cast<Index>(site.weights.size()))));
  }
  if (!options.reduce.keep_simulation_mesh) reduced.model.simulation.reset();
  report.name = part.name;
  report.elements = part.mesh.element_count();
  report.rank = reduced.model.rank;
  report.seconds = timer.seconds();
  return reduced;
}

/// All distinct ones, in parallel where there are several: then each has one thread.
void reduce_parts(const PartTree& tree, const DistinctParts& distinct, const TreeReduceOptions& options,
                  std::vector<ReducedPart>& reduced, std::vector<PartReport>& reports) {
  const std::vector<int> rank = ranks_of_parts(tree, distinct, options);
  const bool several = rank.size() > 1;
  const Executor executor = several ? Executor(1) : options.executor;
  if (several) {
    prepare_blas();
    set_blas_threads(1);
  }
  // Large ones first, so that no thread is left with one at the end.
  std::vector<std::size_t> order(rank.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto work = [&](std::size_t k) {
    return static_cast<double>(tree.parts[distinct.parts[k]].mesh.element_count()) * (1.0 + rank[k]);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return work(a) > work(b); });

  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  reduced.resize(rank.size());
  reports.resize(rank.size());
  options.executor.parallel_for(static_cast<std::ptrdiff_t>(rank.size()), [&](std::ptrdiff_t i) {
    const std::size_t k = order[static_cast<std::size_t>(i)];
    const Part& part = tree.parts[distinct.parts[k]];
    const bool watched = std::this_thread::get_id() == caller;
    const auto tell = [&] {
      if (!several || !watched) return;
      limber::report(options.progress, "reducing parts",
                     static_cast<double>(done) / static_cast<double>(rank.size()));
    };
    tell();
    reduced[k] =
        make_reduced(part, rank[k], options, executor, several ? Progress{} : options.progress, reports[k]);
    reports[k].uses = distinct.uses[k];
    ++done;
    tell();
  });
}

void check_options(const TreeReduceOptions& options) {
  const BasisSettings& basis = options.reduce.basis;
  require(basis.snapshots.empty() && basis.sketch.empty() && options.reduce.training_snapshots.empty(),
          "snapshots and sketches are of a whole body, those of its domains cannot be told from them; reduce "
          "it as one");
  require(basis.contact == 0, "no coordinates of a tree can be kept for contact; reduce the body as one");
}

}  // namespace

std::vector<int> choose_ranks(const PartTree& parts, const TreeReduceOptions& options) {
  const DistinctParts distinct = find_distinct(parts);
  const std::vector<int> of_distinct = ranks_of_parts(parts, distinct, options);
  std::vector<int> rank;
  for (const int number : distinct.number_of) rank.push_back(number < 0 ? 0 : of_distinct[number]);
  return rank;
}

Model reduce_tree(const PartTree& parts, const TreeReduceOptions& options, TreeReduceReport& report) {
  check_parts(parts, parts.name.empty() ? "the parts" : parts.name);
  check_options(options);
  report = {};
  const Timer timer;
  const DistinctParts distinct = find_distinct(parts);
  Model tree;
  tree.name = parts.name;
  tree.free = parts.free;
  tree.up = parts.up;
  reduce_parts(parts, distinct, options, tree.parts, report.parts);
  report.stages.emplace_back("reduction of parts", timer.seconds());
  for (std::size_t k = 0; k < distinct.parts.size(); ++k)
    report.full_dofs += distinct.uses[k] * dof_count(parts.parts[distinct.parts[k]]);
  for (const Placement& placement : parts.placements) {
    Domain& domain = tree.domains.emplace_back();
    domain.name = placement.name;
    domain.part = distinct.number_of[placement.part];
    domain.parent = placement.parent;
    domain.port = placement.site;
    domain.position = placement.position;
    domain.rotation = placement.rotation;
    domain.scale = placement.scale;
    domain.stiffness = placement.stiffness;
    if (options.reduce.keep_simulation_mesh) domain.vertices = placement.vertices;
    domain.surface_vertices = placement.surface_vertices;
  }
  tree.description =
      fmt::format("{} domains of {} parts, {} coordinates for {} unknowns", tree.domain_count(),
                  tree.parts.size(), tree.coordinate_count(), report.full_dofs);
  check_model(tree, "the reduced tree");
  return tree;
}

}  // namespace limber
