#pragma once

#include "apps/limber/meshing_options.hpp"
#include "limber/base/file.hpp"
#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/up_axis.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace limber::app {

/// What `limber modes`, `reduce`, `view` and `export` are told about a body: where it comes from, what it is
/// made of, what holds it.
struct BodyOptions {
  std::string mesh;
  MeshingOptions meshing;               ///< where that is a surface
  std::optional<std::string> material;  ///< by name
  std::optional<double> young;          ///< Pa
  std::optional<double> poisson;        ///< no unit
  std::optional<double> density;        ///< kg/m^3
  std::optional<std::string> law;
  std::string fixed_vertices;
  std::string fixed_where;
  std::optional<std::string> hold;  ///< sides, with commas between them
  std::optional<std::string> up;    ///< which of its axes; none: as its file's kind has it
  std::optional<std::string> unit;  ///< of its file's numbers; none: m
  bool free = false;
  bool stands = false;  ///< whether it is held at its bottom where nothing is said of that
  bool whole = false;   ///< whether loose parts of what stands are kept: elements are then named by numbers
  std::string mass = "consistent";
  int threads = 0;
};

/// Declares the options above but MESH and --law.
void add_body_options(CLI::App& parser, BodyOptions& options);
/// Declares MESH.
void add_body_argument(CLI::App& parser, BodyOptions& options);
/// Declares --law, for what does not stay near rest, where all laws agree.
void add_law_option(CLI::App& parser, BodyOptions& options);

/// Which way a body stands: as its options say, else as files of its kind do.
UpAxis up_of(const BodyOptions& options);

/// m, of the numbers in its file. Throws Error for a unit that is not known.
double unit_of(const BodyOptions& options);

/// Declares --up and --unit.
void add_axes_options(CLI::App& parser, BodyOptions& options);

/// A surface to draw in the place of its own, in the unit of the body. inputs: gets the files that were read.
SurfaceMesh read_render(const BodyOptions& options, const std::string& file, FileList& inputs);

/// What holds a body, for reports.
struct Holding {
  std::string how;     ///< as "the bottom, its lowest 5 %"; empty: nothing
  Index vertices = 0;  ///< held
  bool by_default = false;
};

/// What hangs together with nothing that is held.
struct LeftOut {
  Index parts = 0;
  Index elements = 0;
};

/// A body before its model is built.
struct BodySource {
  VolumeMesh mesh;
  std::vector<Material> materials;  ///< one per region
  std::vector<int> fixed;
  SurfaceMesh surface;          ///< what a built-in body is drawn as, or was meshed; else empty
  std::vector<Vector3> colors;  ///< sRGB, one per part of it
  FileList inputs;              ///< files that it was read from
  UpAxis up = UpAxis::z;
  Vector3 size = Vector3::Zero();  ///< of the box about it, without what is left out, m
  Holding holding;
  LeftOut left_out;
  std::optional<MesherReport> meshing;  ///< where it was meshed on the way
  std::vector<std::string> warnings;    ///< what was lost on the way, one line each
};

/// A built-in body brings what the options do not say: materials, what holds it, what is drawn. A surface is
/// meshed. Throws Error for bad options and meshes.
BodySource load_source(const BodyOptions& options, const Progress& progress = {});

/// Which options about a body are of use. file: whether it is read from one; surface: and meshed.
void add_body_uses(std::vector<OptionUse>& uses, const BodyOptions& options, bool file, bool surface);

/// How it stands, what was made of its surface and what holds it: {"up": ..., "size": ..., "meshing": ...,
/// "held": ..., "left_out": ...}; for people the same.
nlohmann::ordered_json source_json(const BodySource& source);
std::string source_text(const nlohmann::ordered_json& json);

/// A material with what the options name in the place of its own.
Material changed_material(const Material& material, const BodyOptions& options);
MassKind mass_kind(const BodyOptions& options);

struct LoadedBody {
  FullModel model;
  BodySource source;  ///< without what has gone into the model: mesh and materials
};

/// The same with its model.
LoadedBody load_body(const BodyOptions& options, const Progress& progress = {});

}  // namespace limber::app
