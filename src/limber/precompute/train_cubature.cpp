// Training of cubature that asks for its own poses.
//
// Random poses are a poor school: at large amplitude they stretch the body in ways that it never takes, with
// forces far above those of real motion, where bending comes along with just the displacements that keep the
// stretch small. So poses are taken from motions of the body itself, simulated with the cubature trained so
// far:
//
//   1. fit to shapes of the linear body, which gives forces good enough to start with,
//   2. simulate motions with them and evaluate the full model at some of their states; how far off the forces
//      are there, before anything is learned from these states, is an honest error,
//   3. stop if that is as small as asked for; else learn from them, with more points where the fit itself
//      falls short; go to 2.
//
// Gaussian poses, centred anew on the worst ones in each round, are Algorithm 1 of Yang et al. 2015.

#include "limber/precompute/train_cubature.hpp"

#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber {
namespace {

/// What is fitted is this share of the error asked for: new poses come out somewhat worse than those learned
/// from.
constexpr double fit_share = 0.7;

constexpr double start_error =
    0.03;                         ///< of the fit to linear shapes, whose points and weights are soon replaced
constexpr double stricter = 0.7;  ///< share of that again where new poses do not come out better
constexpr Index fewest_new_poses = 60;  ///< in a round
constexpr Index enough_to_trust =
    120;  ///< poses not learned from that an error is believed of: a few bad ones decide it
constexpr int max_rounds = 25;
constexpr int patience = 4;  ///< rounds that may pass without a better error
constexpr Index max_modal_points = 3000;
constexpr double settled =
    0.05;  ///< relative change of the training error at which more poses no longer matter
constexpr double least_motions =
    0.8;  ///< share of the poses asked for that motions must give: else the forces are unstable
constexpr double worst_share =
    0.2;  ///< of the poses on which Gaussian ones are centred              [Algorithm 1, line 14]
constexpr double narrowest = 0.1;  ///< deviation, as a share of the first one, that these keep at least

class Trainer {
 public:
  Trainer(const FullModel& model, const Eigen::Ref<const Matrix>& basis, const CubatureSettings& settings,
          const Progress& progress)
      : model_(model),
        basis_(basis),
        settings_(settings),
        progress_(progress),
        gradients_(model, basis),
        space_(make_pose_space(model, basis)),
        amplitude_(settings.amplitude > 0.0 ? settings.amplitude : natural_amplitude(model, basis, space_)) {
    if (settings.source == PoseSource::gaussian) {
      mean_ = Vector::Zero(basis.cols());
      deviation_ = first_deviation_ = gaussian_deviation(space_, amplitude_, settings.seed);
    }
    points_ = settings.points > 0 ? settings.points : std::max<Index>(2 * basis.cols(), 16);
  }

  CubatureResult train() {
    limber::report(progress_, "cubature", 0.0);
    const TrainingSet given = evaluate(settings_.given);
    if (settings_.source == PoseSource::given) {
      learn_from_given(given);
    } else {
      start(given);
      learn_from_own_poses();
    }
    CubatureTraining& training = result_.rule.training;
    training.error_asked_for = settings_.error;
    training.amplitude = settings_.source == PoseSource::given
                             ? largest_displacements(space_, set_.poses).maxCoeff() / space_.size
                             : amplitude_;
    limber::report(progress_, "cubature", 1.0);
    return std::move(result_);
  }

 private:
  TrainingSet evaluate(const Matrix& poses) {
    if (poses.cols() == 0) return {Matrix(basis_.cols(), 0), Matrix(basis_.cols(), 0), Vector(0)};
    const Timer timer;
    TrainingSet set = evaluate_poses(model_, basis_, poses);
    result_.pose_seconds += timer.seconds();
    return set;
  }

  Vector errors(const TrainingSet& set) const { return pose_errors(result_.rule, model_.materials(), set); }

  /// Weights, and for optimized cubature points, that reproduce the set to `error`.
  void fit(const TrainingSet& set, double error) {
    const Timer timer;
    CubatureFit fitted;
    if (settings_.kind == CubatureKind::optimized) {
      OptimizedFitOptions options;
      options.error = error;
      if (settings_.points > 0) options.max_points = settings_.points;
      options.seed = settings_.seed + static_cast<std::uint64_t>(result_.rounds.size());
      std::vector<QuadraturePoint> known;
      for (std::size_t p = 0; p < result_.rule.element.size(); ++p)
        known.push_back({result_.rule.element[p], result_.rule.point[p]});
      fitted = fit_optimized_cubature(gradients_, set, known, options);
    } else {
      fitted = fit_modal_cubature(gradients_, set, gradients_.spread(points_));
    }
    result_.rule = std::move(fitted.rule);
    result_.rule.training.training_error = training_error_ = fitted.error;
    result_.rule.training.poses = set.size();
    if (settings_.kind == CubatureKind::modal) {
      // One weight, one energy: a rule of rank 1 has a potential.
      if (basis_.cols() == 1) result_.rule.energy_weights = result_.rule.weights.col(0);
      result_.curve.push_back({result_.rule.point_count(), fitted.error, timer_.seconds()});
    } else {
      result_.curve = std::move(fitted.steps);
    }
    result_.fit_seconds += timer.seconds();
  }

