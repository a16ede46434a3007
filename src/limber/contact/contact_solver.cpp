#include "limber/contact/contact_solver.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/packet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Rows of contacts that are multiplied at once: they stay in the nearest cache.
constexpr int rows_at_once = 48;

/// The line search ends where the slope is that share of what it was.
constexpr double slope_left = 0.05;
constexpr int most_line_steps = 20;

Vector3 multiply_rows(const double* rows, int stride, const double* u) {
  Packet sums[3] = {};
  for (int k = 0; k < stride; k += packet_size) {
    const Packet x = load_packet(u + k);
    for (int l = 0; l < 3; ++l) sums[l] += load_packet(rows + l * stride + k) * x;
  }
  return {sum_lanes(sums[0]), sum_lanes(sums[1]), sum_lanes(sums[2])};
}

/// u += rows^T g
void add_transposed(const double* rows, int stride, const Vector3& g, double* u) {
  for (int k = 0; k < stride; k += packet_size) {
    Packet sum = load_packet(u + k);
    for (int l = 0; l < 3; ++l) sum += load_packet(rows + l * stride + k) * broadcast(g(l));
    store_packet(u + k, sum);
  }
}

/// F with F^T F = G, of a G that is positive semidefinite: upper triangular, rows of zeros where it is
/// singular.
Matrix3 root_of(const Matrix3& G) {
  Matrix3 F = Matrix3::Zero();
  // The normal first: it is never singular where a contact pushes.
  for (int j = 2; j >= 0; --j) {
    double pivot = G(j, j);
    for (int k = j + 1; k < 3; ++k) pivot -= F(k, j) * F(k, j);
    constexpr double rounding = 1e-13;  // of a difference of numbers of size G
    if (!(pivot > rounding * G(j, j))) continue;
    F(j, j) = std::sqrt(pivot);
    for (int i = 0; i < j; ++i) {
      double sum = G(j, i);
      for (int k = j + 1; k < 3; ++k) sum -= F(k, j) * F(k, i);
      F(j, i) = sum / F(j, j);
    }
  }
  return F;
}

/// F rows, three columns of a stack.
void scale_rows(const Matrix3& F, const double* rows, int stride, double* to) {
  for (int k = 0; k < stride; k += packet_size) {
    Packet x[3];
    for (int l = 0; l < 3; ++l) x[l] = load_packet(rows + l * stride + k);
    for (int l = 0; l < 3; ++l)
      store_packet(to + l * stride + k,
                   broadcast(F(l, 0)) * x[0] + broadcast(F(l, 1)) * x[1] + broadcast(F(l, 2)) * x[2]);
  }
}

Eigen::Map<Vector> as_vector(double* numbers, Index size) { return {numbers, size}; }

}  // namespace

void ContactSolver::begin(std::span<const ContactBody> bodies) {
  bodies_.assign(bodies.begin(), bodies.end());
  contacts_.clear();
  rows_.clear();
  wholes_.resize(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
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
    const Index elastic = A.rows() - body.rigid;
    for (Index k = 0; k < elastic; ++k) sum += row[k] * row[k] / A(k, k);
    if (body.rigid == 0) continue;
    Eigen::Matrix<double, 6, 1> whole(row + elastic);
    solve_block_lower(wholes_[at(index)].data(), 6, whole.data());
    sum += whole.squaredNorm();
  }
  return sum;
}

Vector3 ContactSolver::velocity_at(const Contact& contact, std::vector<double>& u) const {
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
  for (const Contact& contact : contacts_)
    if (contact.bodies[1] >= 0) pairs_.emplace_back(contact.bodies[0], contact.bodies[1]);
  factor_.analyze(sizes_, pairs_);
  for (std::vector<double>* vector : {&u_, &gradient_, &direction_, &moved_, &product_, &pushed_})
    vector->assign(at(factor_.padded_total()), 0.0);
}

/// gradient_ = A (u - u*) - J^T g, moved_ = A (u - u*), pushed_ = J^T g. Returns the size of what flows.
double ContactSolver::differentiate(ContactSolveReport& report) {
  std::fill(pushed_.begin(), pushed_.end(), 0.0);
  report.active = 0;
  for (Contact& contact : contacts_) {
    contact.impulse = respond(contact.cone, contact.velocity, &contact.stiffness).impulse;
    contact.pushes = contact.impulse.z() > 0.0;
    if (!contact.pushes) continue;
    ++report.active;
    for (int side = 0; side < 2; ++side) {
      const int body = contact.bodies[side];
      if (body >= 0)
        add_transposed(rows_.data() + contact.rows[side], padded(body), contact.impulse, part(pushed_, body));
    }
  }
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const ContactBody& body = bodies_[at(b)];
    const Index n = sizes_[at(b)];
    auto change = as_vector(part(product_, b), n), moved = as_vector(part(moved_, b), n);
    change = as_vector(part(u_, b), n) - *body.free_velocity;
    moved.noalias() = *body.step_matrix * change;
    as_vector(part(gradient_, b), n) = moved - as_vector(part(pushed_, b), n);
  }
  return std::max(norm(moved_), norm(pushed_));
}

/// Of a momentum, as the velocity that it stands for, each coordinate by itself.
double ContactSolver::norm(std::vector<double>& force) const {
  double sum = 0.0;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const auto own = as_vector(part(force, b), sizes_[at(b)]);
    sum += (own.array().square() / bodies_[at(b)].step_matrix->diagonal().array()).sum();
  }
  return std::sqrt(sum);
}

