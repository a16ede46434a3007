#pragma once

#include "limber/io/vtu.hpp"
#include "limber/run/output_files.hpp"
#include "limber/scene/scene.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The series of .vtu files of a run of a scene, one per body, in the folder that its output names.
class VtuSeries {
 public:
  /// Keeps a reference to the scene.  folders: gets those that are made for it.
  VtuSeries(const Scene& scene, NewFolders& folders);

  /// One displacement (3 x n) per body.
  void write(double time, const std::vector<Matrix3X>& displacements);

  /// Goes on after `count` frames, which an earlier process wrote. Throws Error where one is missing.
  void resume(int count);

  /// Removes all frames that were written, and nothing else that may be there.
  void discard();

  /// Writes the .pvd files and returns their paths.
  [[nodiscard]] std::vector<std::filesystem::path> finish() const;

  /// What it will write.
  [[nodiscard]] static OutputFolder plan(const Scene& scene);

 private:
  [[nodiscard]] std::string file_name(std::size_t body) const;

  const Scene& scene_;
  NewFolders& folders_;
  std::vector<std::string> names_;
  std::vector<std::vector<PvdEntry>> entries_;
  int frames_ = 0;
};

}  // namespace limber
