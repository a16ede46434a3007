#include "limber/contact/contact_solver.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/packet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace limber {
namespace {

/// Rows of contacts that are multiplied at once: they stay in the nearest cache.
constexpr int rows_at_once = 48;

/// The line search ends where the slope is that share of what it was.
constexpr double slope_left = 0.05;
constexpr int most_line_steps = 20;

/// From a bad guess, as in an impact, which contacts of a body push is found by way of softer ones, where
/// more of them push and none stops a step short: by that factor at first, then harder each time that the
/// softer problem is solved to that share. Found by trial on blocks that strike the ground: two thirds of the
/// iterations. Piles, where most is as it was before, take more of them so.
constexpr double softest = 30.0, harder = 5.5, near_enough = 0.3;

/// Where that does not do, once more from the start by way of far softer ones, in that many times as many
/// iterations.
constexpr double softest_of_all = 1e5;
constexpr int more_iterations = 2;

/// Velocities at contacts are rounded by that share, and what resists them is some thousand times stiffer
/// than what they hold: impulses are known no better, however little flows.
constexpr double velocity_rounding = 1e-15, stiffness_of_contacts = 1e3;

/// Times that lifts follow what slides once contacts are solved: with friction of 1 the last leaves 3 % of
/// what they are off, of 0.5 less than 1 %.
constexpr int most_slides = 2;

/// Up to there lifts follow what slides within a few times, and what a contact that sticks creeps by is
/// nothing.
constexpr double usual_friction = 1.0;

/// What contacts may give way by where lifts did not follow, in multiples of what lifts are known to.
constexpr double most_given_way = 30.0;

/// m/s: no step tells that from rest, and most contacts are slower.
constexpr double still = 1e-7;

/// Times that they do before, and the residual from which on.
constexpr int most_early_slides = 4;
constexpr double near_sliding = 1e-2;

/// Few contacts are found soonest without.
bool is_stuck(const ContactSolveReport& report, double step) {
  constexpr int few = 6;
  return report.active >= few && (step < 0.3 || (report.iterations >= 2 && report.residual > 0.5));
}

[[gnu::always_inline]] inline double sum_of_lanes(Packet x) {
  double lanes[packet_size];
  store_packet(lanes, x);
  for (int half = packet_size / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

Vector3 multiply_rows(const double* rows, int stride, const double* u) {
  Packet sums[3] = {};
  for (int k = 0; k < stride; k += packet_size) {
    const Packet x = load_packet(u + k);
    for (int l = 0; l < 3; ++l) sums[l] += load_packet(rows + l * stride + k) * x;
  }
  return {sum_of_lanes(sums[0]), sum_of_lanes(sums[1]), sum_of_lanes(sums[2])};
}

/// u += rows^T g
void add_transposed(const double* rows, int stride, const Vector3& g, double* u) {
  for (int k = 0; k < stride; k += packet_size) {
    Packet sum = load_packet(u + k);
    for (int l = 0; l < 3; ++l) sum += load_packet(rows + l * stride + k) * g(l);
    store_packet(u + k, sum);
  }
}

/// F rows, as columns of a stack.
void scale_rows(const ConeRoot& root, const double* rows, int stride, double* to) {
  for (int k = 0; k < stride; k += packet_size) {
    Packet x[3];
    for (int l = 0; l < 3; ++l) x[l] = load_packet(rows + l * stride + k);
    for (int i = 0; i < root.rows; ++i)
      store_packet(to + i * stride + k, root.F(i, 0) * x[0] + root.F(i, 1) * x[1] + root.F(i, 2) * x[2]);
  }
}

FrictionCone softened(FrictionCone cone, double by) {
  cone.normal *= by;
  cone.tangent *= by;
  return cone;
}

/// Less of a in a cone, as more of the velocity.
Vector3 lifted(const Vector3& v, double lift) { return {v.x(), v.y(), v.z() + lift}; }

Eigen::Map<Vector> as_vector(double* numbers, Index size) { return {numbers, size}; }

}  // namespace

void ContactSolver::begin(std::span<const ContactBody> bodies) {
  bodies_.assign(bodies.begin(), bodies.end());
  contacts_.clear();
  rows_.clear();
  wholes_.resize(bodies_.size());
  if (coupled_.size() < bodies_.size()) coupled_.resize(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].coupled) {
      require(coupled_[b].compute(*bodies_[b].step_matrix),
              "the matrix of a body in contact is not positive definite");
      continue;
    }
    if (bodies_[b].rigid == 0) continue;
    Eigen::Map<Eigen::Matrix<double, whole_stride, 6>> numbers(wholes_[b].data());
    numbers.setZero();
    numbers.topRows<6>() = bodies_[b].step_matrix->bottomRightCorner<6, 6>();
    require(factor_block(wholes_[b].data(), 6), "the mass of a body in contact is not positive definite");
  }
}

