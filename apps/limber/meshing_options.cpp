#include "apps/limber/meshing_options.hpp"

#include "apps/limber/command.hpp"
#include "limber/base/words.hpp"

#include <array>

namespace limber::app {
namespace {

constexpr std::array<std::string_view, 2> mesh_method_words{"tet", "voxel"};
constexpr std::array<std::string_view, 3> fill_words{"touched", "center", "shell"};

}  // namespace

void add_meshing_options(CLI::App& parser, MeshingOptions& options) {
  parser.add_option("--method", options.method, "tet: tetrahedra that follow the surface; voxel: cubes")
      ->type_name("NAME")
      ->capture_default_str();
  parser
      .add_option("--cells", options.cells,
                  fmt::format("Lattice cells along the longest side of the surface [{}]",
                              options.usual_elements > 0
                                  ? fmt::format("as many as {} elements take", options.usual_elements)
                                  : fmt::format("{}", MesherOptions{}.cells)))
      ->check(CLI::Range(1, 1 << 18).description(""))
      ->type_name("N");
  parser.add_option("--target-elements", options.target_elements, "Choose the cells to get about N elements")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}).description(""))
      ->type_name("N");
  parser.add_option("--grading", options.grading, "tet: let elements inside grow up to 2^N times as large")
      ->check(CLI::Range(0, 8).description(""))
      ->type_name("N")
      ->capture_default_str();
  parser.add_option("--fill", options.fill, "voxel: which cubes, touched, center or shell")
      ->type_name("NAME")
      ->capture_default_str();
  parser
      .add_option("--smallest-part", options.smallest_part,
                  "Drop loose parts with less than this share of the largest one's volume")
      ->check(number_range(0.0, 1.0))
      ->type_name("SHARE")
      ->capture_default_str();
  parser.add_flag("--keep-volume-error", options.keep_volume_error,
                  "tet: do not shift the surface (by a tenth of a cell at most) to meet its volume");
}

MesherOptions mesher_options(const MeshingOptions& options, int threads) {
  MesherOptions result;
  result.method = parse_word<MeshMethod>(options.method, mesh_method_words, "--method: unknown value");
  result.fill = parse_word<VoxelFill>(options.fill, fill_words, "--fill: unknown value");
  if (options.cells) result.cells = *options.cells;
  const bool stated = options.cells || options.target_elements > 0;
  result.target_elements = stated ? options.target_elements : options.usual_elements;
  result.grading = options.grading;
  result.match_volume = !options.keep_volume_error;
  result.smallest_part = options.smallest_part;
  result.executor = Executor(threads);
  return result;
}

void add_meshing_uses(std::vector<OptionUse>& uses, const MeshingOptions& options, bool meshes,
                      std::string_view whose) {
  const bool voxels = options.method == "voxel";
  for (const char* option : {"--method", "--cells", "--target-elements", "--grading", "--fill",
                             "--smallest-part", "--keep-volume-error"})
    uses.push_back({option, meshes, whose});
  uses.push_back({"--cells", options.target_elements == 0, "--target-elements, which chooses the cells,"});
  for (const char* option : {"--grading", "--keep-volume-error"})
    uses.push_back({option, !voxels, "the method voxel"});
  uses.push_back({"--fill", voxels, "the method tet"});
}

}  // namespace limber::app
