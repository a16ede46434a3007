#include "limber/online/online_forces.hpp"

#include "limber/base/error.hpp"

namespace limber {

OnlineForces::OnlineForces(FullModel& model, Kind kind, const KeyElementOptions& options)
    : model_(model), kind_(kind) {
  if (kind == Kind::polynomial) {
    coefficients_ = std::make_unique<GrowingCoefficients>(model);
  } else {
    elements_ = std::make_unique<KeyElements>(model, options);
  }
}

void OnlineForces::learn(const Vector& u, const VertexMaps& maps, const Vector& force) {
  if (elements_) elements_->add_pose(maps.displacement(model_.dofs(), u), maps, force);
}

double OnlineForces::follow(const OnlineBasis& basis) {
  if (elements_) {
    correction_.setZero(basis.rank());
    return elements_->train(basis.columns()).error;
  }
  if (coefficients_->rank() == basis.rank()) return 0.0;
  coefficients_->grow(basis.columns());
  quartic_ = Quartic(basis.rank(), coefficients_->coefficients());
  return 0.0;
}

double OnlineForces::follow_turned(const OnlineBasis& basis) {
  if (coefficients_) coefficients_->truncate(0);
  return follow(basis);
}

void OnlineForces::calibrate(const Vector& q, const Vector& exact) {
  if (!elements_) return;
  Vector force(q.size());
  elements_->evaluate_force(q, force);
  correction_ = exact - force;
}

void OnlineForces::set_maps(const VertexMaps& maps) {
  if (elements_) elements_->set_maps(maps);
}

double OnlineForces::evaluate(const Vector& q, Vector& f, Matrix& K) const {
  f.resize(q.size());
  K.resize(q.size(), q.size());
  if (!elements_) return quartic_.evaluate(q, work_, f, K);
  const double energy = elements_->evaluate(q, f, K);
  f += correction_;
  return energy + correction_.dot(q);
}

double OnlineForces::evaluate_force(const Vector& q, Vector& f) const {
  f.resize(q.size());
  if (!elements_) return quartic_.evaluate_force(q, work_, f);
  const double energy = elements_->evaluate_force(q, f);
  f += correction_;
  return energy + correction_.dot(q);
}

void OnlineForces::save(StateWriter& out) const {
  if (elements_) {
    elements_->save(out);
    out.write(correction_);
    return;
  }
  out.write(coefficients_->coefficients());
}

void OnlineForces::restore(StateReader& in, const OnlineBasis& basis) {
  if (elements_) {
    elements_->restore(in);
    in.read(correction_);
    require(correction_.size() == basis.rank(), "the saved forces are of rank {}, the basis of {}",
            correction_.size(), basis.rank());
    if (basis.rank() > 0) elements_->set_basis(basis.columns());
    return;
  }
  Vector coefficients;
  in.read(coefficients);
  coefficients_->restore(basis.rank(), coefficients);
  if (basis.rank() > 0) quartic_ = Quartic(basis.rank(), coefficients);
}

}  // namespace limber
