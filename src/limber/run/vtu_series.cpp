#include "limber/run/vtu_series.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace limber {
namespace {

namespace fs = std::filesystem;

/// Names for the files of each body: its own where it has one, with only what every file system takes.
std::vector<std::string> file_names(const Scene& scene) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    std::string name = scene.bodies[i].name;
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return c >= 0x80 || (!std::isalnum(c) && c != '-' && c != '_'); }, '_');
    while (!taken.insert(name).second) name += fmt::format("_{}", i);
    names.push_back(name);
  }
  return names;
}

/// Whether a file of this name belongs to the series of one of the bodies: BODY.pvd or BODY_DIGITS.vtu.
bool is_of_series(const std::vector<std::string>& bodies, std::string_view name) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const std::string& body) {
    if (name == body + ".pvd") return true;
    const std::string_view start = name.substr(0, body.size() + 1), end = ".vtu";
    if (start != body + "_" || !name.ends_with(end) || name.size() <= start.size() + end.size()) return false;
    const std::string_view digits = name.substr(start.size(), name.size() - start.size() - end.size());
    return digits.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

}  // namespace

VtuSeries::VtuSeries(const Scene& scene, NewFolders& folders)
    : scene_(scene), folders_(folders), names_(file_names(scene)), entries_(scene.bodies.size()) {}

std::string VtuSeries::file_name(std::size_t body) const {
  return fmt::format("{}_{:04}.vtu", names_[body], frames_);
}

void VtuSeries::write(double time, const std::vector<Matrix3X>& displacements) {
  if (frames_ == 0) folders_.make(scene_.output.vtu);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string file = file_name(i);
    write_vtu(scene_.output.vtu / file, scene_.bodies[i].mesh, {.displacement = displacements[i]});
    entries_[i].push_back({time, file});
  }
  ++frames_;
}

void VtuSeries::resume(int count) {
  for (; frames_ < count; ++frames_) {
    const double time = frames_ * scene_.output.every * scene_.solver.timestep;  // as step() has it
    for (std::size_t i = 0; i < names_.size(); ++i) {
      entries_[i].push_back({time, file_name(i)});
      std::error_code status;
      require(fs::is_regular_file(scene_.output.vtu / file_name(i), status),
              "{}: is missing, the checkpoint speaks of it; delete the checkpoint and start anew",
              (scene_.output.vtu / file_name(i)).string());
    }
  }
}

void VtuSeries::discard() {
  std::error_code ignored;
  for (auto& entries : entries_) {
    for (const auto& entry : entries) fs::remove(scene_.output.vtu / entry.file, ignored);
    entries.clear();
  }
  frames_ = 0;
}

std::vector<fs::path> VtuSeries::finish() const {
  std::vector<fs::path> paths;
  if (frames_ == 0) return paths;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    paths.push_back((scene_.output.vtu / (names_[i] + ".pvd")).lexically_normal());
    write_pvd(paths.back(), entries_[i]);
  }
  return paths;
}

OutputFolder VtuSeries::plan(const Scene& scene) {
  return {scene.output.vtu,
          [names = file_names(scene)](std::string_view name) { return is_of_series(names, name); }};
}

}  // namespace limber
