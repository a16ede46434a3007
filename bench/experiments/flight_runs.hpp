#pragma once

#include "bench/experiments/compared_bodies.hpp"

#include <functional>
#include <string>
#include <vector>

namespace limber::bench {

/// How a body is thrown, and for how long it is looked at.
struct Throw {
  Vector3 velocity = Vector3::Zero();  ///< m/s
  Vector3 spin = Vector3::Zero();      ///< rad/s
  Vector3 gravity = Vector3::Zero();   ///< m/s^2
  double h = 1e-3;                     ///< s
  int steps = 0;
  int every = 1;  ///< steps from one look to the next
};

/// Where a body was at each look.
struct FlightTrack {
  Vector times;                    ///< s
  Matrix3X centers;                ///< of mass, m
  std::vector<Matrix3> rotations;  ///< nearest to its vertices, by their masses: the same for every method
  Vector turned;                   ///< sum of the angles from look to look, rad
  Vector strain;                   ///< farthest from that rigid place, as a share of the size of the body
  Matrix3X angular;  ///< momentum of all vertices as they are seen to move, about the centre, kg m^2/s
  int failed = 0;    ///< steps
};

/// From the displacements and velocities of all vertices of its mesh, whatever the method describes them by.
FlightTrack fly(Body body, const Specimen& specimen, const Throw& given);

/// How far one flight is from another.
struct FlightError {
  double path = 0.0;    ///< farthest that centres of mass are apart, as a share of the way
  double turned = 0.0;  ///< of the angle turned at the end, as a share
  /// Largest angle between orientations, which is that of the axis and of the angle, as a share of the angle
  /// turned at the end.
  double spin = 0.0;
  double seen = 0.0;  ///< largest change of the angular momentum that is seen, as a share: of itself alone
};
FlightError compare(const FlightTrack& track, const FlightTrack& truth);

/// What a body that nothing acts on keeps, from start to end.
struct Endurance {
  double linear = 0.0, angular = 0.0;  ///< largest change of a momentum at a look, as a share of it
  double gain = 0.0, end = 0.0;        ///< of energy but for that of the flight: most, and at the end; shares
  double steps_per_second = 0.0;       ///< of the time of all CPUs, whatever else they do
  int failed = 0, rescued = 0;         ///< steps
};
/// Thrown without gravity, for so many steps; looks are a hundred steps apart.
Endurance endure(Body body, const Throw& given, int steps);

struct Flyer {
  std::string method;
  Body body;
};

/// A body, how it is thrown, and what it flies by beside finite elements.
struct FlightCase {
  Specimen specimen;
  Throw given;                ///< without gravity
  std::vector<Flyer> flyers;  ///< at rest
  int finer = 1;           ///< steps of the finite elements that others are compared with, for one of theirs
  int endurance = 0;       ///< steps
  int full_endurance = 0;  ///< the same for finite elements; 0: none
};

/// bar: a slender one. octopus: one of many arms, whose bases and domains are the usual ones. small: a coarse
/// bar, for seconds. Throws Error for any other name.
FlightCase make_flight_case(const std::string& name);

}  // namespace limber::bench
