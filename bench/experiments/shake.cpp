// Bodies on a support that is shaken, by several methods, against finite elements of the same mesh whose held
// vertices are moved alike: and how much of that is what their shapes cannot say.
//   shake FOLDER [NAME...]
// NAME: stout, slender, heart or small; the first three where none is given.
// Writes plots (.svg) into the folder and prints the tables of docs/flight.md.

#include "bench/experiments/shake_runs.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/draw/line_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace limber::bench {
namespace {

struct Shaken {
  std::string method;
  Index coordinates = 0;
  double error = 0.0, least = 0.0;  ///< shares of the motion
  Vector tip;                       ///< displacement of one vertex along the main swing, m
};

/// The vertex that is farthest from its support on the whole.
Index farthest(const ShakenMotion& motion) {
  Vector sums = Vector::Zero(motion.displacements.front().cols());
  for (const Matrix3X& field : motion.displacements) sums += field.colwise().norm().transpose();
  Index vertex = 0;
  sums.maxCoeff(&vertex);
  return vertex;
}

Vector followed(const ShakenMotion& motion, Index vertex, const Vector3& direction) {
  Vector way(static_cast<Index>(motion.displacements.size()));
  for (Index i = 0; i < way.size(); ++i)
    way(i) = motion.displacements[static_cast<std::size_t>(i)].col(vertex).dot(direction);
  return way;
}

double largest(const ShakenMotion& motion) {
  double most = 0.0;
  for (const Matrix3X& field : motion.displacements) most = std::max(most, field.colwise().norm().maxCoeff());
  return most;
}

void print_head(const ShakeCase& one, const ShakenMotion& truth) {
  const BoundingBox box = bounding_box(one.specimen.mesh);
  fmt::print(
      "\n{}: {} vertices, {} tetrahedra; {:.2f} Hz, shaken at {:.2f} Hz, {} steps of {:.2g} ms; it bends by "
      "up "
      "to {:.1f} % of its size\n\n"
      "| method | coordinates | lowest frequency (Hz) | error | least of its shapes | ratio |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      one.specimen.name, one.specimen.mesh.vertex_count(), one.specimen.mesh.element_count(),
      lowest_frequency_of(by_warping(one.specimen, 2)), one.shaking.frequency, one.shaking.steps,
      1e3 * one.shaking.h, 100.0 * largest(truth) / (box.max - box.min).norm());
  std::fflush(stdout);
}

void plot_tips(const ShakeCase& one, const Vector& exact, const std::vector<Shaken>& all,
               const std::string& name, const std::filesystem::path& folder) {
  LinePlot plot{.title = "Farthest vertex, seen from the support",
                .x_label = "time (s)",
                .y_label = "along the way of the support (m)"};
  const double look = one.shaking.every * one.shaking.h;
  const Vector times = Vector::LinSpaced(exact.size(), look, look * static_cast<double>(exact.size()));
  for (const Shaken& shaken : all)
    plot.curves.push_back({fmt::format("{}, {}", shaken.method, shaken.coordinates), times, shaken.tip});
  plot.curves.push_back({"full", times, exact, true});
  write_file(folder / ("shake_" + name + "_motion.svg"), to_svg(plot));
}

void plot_errors(const std::vector<Shaken>& all, const std::string& name,
                 const std::filesystem::path& folder) {
  LinePlot plot{.title = "Error against the number of coordinates",
                .x_label = "coordinates",
                .y_label = "share of the motion (%)",
                .log_x = true,
                .log_y = true};
  for (const std::string method : {"reduced", "warped", "tree of 3"}) {
    Curve error{method, {}, {}}, least{method + ", least of its shapes", {}, {}, true};
    for (const Shaken& shaken : all) {
      if (shaken.method != method) continue;
      const Index n = error.x.size() + 1;
      for (Vector* values : {&error.x, &error.y, &least.y}) values->conservativeResize(n);
      error.x(n - 1) = static_cast<double>(shaken.coordinates);
      error.y(n - 1) = 100.0 * shaken.error;
      least.y(n - 1) = 100.0 * shaken.least;
    }
    least.x = error.x;
    if (error.x.size() == 0) continue;
    plot.curves.push_back(error);
    plot.curves.push_back(least);
  }
  write_file(folder / ("shake_" + name + ".svg"), to_svg(plot));
}

void run(const std::string& name, const std::filesystem::path& folder) {
  const ShakeCase one = make_shake_case(name);
  const MotionNorm norm(one.specimen);
  const ShakenMotion truth = shake(by_finite_elements(one.specimen), one.specimen, one.shaking);
  print_head(one, truth);
  if (truth.failed > 0) fmt::print("full: {} steps failed\n", truth.failed);
  const Index vertex = farthest(truth);
  const Vector3 direction = one.shaking.way.normalized();
  std::vector<Shaken> all;
  for (const auto& [method, body] : one.bodies) {
    const ShakenMotion motion = shake(body, one.specimen, one.shaking);
    all.push_back({method, coordinates_of(body), norm.error(motion, truth), norm.least_error(body, truth),
                   followed(motion, vertex, direction)});
    const Shaken& shaken = all.back();
    fmt::print("| {} | {} | {:.3f} | {:.3f} % | {:.3f} % | {:.1f} |\n", method, shaken.coordinates,
               lowest_frequency_of(body), 100.0 * shaken.error, 100.0 * shaken.least,
               shaken.error / shaken.least);
    if (motion.failed > 0) fmt::print("{}: {} steps failed\n", method, motion.failed);
    std::fflush(stdout);
  }
  plot_tips(one, followed(truth, vertex, direction), all, name, folder);
  plot_errors(all, name, folder);
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw limber::Error("usage: shake FOLDER [NAME...]");
    std::vector<std::string> names(argv + 2, argv + argc);
    if (names.empty()) names = {"stout", "slender", "heart"};
    for (const std::string& name : names) limber::bench::run(name, argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "shake: {}\n", error.what());
    return 1;
  }
}