/// J^T G J of a body's own contacts, some at a time.
void ContactSolver::add_stiffness(int body) {
  const int n = sizes_[at(body)], stride = padded_rows(n);
  stack_.resize(at(stride) * rows_at_once);
  int filled = 0;
  const auto flush = [&] {
    if (filled > 0)
      add_product(1.0, stack_.data(), stack_.data(), n, n, filled, true, factor_.diagonal(body));
    filled = 0;
  };
  for (const Contact& contact : contacts_) {
    if (!contact.pushes) continue;
    for (int side = 0; side < 2; ++side) {
      if (contact.bodies[side] != body) continue;
      scale_rows(root_of(contact.stiffness), rows_.data() + contact.rows[side], stride,
                 stack_.data() + at(filled) * at(stride));
      filled += 3;
      if (filled == rows_at_once) flush();
    }
  }
  flush();
}

void ContactSolver::add_coupling(const Contact& contact) {
  const bool below = factor_.below(contact.bodies[0], contact.bodies[1]);
  const int row = contact.bodies[below ? 0 : 1], column = contact.bodies[below ? 1 : 0];
  const Matrix3 F = root_of(contact.stiffness);
  stack_.resize(std::max(stack_.size(), 3 * at(padded(row))));
  other_.resize(std::max(other_.size(), 3 * at(padded(column))));
  scale_rows(F, rows_.data() + contact.rows[below ? 0 : 1], padded(row), stack_.data());
  scale_rows(F, rows_.data() + contact.rows[below ? 1 : 0], padded(column), other_.data());
  add_product(1.0, stack_.data(), other_.data(), sizes_[at(row)], sizes_[at(column)], 3, false,
              factor_.off_diagonal(row, column));
}

void ContactSolver::assemble() {
  factor_.set_zero();
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const Matrix& A = *bodies_[at(b)].step_matrix;
    Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(factor_.diagonal(b), A.rows(), A.cols(),
                                                Eigen::OuterStride<>(padded(b))) = A;
    add_stiffness(b);
  }
  for (const Contact& contact : contacts_)
    if (contact.pushes && contact.bodies[1] >= 0) add_coupling(contact);
}

/// Of the cost along direction_, at x times it.  slope, curvature: of its quadratic part at 0.
ContactSolver::Line ContactSolver::line_at(double x, double slope, double curvature) const {
  Line line{slope + x * curvature, curvature};
  Matrix3 G;
  for (const Contact& contact : contacts_) {
    const Vector3 impulse = respond(contact.cone, contact.velocity + x * contact.change, &G).impulse;
    line.slope -= impulse.dot(contact.change);
    line.curvature += contact.change.dot(G * contact.change);
  }
  return line;
}

/// The step along direction_ at which the cost is least: Newton's iteration on its slope, which grows with
/// x, between bounds.
double ContactSolver::search_line() {
  double slope = 0.0, curvature = 0.0, whole = 0.0;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const Index n = sizes_[at(b)];
    const auto direction = as_vector(part(direction_, b), n);
    auto product = as_vector(part(product_, b), n);
    product.noalias() = *bodies_[at(b)].step_matrix * direction;
    curvature += direction.dot(product);
    slope += direction.dot(as_vector(part(moved_, b), n));
    whole += direction.dot(as_vector(part(gradient_, b), n));
  }
  for (Contact& contact : contacts_) contact.change = velocity_at(contact, direction_);
  double x = 1.0, below = 0.0, above = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_line_steps; ++i) {
    const Line line = line_at(x, slope, curvature);
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

ContactSolveReport ContactSolver::solve(const ContactSolveOptions& options) {
  ContactSolveReport report;
  analyze();
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b)
    as_vector(part(u_, b), sizes_[at(b)]) =
        contacts_.empty() ? *bodies_[at(b)].free_velocity : *bodies_[at(b)].guess;
  for (Contact& contact : contacts_) contact.velocity = contact.drift + velocity_at(contact, u_);
  while (!contacts_.empty()) {
    const double size = differentiate(report);
    const double left = norm(gradient_);
    if (!std::isfinite(left)) {
      report.status = SolveStatus::not_finite;
      break;
    }
    report.residual = size > 0.0 ? left / size : 0.0;
    if (report.residual <= options.tolerance) break;
    if (report.iterations >= options.max_iterations) {
      report.status = SolveStatus::not_converged;
      break;
    }
    assemble();
    if (!factor_.factor()) {
      report.status = SolveStatus::not_finite;
      break;
    }
    for (std::size_t k = 0; k < direction_.size(); ++k) direction_[k] = -gradient_[k];
    factor_.solve(direction_);
    const double x = search_line();
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] += x * direction_[k];
    for (Contact& contact : contacts_) contact.velocity += x * contact.change;
    ++report.iterations;
  }
  return report;
}

Eigen::Map<const Vector> ContactSolver::impulses_on(int body) const {
  return {pushed_.data() + factor_.offset(body), sizes_[at(body)]};
}

Eigen::Map<const Vector> ContactSolver::velocity(int body) const {
  return {u_.data() + factor_.offset(body), sizes_[at(body)]};
}

}  // namespace limber
