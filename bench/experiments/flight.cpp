// Free flight: bodies that spin, thrown alike by several methods, against finite elements of the same mesh;
// and what they keep of momentum and energy over many steps.
//   flight FOLDER [NAME...]
// NAME: bar, octopus or small; bar and octopus where none is given.
// Writes plots (.svg) into the folder and prints the tables of docs/flight.md.

#include "bench/experiments/flight_runs.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/draw/line_plot.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <numbers>
#include <utility>

namespace limber::bench {
namespace {

/// Those of one method, with gravity and without.
struct Flown {
  std::string method;
  Index coordinates = 0;
  FlightTrack still, falling;
};

Flown fly_twice(const std::string& method, const Body& body, const Specimen& specimen, Throw given) {
  Flown flown{method, coordinates_of(body), fly(body, specimen, given), {}};
  given.gravity = Vector3(0.0, 0.0, -9.81);
  flown.falling = fly(body, specimen, given);
  const int failed = flown.still.failed + flown.falling.failed;
  if (failed > 0) fmt::print("{}: {} steps failed\n", method, failed);
  return flown;
}

Throw finer(Throw given, int times) {
  given.h /= times;
  given.steps *= times;
  given.every *= times;
  return given;
}

std::vector<Flown> fly_all(const FlightCase& one) {
  const Body full = by_finite_elements(one.specimen);
  std::vector<Flown> all{
      fly_twice(one.finer > 1 ? fmt::format("full, {} times as many steps", one.finer) : "full", full,
                one.specimen, finer(one.given, one.finer))};
  if (one.finer > 1) all.push_back(fly_twice("full", full, one.specimen, one.given));
  for (const auto& [method, body] : one.flyers)
    all.push_back(fly_twice(method, body, one.specimen, one.given));
  return all;
}

void print_errors(const FlightCase& one, const std::vector<Flown>& all) {
  const Flown& truth = all.front();
  fmt::print(
      "\n{}: {} vertices, {} tetrahedra, {:.1f} turns in {:.2f} s; vertices move by up to {:.1f} % of its "
      "size"
      "\n\n| method | coordinates | path | angle turned | orientation | momentum seen | the same, falling: "
      "path | angle turned | orientation | momentum seen |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      one.specimen.name, one.specimen.mesh.vertex_count(), one.specimen.mesh.element_count(),
      truth.still.turned(truth.still.turned.size() - 1) / (2.0 * std::numbers::pi),
      truth.still.times(truth.still.times.size() - 1), 100.0 * truth.still.strain.maxCoeff());
  for (const Flown& flown : all) {
    fmt::print("| {} | {} |", flown.method, flown.coordinates);
    for (const auto& [track, exact] :
         {std::pair(&flown.still, &truth.still), {&flown.falling, &truth.falling}}) {
      const FlightError error = compare(*track, *exact);
      fmt::print(" {:.0e} | {:+.3f} % | {:.3f} % | {:.0e} |", error.path, 100.0 * error.turned,
                 100.0 * error.spin, error.seen);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void print_endurance(const FlightCase& one) {
  fmt::print(
      "\n| method | coordinates | steps | linear momentum | angular momentum | energy, most | at the end | "
      "rescued | steps per second of CPU time |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const auto print = [&](const std::string& method, const Body& body, int steps) {
    const Endurance kept = endure(body, one.given, steps);
    fmt::print("| {} | {} | {} | {:.0e} | {:.0e} | {:+.0e} | {:+.1e} | {} | {:.0f} |\n", method,
               coordinates_of(body), steps, kept.linear, kept.angular, kept.gain, kept.end, kept.rescued,
               kept.steps_per_second);
    if (kept.failed > 0) fmt::print("{}: {} steps failed\n", method, kept.failed);
    std::fflush(stdout);
  };
  for (const auto& [method, body] : one.flyers) print(method, body, one.endurance);
  if (one.full_endurance > 0) print("full", by_finite_elements(one.specimen), one.full_endurance);
}

Vector angles_between(const FlightTrack& track, const FlightTrack& truth) {
  Vector angles(track.times.size());
  for (Index i = 0; i < angles.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Matrix3 way = track.rotations[k] * truth.rotations[k].transpose();
    angles(i) = Eigen::AngleAxisd(way).angle() * 180.0 / std::numbers::pi;
  }
  return angles;
}

void plot_flights(const std::vector<Flown>& all, const std::string& name,
                  const std::filesystem::path& folder) {
  LinePlot plot{.title = "How far orientations are from that of finite elements",
                .x_label = "turns",
                .y_label = "angle (degrees)"};
  const FlightTrack& truth = all.front().still;
  for (const Flown& flown : all) {
    if (&flown == &all.front()) continue;
    plot.curves.push_back({fmt::format("{}, {}", flown.method, flown.coordinates),
                           truth.turned / (2.0 * std::numbers::pi), angles_between(flown.still, truth)});
  }
  write_file(folder / ("flight_" + name + ".svg"), to_svg(plot));
}

void run(const std::string& name, const std::filesystem::path& folder) {
  const FlightCase one = make_flight_case(name);
  const std::vector<Flown> all = fly_all(one);
  print_errors(one, all);
  plot_flights(all, name, folder);
  print_endurance(one);
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw limber::Error("usage: flight FOLDER [NAME...]");
    std::vector<std::string> names(argv + 2, argv + argc);
    if (names.empty()) names = {"bar", "octopus"};
    for (const std::string& name : names) limber::bench::run(name, argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "flight: {}\n", error.what());
    return 1;
  }
}