int ContactSolver::padded(int body) const {
  return padded_rows(static_cast<int>(bodies_[at(body)].free_velocity->size()));
}

int ContactSolver::add(int first, int second) {
  require(first != second, "a contact of body {} with itself as a whole moves nothing", first);
  Contact& contact = contacts_.emplace_back();
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? first : second;
    contact.bodies[side] = body;
    contact.rows[side] = rows_.size();
    if (body >= 0) rows_.resize(rows_.size() + 3 * at(padded(body)), 0.0);
  }
  return contact_count() - 1;
}

ContactSolver::Rows ContactSolver::rows(int contact, int side) {
  const Contact& found = contacts_[at(contact)];
  const int body = found.bodies[side];
  return {rows_.data() + found.rows[side], 3, bodies_[at(body)].free_velocity->size(),
          Eigen::OuterStride<>(padded(body))};
}

double ContactSolver::yield(int contact) const {
  const Contact& found = contacts_[at(contact)];
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int index = found.bodies[side];
    if (index < 0) continue;
    const ContactBody& body = bodies_[at(index)];
    const Matrix& A = *body.step_matrix;
    const double* const row = rows_.data() + found.rows[side] + 2 * at(padded(index));
    if (body.coupled) {
      const Eigen::Map<const Vector> along(row, A.rows());
      row_ = along;
      coupled_[at(index)].solve_in_place(row_);
      sum += along.dot(row_);
      continue;
    }
    const Index elastic = A.rows() - body.rigid;
    for (Index k = 0; k < elastic; ++k) sum += row[k] * row[k] / A(k, k);
    if (body.rigid == 0) continue;
    std::array<double, whole_stride> whole{};
    std::copy_n(row + elastic, 6, whole.data());
    solve_block_lower(wholes_[at(index)].data(), 6, whole.data());
    for (const double number : whole) sum += number * number;
  }
  return sum;
}

Vector3 ContactSolver::velocity_at(const Contact& contact, BlockNumbers& u) const {
  Vector3 sum = Vector3::Zero();
  for (int side = 0; side < 2; ++side) {
    const int body = contact.bodies[side];
    if (body >= 0) sum += multiply_rows(rows_.data() + contact.rows[side], padded(body), part(u, body));
  }
  return sum;
}

void ContactSolver::analyze() {
  sizes_.clear();
  pairs_.clear();
  for (const ContactBody& body : bodies_) sizes_.push_back(static_cast<int>(body.free_velocity->size()));
  for (const Contact& contact : contacts_) {
    const std::pair<int, int> pair(contact.bodies[0], contact.bodies[1]);
    if (pair.second >= 0 && (pairs_.empty() || pairs_.back() != pair)) pairs_.push_back(pair);
  }
  factor_.analyze(sizes_, pairs_);
  by_pair_.resize(contacts_.size());
  std::iota(by_pair_.begin(), by_pair_.end(), 0);
  const auto key = [&](int i) {
    const Contact& contact = contacts_[at(i)];
    return std::tuple(contact.bodies[0], contact.bodies[1], i);
  };
  std::sort(by_pair_.begin(), by_pair_.end(), [&](int i, int j) { return key(i) < key(j); });
  for (BlockNumbers* vector : {&u_, &gradient_, &direction_, &moved_, &product_, &pushed_, &weights_})
    vector->assign(at(factor_.padded_total()), 0.0);
  kept_.u.reserve(u_.size());
  kept_.lifts.reserve(contacts_.size());
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b)
    as_vector(part(weights_, b), sizes_[at(b)]) = bodies_[at(b)].step_matrix->diagonal().cwiseInverse();
}

