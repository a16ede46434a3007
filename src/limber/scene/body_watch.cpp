#include "limber/scene/body_watch.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr int gap_steps = 8;  ///< that are all looked at, and then the distance of those that are

/// The largest length of a triple of rows in each column.
Vector largest_lengths(const Eigen::Ref<const Matrix>& rows) {
  Vector lengths = Vector::Zero(rows.cols());
  for (Index i = 0; i + 3 <= rows.rows(); i += 3)
    lengths = lengths.cwiseMax(rows.middleRows<3>(i).colwise().norm().transpose());
  return lengths;
}

double largest_length(const Matrix3X& field) {
  return field.cols() > 0 ? std::sqrt(field.colwise().squaredNorm().maxCoeff()) : 0.0;
}

double size_of_part(const ReducedModel& part) {
  const Matrix3X& x = part.surface.mesh.vertices;
  return x.cols() > 0 ? (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm() : 0.0;
}

/// How much of what linear modes can represent a unit of each coordinate takes.
Vector linear_badness(const ReducedModel& part) {
  const double size = size_of_part(part);
  Vector bad = Vector::Zero(part.rank);
  if (size > 0.0) bad = largest_lengths(part.surface.basis.cast<double>()) / (largest_linear_share * size);
  if (part.warp) bad = bad.cwiseMax(largest_lengths(part.warp->lumps.rotations) / largest_linear_rotation);
  return bad;
}

/// How much of what its forces were trained for a unit of each coordinate takes; zeros where they are exact.
Vector trained_badness(const ReducedModel& part) {
  const double size = size_of_part(part);
  if (!part.cubature || !(part.cubature->training.amplitude * size > 0.0)) return Vector::Zero(part.rank);
  return largest_lengths(part.surface.basis.cast<double>()) / (part.cubature->training.amplitude * size);
}

/// Whether a model has forces that were trained.
bool is_trained(const Model& model) {
  return std::any_of(model.parts.begin(), model.parts.end(),
                     [](const ReducedPart& part) { return part.model.cubature.has_value(); });
}

}  // namespace

BodyWatch::BodyWatch(const Body& body) {
  if (!body.has_model()) return;
  if (body.method() == Method::warped)
    badness_.push_back(largest_lengths(body.model().part(0).model.warp->lumps.rotations));
  if (body.method() == Method::reduced && is_trained(body.model())) {
    for (const ReducedPart& part : body.model().parts) badness_.push_back(trained_badness(part.model));
  }
  const bool one_domain = body.model().domain_count() == 1 && !body.model().free;
  if (one_domain && (body.method() == Method::reduced || body.method() == Method::linear))
    unit_displacement_ = largest_lengths(body.model().part(0).model.surface.basis.cast<double>());
  if (body.method() != Method::linear) return;
  for (const ReducedPart& part : body.model().parts) badness_.push_back(linear_badness(part.model));
}

void BodyWatch::note(const Body& body, int step) {
  if (!badness_.empty()) look_for_shapes(body);
  if (unit_displacement_.size() > 0) look_for_displacement(body);
  const bool tree = body.has_model() && body.model().domain_count() > 1;
  if (tree && (step <= gap_steps || step % gap_steps == 0)) look_for_gaps(body);
}

/// Keeps the coordinates of a domain if they are worse than those kept so far. The squares of what each of
/// them does alone are added: which of the shapes of a run is the worst need not be known exactly, and each
/// step must stay as cheap as it is.
void BodyWatch::look_for_shapes(const Body& body) {
  const Vector& q = body.q();
  const bool single = body.model().domain_count() == 1;
  Index from = 0;
  for (Index d = 0; d < body.model().domain_count(); ++d) {
    const int part = body.model().domains[static_cast<std::size_t>(d)].part;
    const Index count = single ? q.size() : body.rank(part);
    const auto own = q.segment(from, count);
    from += count;
    const double bad = own.cwiseProduct(badness_[static_cast<std::size_t>(part)].head(count)).squaredNorm();
    if (!(bad > worst_)) continue;
    worst_ = bad;
    domain_ = d;
    worst_q_ = own;
  }
}

