#include "limber/online/online_subspace.hpp"

#include "limber/base/error.hpp"

#include <algorithm>

namespace limber {
namespace {

/// Recent states that decide what is kept. The paper takes half of the largest rank; more cost nothing and
/// forget less.
constexpr std::size_t longest_history = 400;

/// q in a basis to which vectors were added since.
Vector padded(const Vector& q, Index rank) {
  Vector longer = Vector::Zero(rank);
  longer.head(q.size()) = q;
  return longer;
}

}  // namespace

OnlineSubspace::OnlineSubspace(FullModel& model, OnlineForces::Kind kind, const OnlineSettings& settings)
    : settings_(settings),
      basis_(model.mass()),
      forces_(model, kind, {.error = settings.cubature_error, .seed = settings.seed}) {}

bool OnlineSubspace::grow(Vector x, double smallest) {
  const Index rank = basis_.rank();
  basis_.add(std::move(x), smallest);
  report_.basis_grown += basis_.rank() - rank;
  return basis_.rank() > rank;
}

void OnlineSubspace::follow() { forces_.follow(basis_); }

bool OnlineSubspace::shrink_if_full() {
  if (!full() || history_.empty()) return false;
  Matrix states(basis_.rank(), static_cast<Index>(history_.size()));
  for (Index k = 0; k < states.cols(); ++k)
    states.col(k) = padded(history_[static_cast<std::size_t>(k)], basis_.rank());
  const Matrix kept = recent_directions(states, std::max<Index>(1, settings_.max_rank / 2));
  basis_.turn(kept);
  for (Index k = 0; k < states.cols(); ++k)
    history_[static_cast<std::size_t>(k)] = kept.transpose() * states.col(k);
  ++report_.basis_shrunk;
  forces_.follow_turned(basis_);
  return true;
}

void OnlineSubspace::remember(Vector q) {
  history_.push_back(std::move(q));
  if (history_.size() > longest_history) history_.pop_front();
}

void OnlineSubspace::begin_step() {
  timer_ = Timer();
  learned_before_ = report_.learning_seconds;
  grown_before_ = report_.basis_grown;
  shrunk_before_ = report_.basis_shrunk;
}

void OnlineSubspace::end_step(StepKind kind, double error) {
  const double seconds = timer_.seconds();
  const double stepping = std::max(0.0, seconds - (report_.learning_seconds - learned_before_));
  const BasisChange change = report_.basis_shrunk > shrunk_before_ ? BasisChange::shrunk
                             : report_.basis_grown > grown_before_ ? BasisChange::grown
                                                                   : BasisChange::none;
  report_.timeline.push_back({kind, change, basis_.rank(), error, seconds});
  report_.error = std::max(report_.error, error);
  report_.rank = basis_.rank();
  report_.key_elements = forces_.key_element_count();
  if (kind == StepKind::full) {
    ++report_.full_steps;
    report_.full_seconds += stepping;
  } else {
    ++report_.reduced_steps;
    report_.reduced_seconds += stepping;
  }
}

void OnlineSubspace::go_back_in_report() {
  while (report_.timeline.size() > remembered_steps_) {
    --(report_.timeline.back().kind == StepKind::full ? report_.full_steps : report_.reduced_steps);
    report_.timeline.pop_back();
  }
}

void OnlineSubspace::save(StateWriter& out) const {
  basis_.save(out);
  forces_.save(out);
  out.write(std::int64_t(history_.size()));
  for (const Vector& q : history_) out.write(q);
  save_report(out);
}

void OnlineSubspace::restore(StateReader& in) {
  basis_.restore(in);
  forces_.restore(in, basis_);
  std::int64_t count = 0;
  in.read(count);
  require(count >= 0 && count <= static_cast<std::int64_t>(longest_history),
          "the saved history has {} states, expected {} at most", count, longest_history);
  history_.resize(static_cast<std::size_t>(count));
  for (Vector& q : history_) {
    in.read(q);
    require(q.size() <= basis_.rank(), "a saved state has {} coordinates, the basis {}", q.size(),
            basis_.rank());
  }
  restore_report(in);
}

void OnlineSubspace::save_report(StateWriter& out) const {
  Matrix steps(5, static_cast<Index>(report_.timeline.size()));
  for (Index i = 0; i < steps.cols(); ++i) {
    const TimelineStep& step = report_.timeline[static_cast<std::size_t>(i)];
    steps.col(i) << static_cast<double>(step.kind), static_cast<double>(step.change),
        static_cast<double>(step.rank), step.error, step.seconds;
  }
  out.write(steps);
  for (const Index count : {report_.rank, report_.key_elements, report_.basis_grown, report_.basis_shrunk,
                            report_.full_steps, report_.reduced_steps})
    out.write(std::int64_t{count});
  for (const double value :
       {report_.error, report_.full_seconds, report_.reduced_seconds, report_.learning_seconds})
    out.write(value);
}

void OnlineSubspace::restore_report(StateReader& in) {
  Matrix steps;
  in.read(steps);
  require(steps.cols() == 0 || steps.rows() == 5, "the saved timeline has {} rows, expected 5", steps.rows());
  report_ = {};
  for (Index i = 0; i < steps.cols(); ++i) {
    const bool known = (steps(0, i) == 0.0 || steps(0, i) == 1.0) &&
                       (steps(1, i) == 0.0 || steps(1, i) == 1.0 || steps(1, i) == 2.0);
    require(known && steps(2, i) >= 0.0 && steps(2, i) < 1e6, "step {} of the saved timeline makes no sense",
            i);
    report_.timeline.push_back({static_cast<StepKind>(steps(0, i)), static_cast<BasisChange>(steps(1, i)),
                                static_cast<Index>(steps(2, i)), steps(3, i), steps(4, i)});
  }
  for (Index* count : {&report_.rank, &report_.key_elements, &report_.basis_grown, &report_.basis_shrunk,
                       &report_.full_steps, &report_.reduced_steps}) {
    std::int64_t value = 0;
    in.read(value);
    *count = static_cast<Index>(value);
  }
  for (double* value :
       {&report_.error, &report_.full_seconds, &report_.reduced_seconds, &report_.learning_seconds})
    in.read(*value);
}

}  // namespace limber