/// Where nothing touches, or where the bodies guess.
void ContactSolver::start_at(bool free) {
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const ContactBody& body = bodies_[at(b)];
    as_vector(part(u_, b), sizes_[at(b)]) = free ? *body.free_velocity : *body.guess;
  }
  follow_velocities();
}

/// What follows from u_.
void ContactSolver::follow_velocities() {
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const ContactBody& body = bodies_[at(b)];
    const Index n = sizes_[at(b)];
    auto change = as_vector(part(product_, b), n);
    change = as_vector(part(u_, b), n) - *body.free_velocity;
    as_vector(part(moved_, b), n).noalias() = *body.step_matrix * change;
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    lanes_[i / packet_size].set_velocity(static_cast<int>(i % packet_size),
                                         contacts_[i].drift + velocity_at(contacts_[i], u_));
}

FrictionCone ContactSolver::cone_of(const Contact& contact) const {
  FrictionCone cone = softened(contact.cone, softness_);
  cone.approach -= contact.lift;
  return cone;
}

void ContactSolver::set_softness(double softness) {
  softness_ = softness;
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    lanes_[i / packet_size].set_cone(static_cast<int>(i % packet_size), cone_of(contacts_[i]));
}

/// The first lifts: from how fast contacts slide in the guess. With friction above 1 lifts follow slowly, and
/// not at all what sticks in the end though it slid before: there from what friction leaves of how fast it
/// would slide if nothing touched, where it presses by what stops it.
void ContactSolver::guess_lifts() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& contact = contacts_[i];
    contact.lift = 0.0;
    const double mu = contact.cone.friction, speed = relative_velocity(static_cast<int>(i)).head<2>().norm();
    if (!(speed > still)) continue;
    contact.lift = mu * speed;
    if (mu <= usual_friction) continue;
    Vector3 free = contact.drift;
    for (int side = 0; side < 2; ++side) {
      const int body = contact.bodies[side];
      if (body < 0) continue;
      const Vector& u = *bodies_[at(body)].free_velocity;
      for (int l = 0; l < 3; ++l)
        free(l) += as_vector(rows_.data() + contact.rows[side] + l * padded(body), u.size()).dot(u);
    }
    const double coming = std::max(0.0, contact.cone.approach - free.z());
    contact.lift = mu * std::clamp(free.head<2>().norm() - mu * coming, 0.0, speed);
  }
}

/// The next lifts, from how fast contacts slide, beyond what they creep by where they stick
/// (friction_cone.hpp). Returns by how much that of one that counts changes at most, m/s: what leaves anyway
/// is not lifted. Of what a solution makes of others a share is left, so that it is taken to change by
/// somewhat more.
double ContactSolver::find_lifts() {
  double most = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& contact = contacts_[i];
    const Vector3 v = lanes_[i / packet_size].velocity(static_cast<int>(i % packet_size));
    const double mu = contact.cone.friction, squared = v.head<2>().squaredNorm();
    contact.next_lift = contact.lift;
    if (squared <= still * still && contact.lift == 0.0) continue;
    const double creep =
        mu > usual_friction ? mu * softness_ * contact.cone.tangent * contact.impulse.z() : 0.0;
    const double change = mu * std::max(0.0, std::sqrt(squared) - creep) - contact.lift;
    if (std::abs(change) > most && (contact.pushes || v.z() < contact.cone.approach)) most = std::abs(change);
    contact.next_lift = std::max(0.0, contact.lift + (1.0 + 0.5 * std::min(mu * mu, 1.0)) * change);
  }
  return most;
}

/// Contacts that give way by more than that, m/s, only because lifts did not follow what slides, as with
/// friction far above 1: are to be solved as they are. Returns whether there is any.
bool ContactSolver::drop_lifts(double most) {
  bool any = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& contact = contacts_[i];
    contact.next_lift = contact.lift;
    if (contact.lift == 0.0 || contact.cone.friction <= usual_friction) continue;
    const double normal = relative_velocity(static_cast<int>(i)).z();
    if (contact.cone.approach - contact.cone.normal * contact.impulse.z() - normal <= most) continue;
    contact.next_lift = 0.0;
    any = true;
  }
  return any;
}