  /// Forces to simulate the first motions with.
  void start(const TrainingSet& given) {
    set_ = given;
    if (settings_.source == PoseSource::motion) {
      TrainingSet linear = evaluate(linear_poses(space_, new_pose_count(), 0.5 * amplitude_, settings_.seed));
      linear.append(given);
      fit(linear, std::max(settings_.error, start_error));
    } else {
      set_.append(evaluate(next_poses(new_pose_count()).poses));
      fit(set_, fit_target());
      centre_on_worst_poses();
    }
  }

  /// So many that the least-squares problems of modal cubature have more rows than columns. [Algorithm 1,
  /// lines 2 and 19]
  [[nodiscard]] Index new_pose_count() const {
    if (settings_.kind == CubatureKind::optimized)
      return std::max<Index>(set_.size() > 0 ? fewest_new_poses : 100, basis_.cols());
    const Index wanted = std::max({3 * points_ / 2 - set_.size(), points_ / 3, fewest_new_poses});
    return std::clamp(settings_.max_poses - set_.size(), fewest_new_poses, wanted);
  }

  /// The error to fit with: below that asked for, and falling while new poses do not come out better.
  [[nodiscard]] double fit_target() const { return fit_share * strictness_ * settings_.error; }

  struct Draw {
    Matrix poses;       ///< r x count
    bool sound = true;  ///< they are what was asked for: nearly all motions could be simulated
  };

  Draw next_poses(Index count) {
    const std::uint64_t seed = settings_.seed + 1000 + draws_++;
    if (settings_.source == PoseSource::gaussian)
      return {gaussian_poses(space_, mean_, deviation_, count, seed)};
    const Timer timer;
    Draw draw{motion_poses(space_, Cubature(result_.rule, model_.materials(), basis_.cols()), count,
                           amplitude_, seed, model_.executor())};
    const Index found = draw.poses.cols();
    draw.sound = static_cast<double>(found) >= least_motions * static_cast<double>(count);
    if (!draw.sound) {  // the forces are no good yet: calmer shapes teach them more
      draw.poses.conservativeResize(Eigen::NoChange, count);
      draw.poses.rightCols(count - found) = linear_poses(space_, count - found, 0.2 * amplitude_, seed);
    }
    result_.pose_seconds += timer.seconds();
    return draw;
  }

  /// The best rule so far, with all that is said of it.
  struct Best {
    CubatureRule rule;
    std::vector<FitStep> curve;
    double held_out = std::numeric_limits<double>::infinity();

    void keep(const CubatureResult& result, double error) {
      if (!(error < held_out)) return;
      rule = result.rule;
      rule.training.held_out_error = error;
      curve = result.curve;
      held_out = error;
    }
  };

  void learn_from_own_poses() {
    Best best;
    double previous = std::numeric_limits<double>::infinity();
    int waited = 0;
    TrainingSet fresh = evaluate(Matrix());  // not learned from
    while (true) {
      const Draw draw = next_poses(new_pose_count());
      fresh.append(evaluate(draw.poses));
      require(fresh.size() > 0, "no pose of the body has a force: nothing to train cubature with");
      const double held_out = root_mean_square(errors(fresh));
      note_round(held_out);
      if (set_.size() > 0) {  // it has learned from more than linear shapes
        const bool good = draw.sound && held_out <= settings_.error;
        if (good && fresh.size() < enough_to_trust) continue;
        if (draw.sound && held_out < 0.9 * best.held_out) waited = 0;
        if (draw.sound) best.keep(result_, held_out);
        result_.reached = good;
        if (good || hopeless(previous) || ++waited > patience) break;
        if (waited > 1) strictness_ *= stricter;
      }
      previous = training_error_;
      set_.append(fresh);
      fresh = evaluate(Matrix());
      grow();
      fit(set_, fit_target());
      if (settings_.source == PoseSource::gaussian) centre_on_worst_poses();
    }
    if (!std::isfinite(
            best.held_out)) {  // no motion could be simulated: what was fitted last is the best guess
      result_.rule.training.held_out_error = result_.rounds.back().held_out_error;
      return;
    }
    result_.rule = std::move(best.rule);
    result_.curve = std::move(best.curve);
  }