/// As in look_for_shapes: which shape went farthest need not be known exactly.
void BodyWatch::look_for_displacement(const Body& body) {
  const Vector& q = body.q();
  const double far = q.cwiseProduct(unit_displacement_.head(q.size())).squaredNorm();
  if (!(far > farthest_)) return;
  farthest_ = far;
  farthest_q_ = q;
}

void BodyWatch::look_for_gaps(const Body& body) {
  const InterfaceGap gap = body.largest_gap();
  if (gap_.domain < 0 || gap.share > gap_.share) gap_ = gap;
}

WarpDistortion BodyWatch::largest_distortion(const Body& body) const {
  if (domain_ < 0 || body.method() != Method::warped) return {};
  return warp_distortion(body.model().part(0).model, worst_q_);
}

LinearReach BodyWatch::largest_reach(const Body& body) const {
  if (domain_ < 0 || body.method() != Method::linear) return {};
  const ReducedModel& part = body.model().part(domain_).model;
  static const Eigen::MatrixXf none;
  LinearReach reach;
  reach.domain = domain_;
  const double farthest = largest_length(warped_field(part.surface.basis, none, worst_q_));
  reach.displacement = farthest * body.model().domains[static_cast<std::size_t>(domain_)].scale;
  const double size = size_of_part(part);
  if (size > 0.0) reach.share = farthest / size;
  if (part.warp) reach.rotation = largest_length(warped_field(part.warp->surface_rotations, none, worst_q_));
  return reach;
}

TrainedReach BodyWatch::largest_trained_reach(const Body& body) const {
  if (domain_ < 0 || body.method() != Method::reduced) return {};
  const ReducedModel& part = body.model().part(domain_).model;
  const double size = size_of_part(part);
  if (!part.cubature || !(size > 0.0)) return {};
  static const Eigen::MatrixXf none;
  const double farthest = largest_length(warped_field(part.surface.basis, none, worst_q_));
  return {domain_, farthest * body.model().domains[static_cast<std::size_t>(domain_)].scale, farthest / size,
          part.cubature->training.amplitude};
}

double BodyWatch::largest_displacement(const Body& body) const {
  if (farthest_q_.size() == 0) return 0.0;
  static const Eigen::MatrixXf none;
  return largest_length(warped_field(body.model().part(0).model.surface.basis, none, farthest_q_)) *
         body.model().domains.front().scale;
}

void BodyWatch::save(StateWriter& out) const {
  out.write(std::int64_t{gap_.domain});
  out.write(gap_.largest);
  out.write(gap_.share);
  out.write(domain_);
  out.write(worst_);
  out.write(worst_q_);
  out.write(farthest_);
  out.write(farthest_q_);
}

void BodyWatch::restore(StateReader& in, const Body& body) {
  std::int64_t gap_domain = -1, domain = -1;
  InterfaceGap gap;
  in.read(gap_domain);
  in.read(gap.largest);
  in.read(gap.share);
  const Index domains = body.has_model() ? body.model().domain_count() : 0;
  require(gap_domain >= -1 && gap_domain < domains, "the state has a gap at domain {}, the body has {}",
          gap_domain, domains);
  gap.domain = gap_domain;
  double worst = 0.0, farthest = 0.0;
  Vector q, farthest_q;
  in.read(domain);
  in.read(worst);
  in.read(q);
  in.read(farthest);
  in.read(farthest_q);
  const bool known = domain >= 0 && domain < domains && !badness_.empty();
  const Index most = known ? body.model().part(domain).model.rank : 0;
  require((domain == -1 && q.size() == 0) || (known && q.size() <= most),
          "the state has a shape with {} coordinates of domain {}, the body has {} such domains, of {}",
          q.size(), domain, badness_.empty() ? 0 : domains, most);
  require(farthest_q.size() <= unit_displacement_.size(),
          "the state has a farthest shape with {} coordinates, the body has {}", farthest_q.size(),
          unit_displacement_.size());
  farthest_ = farthest;
  farthest_q_ = farthest_q;
  gap_ = gap;
  domain_ = domain;
  worst_ = worst;
  worst_q_ = q;
}

}  // namespace limber