/// Where lifts have changed, impulses stay about what they are, and it is the velocities that follow: a step
/// of Newton's method with the factor that there is. From the velocities as they were, impulses would jump
/// by the stiffness of the contacts times that change, and nearly all would have to be found again.
void ContactSolver::follow_lifts() {
  std::copy(gradient_.begin(), gradient_.end(), direction_.begin());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    const double change = contact.next_lift - contact.lift;
    if (!contact.pushes || change == 0.0) continue;
    Matrix3 G;
    (void)respond(softened(contact.cone, softness_),
                  lifted(relative_velocity(static_cast<int>(i)), contact.lift), &G);
    const Vector3 less = change * G.col(2);
    for (int side = 0; side < 2; ++side) {
      const int body = contact.bodies[side];
      if (body >= 0)
        add_transposed(rows_.data() + contact.rows[side], padded(body), less, part(direction_, body));
    }
  }
  for (double& number : direction_) number = -number;
  factor_.solve(direction_);
  (void)aim();
  advance(1.0);
}

/// What is solved with lifts that are to change.
void ContactSolver::keep_solution(const ContactSolveReport& report) {
  kept_.residual = report.residual;
  kept_.u = u_;
  kept_.lifts.resize(contacts_.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) kept_.lifts[i] = contacts_[i].lift;
}

/// Where lifts lead astray, what was solved before them is taken: all but its friction is as it should be.
void ContactSolver::return_to_kept(ContactSolveReport& report) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].lift = kept_.lifts[i];
  set_softness(1.0);
  u_ = kept_.u;
  follow_velocities();
  (void)differentiate(report);
  report.residual = kept_.residual;
}

void ContactSolver::take_lifts() {
  for (Contact& contact : contacts_) contact.lift = contact.next_lift;
}

/// gradient_ = A (u - u*) - J^T g, pushed_ = J^T g. Returns the size of what flows.
double ContactSolver::differentiate(ContactSolveReport& report) {
  std::fill(pushed_.begin(), pushed_.end(), 0.0);
  report.active = 0;
  double moving = 0.0;
  unsigned pushing = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i, pushing >>= 1) {
    if (i % packet_size == 0) pushing = lanes_[i / packet_size].pushing();
    Contact& contact = contacts_[i];
    contact.pushes = (pushing & 1) != 0;
    contact.impulse.setZero();
    if (!contact.pushes) continue;
    contact.impulse = respond(softened(contact.cone, softness_),
                              lifted(relative_velocity(static_cast<int>(i)), contact.lift))
                          .impulse;
    contact.pushes = !(contact.impulse.z() <= 0.0);
    if (!contact.pushes) continue;
    ++report.active;
    moving += relative_velocity(static_cast<int>(i)).squaredNorm() / (softness_ * contact.cone.normal);
    for (int side = 0; side < 2; ++side) {
      const int body = contact.bodies[side];
      if (body >= 0)
        add_transposed(rows_.data() + contact.rows[side], padded(body), contact.impulse, part(pushed_, body));
    }
  }
  for (std::size_t k = 0; k < gradient_.size(); ++k) gradient_[k] = moved_[k] - pushed_[k];
  known_ = velocity_rounding * std::sqrt(stiffness_of_contacts * moving);
  return std::max(norm(moved_), norm(pushed_));
}

/// Of a momentum, as the velocity that it stands for, each coordinate by itself.
double ContactSolver::norm(const BlockNumbers& force) const {
  Packet sum{};
  for (std::size_t k = 0; k < force.size(); k += packet_size) {
    const Packet x = load_packet(force.data() + k);
    sum += x * x * load_packet(weights_.data() + k);
  }
  return std::sqrt(sum_of_lanes(sum));
}

