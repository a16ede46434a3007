#include "limber/scene/body_watch.hpp"

#include "limber/base/error.hpp"

namespace limber {
namespace {

constexpr int gap_steps = 8;  ///< that are all looked at, and then the distance of those that are

/// The largest rotation of a lump for a unit of each coordinate.
Vector largest_turns(const Lumps& lumps) {
  Vector turns = Vector::Zero(lumps.rotations.cols());
  for (Index lump = 0; lump < lumps.count(); ++lump)
    turns = turns.cwiseMax(lumps.rotations.middleRows<3>(3 * lump).colwise().norm().transpose());
  return turns;
}

}  // namespace

BodyWatch::BodyWatch(const Body& body) {
  if (body.method() == Method::warped) turns_ = largest_turns(body.model().part(0).model.warp->lumps);
}

void BodyWatch::note(const Body& body, int step) {
  if (turns_.size() > 0) look_for_turns(body.q());
  const bool tree = body.has_model() && body.model().domain_count() > 1;
  if (tree && (step <= gap_steps || step % gap_steps == 0)) look_for_gaps(body);
}

/// Keeps the coordinates of the step if they turn more than those kept so far. The squares of what each of
/// them turns alone are added: which of the shapes of a run is the worst need not be known exactly, and each
/// step must stay as cheap as it is.
void BodyWatch::look_for_turns(const Vector& q) {
  const double turn = q.cwiseProduct(turns_.head(q.size())).squaredNorm();
  if (!(turn > most_turn_)) return;
  most_turn_ = turn;
  most_turned_ = q;
}

void BodyWatch::look_for_gaps(const Body& body) {
  const InterfaceGap gap = body.largest_gap();
  if (gap_.domain < 0 || gap.share > gap_.share) gap_ = gap;
}

WarpDistortion BodyWatch::largest_distortion(const Body& body) const {
  if (most_turned_.size() == 0) return {};
  return warp_distortion(body.model().part(0).model, most_turned_);
}

void BodyWatch::save(StateWriter& out) const {
  out.write(std::int64_t{gap_.domain});
  out.write(gap_.largest);
  out.write(gap_.share);
  out.write(most_turn_);
  out.write(most_turned_);
}

void BodyWatch::restore(StateReader& in, const Body& body) {
  std::int64_t domain = -1;
  InterfaceGap gap;
  in.read(domain);
  in.read(gap.largest);
  in.read(gap.share);
  const Index domains = body.has_model() ? body.model().domain_count() : 0;
  require(domain >= -1 && domain < domains, "the state has a gap at domain {}, the body has {}", domain,
          domains);
  gap.domain = domain;
  double turn = 0.0;
  Vector turned;
  in.read(turn);
  in.read(turned);
  require(turned.size() == 0 || (turns_.size() > 0 && turned.size() == body.q().size()),
          "the state has {} coordinates of a warped shape, the body {}", turned.size(),
          turns_.size() > 0 ? body.q().size() : 0);
  gap_ = gap;
  most_turn_ = turn;
  most_turned_ = turned;
}

}  // namespace limber