  /// Whether more poses cannot help: there are enough, or a fixed number of points is fitted as well as it
  /// can be.
  [[nodiscard]] bool hopeless(double previous) const {
    if (set_.size() >= settings_.max_poses || static_cast<int>(result_.rounds.size()) >= max_rounds)
      return true;
    return settings_.points > 0 && training_error_ > fit_target() &&
           std::abs(training_error_ - previous) < settled * training_error_;
  }

  /// More points for modal cubature where the fit falls short of the error asked for.
  void grow() {
    if (settings_.kind != CubatureKind::modal || settings_.points > 0) return;
    const double short_by = training_error_ / fit_target();
    if (short_by <= 1.0) return;
    const double factor = std::clamp(std::sqrt(short_by), 1.2, 2.0);
    points_ = std::min({static_cast<Index>(factor * static_cast<double>(points_)), max_modal_points,
                        gradients_.point_count()});
  }

  void note_round(double held_out) {
    const double shown = std::clamp(settings_.error / std::max(held_out, 1e-300), 0.0, 1.0);
    limber::report(progress_, "cubature", shown);
    result_.rounds.push_back(
        {set_.size(), result_.rule.point_count(), training_error_, held_out, timer_.seconds()});
  }

  /// The next Gaussian poses come from where the fit is worst. [Algorithm 1, lines 14 to 18] The deviation is
  /// that of these poses: the formula of line 17 is garbled, and one that keeps the farthest of them within a
  /// deviation would widen without end.
  void centre_on_worst_poses() {
    const Vector error = errors(set_);
    std::vector<Index> order(static_cast<std::size_t>(error.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return error(a) > error(b); });
    order.resize(
        std::max<std::size_t>(1, static_cast<std::size_t>(worst_share * static_cast<double>(order.size()))));
    const Matrix worst = space_.directions.transpose() * (space_.mass * set_.poses(Eigen::all, order));
    mean_ = worst.rowwise().mean();
    deviation_ =
        ((worst.colwise() - mean_).rowwise().squaredNorm() / static_cast<double>(worst.cols())).cwiseSqrt();
    deviation_ = deviation_.cwiseMax(narrowest * first_deviation_).cwiseMin(first_deviation_);
  }

  /// Every fifth pose is kept apart to measure the error with.
  void learn_from_given(const TrainingSet& given) {
    require(given.size() >= 5, "{} training poses have forces, expected five or more", given.size());
    std::vector<Index> learned, kept;
    for (Index t = 0; t < given.size(); ++t) (t % 5 == 4 ? kept : learned).push_back(t);
    const auto part = [&](const std::vector<Index>& poses) {
      return TrainingSet{given.poses(Eigen::all, poses), given.forces(Eigen::all, poses),
                         given.energies(poses)};
    };
    set_ = part(learned);
    const TrainingSet fresh = part(kept);
    Best best;
    for (int round = 0; round < max_rounds; ++round) {
      fit(set_, fit_target());
      const double held_out = root_mean_square(errors(fresh));
      note_round(held_out);
      const bool worse = held_out > best.held_out;
      best.keep(result_, held_out);
      const Index before = points_;
      grow();
      if (worse || points_ == before) break;
    }
    result_.rule = std::move(best.rule);
    result_.curve = std::move(best.curve);
    result_.reached = best.held_out <= settings_.error;
  }

  const FullModel& model_;
  Eigen::Ref<const Matrix> basis_;
  const CubatureSettings& settings_;
  const Progress& progress_;
  ModeGradients gradients_;
  PoseSpace space_;
  double amplitude_;  ///< of the poses
  Timer timer_;
  CubatureResult result_;
  TrainingSet set_;  ///< learned from
  double training_error_ = 0.0;
  double strictness_ = 1.0;
  std::uint64_t draws_ = 0;                    ///< of poses, each with random numbers of its own
  Index points_ = 0;                           ///< modal: asked for
  Vector mean_, deviation_, first_deviation_;  ///< of Gaussian poses, along the natural directions
};

}  // namespace

CubatureResult train_cubature(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                              const CubatureSettings& settings, const Progress& progress) {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  require(std::isfinite(settings.error) && settings.error > 0.0 && settings.error < 1.0,
          "the training error is {}, expected more than 0 and less than 1", settings.error);
  require(std::isfinite(settings.amplitude) && settings.amplitude >= 0.0,
          "the amplitude of the training poses is {}, expected more than 0, or 0 to choose",
          settings.amplitude);
  require(settings.points >= 0, "{} cubature points asked for, expected one at least, or 0 to choose",
          settings.points);
  require(settings.given.cols() == 0 || settings.given.rows() == basis.cols(),
          "training poses have {} coordinates, the basis has {}", settings.given.rows(), basis.cols());
  require(settings.source != PoseSource::given || settings.given.cols() > 0,
          "cubature shall be trained with given poses alone, but none are given");
  return Trainer(model, basis, settings, progress).train();
}

}  // namespace limber