/// A + J^T G J, contacts of the same bodies together, some at a time.
void ContactSolver::assemble() {
  factor_.clear_off_diagonal();
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const Matrix& A = *bodies_[at(b)].step_matrix;
    const Index n = A.rows(), stride = padded(b);
    double* to = factor_.diagonal(b);
    for (Index j = 0; j < n; ++j, to += stride) std::copy_n(A.col(j).data(), n, to);
  }
  int filled = 0;
  const Contact* kept = nullptr;
  const auto flush = [&] {
    if (filled == 0) return;
    const int first = kept->bodies[0], second = kept->bodies[1];
    const int n = sizes_[at(first)];
    const double* const own = stacks_[0].data();
    add_product(1.0, own, own, n, n, filled, true, factor_.diagonal(first));
    if (second >= 0) {
      const int m = sizes_[at(second)];
      const double* const other = stacks_[1].data();
      add_product(1.0, other, other, m, m, filled, true, factor_.diagonal(second));
      if (factor_.below(first, second))
        add_product(1.0, own, other, n, m, filled, false, factor_.off_diagonal(first, second));
      else
        add_product(1.0, other, own, m, n, filled, false, factor_.off_diagonal(second, first));
    }
    filled = 0;
  };
  for (const int i : by_pair_) {
    const Contact& contact = contacts_[at(i)];
    if (!contact.pushes) continue;
    const bool others =
        kept == nullptr || contact.bodies[0] != kept->bodies[0] || contact.bodies[1] != kept->bodies[1];
    if (others || filled + 3 > rows_at_once) flush();
    kept = &contact;
    const ConeRoot root =
        stiffness_root(softened(contact.cone, softness_), lifted(relative_velocity(i), contact.lift));
    for (int side = 0; side < 2; ++side) {
      const int body = contact.bodies[side];
      if (body < 0) continue;
      const int stride = padded(body);
      BlockNumbers& stack = stacks_[side];
      if (stack.size() < at(stride) * rows_at_once) stack.resize(at(stride) * rows_at_once);
      scale_rows(root, rows_.data() + contact.rows[side], stride, stack.data() + at(filled) * at(stride));
    }
    filled += root.rows;
  }
  flush();
}

/// Where rounding makes the matrix indefinite, as with bodies that are crushed out of all proportion, more of
/// its diagonal is added: steps are shorter then, and still go down the cost.
bool ContactSolver::assemble_and_factor() {
  constexpr double least_share = 1e-14, most_share = 1e-2, more = 100.0;
  assemble();
  if (factor_.factor()) return true;
  for (double share = least_share; share <= most_share; share *= more) {
    assemble();
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      const Index n = sizes_[at(b)];
      Eigen::Map<Vector, 0, Eigen::InnerStride<>> diagonal(factor_.diagonal(b), n,
                                                           Eigen::InnerStride<>(padded(b) + 1));
      diagonal.array() *= 1.0 + share;
    }
    if (factor_.factor()) return true;
  }
  return false;
}

/// Of the cost along direction_, at x times it.  slope, curvature: of its quadratic part at 0.
ContactSolver::Line ContactSolver::line_at(double x, double slope, double curvature) const {
  Packet slopes{}, curvatures{};
  for (const ConeLanes& lanes : lanes_) lanes.add_line(x, slopes, curvatures);
  return {slope + x * curvature + sum_of_lanes(slopes), curvature + sum_of_lanes(curvatures)};
}

/// What follows from direction_: of bodies and of contacts. Returns the cost along it at 0, without that of
/// contacts.
ContactSolver::Line ContactSolver::aim() {
  Line line;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const Index n = sizes_[at(b)];
    const auto direction = as_vector(part(direction_, b), n);
    auto product = as_vector(part(product_, b), n);
    product.noalias() = *bodies_[at(b)].step_matrix * direction;
    line.curvature += direction.dot(product);
    line.slope += direction.dot(as_vector(part(moved_, b), n));
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    lanes_[i / packet_size].set_change(static_cast<int>(i % packet_size),
                                       velocity_at(contacts_[i], direction_));
  return line;
}

/// The step along direction_ at which the cost is least: Newton's iteration on its slope, which grows with
/// x, between bounds.
double ContactSolver::search_line() {
  const Line bodies = aim();
  double whole = 0.0;
  for (std::size_t k = 0; k < direction_.size(); ++k) whole += direction_[k] * gradient_[k];
  double x = 1.0, below = 0.0, above = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_line_steps; ++i) {
    const Line line = line_at(x, bodies.slope, bodies.curvature);
    if (std::abs(line.slope) <= slope_left * std::abs(whole)) break;
    (line.slope > 0.0 ? above : below) = x;
    const double next = x - line.slope / line.curvature;
    if (next > below && next < above) {
      x = next;
    } else {
      x = std::isfinite(above) ? 0.5 * (below + above) : 2.0 * x;
    }
  }
  return x;
}

