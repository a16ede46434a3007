#pragma once

#include "limber/base/file.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace limber::app {

/// What `limber modes` and `limber reduce` are told about a body: where it comes from, what it is made of,
/// what holds it.
struct BodyOptions {
  std::string mesh;
  std::optional<double> young;    ///< Pa
  std::optional<double> poisson;  ///< no unit
  std::optional<double> density;  ///< kg/m^3
  std::optional<std::string> law;
  std::string fixed_vertices;
  std::string fixed_where;
  bool free = false;
  std::string mass = "consistent";
  int threads = 0;
};

/// Declares MESH and the options above but --law.
void add_body_options(CLI::App& parser, BodyOptions& options);
/// Declares --law, for what does not stay near rest, where all laws agree.
void add_law_option(CLI::App& parser, BodyOptions& options);

/// A body before its model is built.
struct BodySource {
  VolumeMesh mesh;
  std::vector<Material> materials;  ///< one per region
  std::vector<int> fixed;
  SurfaceMesh surface;          ///< what a built-in body is drawn as; else empty
  std::vector<Vector3> colors;  ///< sRGB, one per part of it
  FileList inputs;              ///< files that it was read from
};

/// A built-in body brings what the options do not say: materials, what holds it, what is drawn.
/// Throws Error for bad options and meshes.
BodySource load_source(const BodyOptions& options);

/// A material with what the options name in the place of its own.
Material changed_material(const Material& material, const BodyOptions& options);
MassKind mass_kind(const BodyOptions& options);

struct LoadedBody {
  FullModel model;
  SurfaceMesh surface;          ///< what a built-in body is drawn as; else empty
  std::vector<Vector3> colors;  ///< sRGB, one per part of it
  FileList inputs;              ///< files that it was read from
};

/// The same with its model.
LoadedBody load_body(const BodyOptions& options);

}  // namespace limber::app