/// By x times direction_.
void ContactSolver::advance(double x) {
  for (std::size_t k = 0; k < u_.size(); ++k) {
    u_[k] += x * direction_[k];
    moved_[k] += x * product_[k];
  }
  for (ConeLanes& lanes : lanes_) lanes.advance(x);
}

void ContactSolver::start_again(const ContactSolveOptions& options) {
  start_at(contacts_.empty());
  if (std::isfinite(options.lift)) guess_lifts();
}

/// From where u_ is.
void ContactSolver::iterate(const ContactSolveOptions& options, ContactSolveReport& report) {
  // Where several bodies touch, lifts that follow what is not solved yet lead it astray.
  int most = options.max_iterations, slides = 0, early_slides = bodies_.size() > 1 ? most_early_slides : 0;
  bool tried_free = contacts_.empty(), was_soft = false, was_long = false, factored = false, dropped = false;
  set_softness(1.0);
  // Lets lifts follow the velocities as they are. Returns whether any has changed.
  const auto slide = [&](int& count, int most_of_them) {
    if (!(count < most_of_them && std::isfinite(options.lift) && find_lifts() > options.lift)) return false;
    ++count;
    if (report.residual <= options.tolerance && softness_ == 1.0) keep_solution(report);
    if (factored) follow_lifts();
    take_lifts();
    return true;
  };
  // What is solved but for its friction will do.
  const auto give_up = [&](SolveStatus status) {
    if (std::isfinite(kept_.residual))
      return_to_kept(report);
    else
      report.status = status;
  };
  while (!contacts_.empty()) {
    const double size = differentiate(report);
    const double left = norm(gradient_);
    if (!std::isfinite(left)) {
      give_up(SolveStatus::not_finite);
      break;
    }
    report.residual = left > known_ ? left / size : 0.0;
    if (report.active == 0 && !tried_free) {
      // Where nothing pushes any more, perhaps nothing does.
      tried_free = true;
      start_at(true);
      continue;
    }
    if (softness_ > 1.0 && report.residual <= near_enough) {
      slide(early_slides, most_early_slides);
      set_softness(std::max(1.0, softness_ / harder));
      continue;
    }
    const bool solved = report.residual <= options.tolerance;
    if (solved ? slide(slides, most_slides)
               : factored && report.residual <= near_sliding && slide(early_slides, most_early_slides)) {
      set_softness(softness_);
      continue;
    }
    if (solved) {
      if (dropped || !std::isfinite(options.lift) || !drop_lifts(most_given_way * options.lift)) break;
      dropped = true;
      if (factored) follow_lifts();
      take_lifts();
      set_softness(softness_);
      continue;
    }
    if (report.iterations >= most) {
      const bool kept = std::isfinite(kept_.residual);
      if (kept || (was_long && softness_ == 1.0)) {
        give_up(SolveStatus::not_converged);
        break;
      }
      most += options.max_iterations * (was_long ? 1 : more_iterations);
      if (!was_long) start_again(options);
      factored = false;
      set_softness(was_long ? 1.0 : softest_of_all);
      was_long = was_soft = true;
      continue;
    }
    if (!assemble_and_factor()) {
      give_up(SolveStatus::not_finite);
      break;
    }
    factored = true;
    for (std::size_t k = 0; k < direction_.size(); ++k) direction_[k] = -gradient_[k];
    factor_.solve(direction_);
    const double x = search_line();
    advance(x);
    ++report.iterations;
    if (!was_soft && bodies_.size() == 1 && is_stuck(report, x)) {
      was_soft = true;
      set_softness(softest);
    }
  }
}

ContactSolveReport ContactSolver::solve(const ContactSolveOptions& options) {
  ContactSolveReport report;
  analyze();
  lanes_.assign((contacts_.size() + packet_size - 1) / packet_size, ConeLanes());
  start_again(options);
  kept_.residual = std::numeric_limits<double>::infinity();
  iterate(options, report);
  return report;
}

Eigen::Map<const Vector> ContactSolver::impulses_on(int body) const {
  return {pushed_.data() + factor_.offset(body), sizes_[at(body)]};
}

Eigen::Map<const Vector> ContactSolver::velocity(int body) const {
  return {u_.data() + factor_.offset(body), sizes_[at(body)]};
}

}  // namespace limber
