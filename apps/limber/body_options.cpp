#include "apps/limber/body_options.hpp"

#include "apps/limber/command.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/scene/selection.hpp"

#include <array>

namespace limber::app {
namespace {

VertexSelection selection_of(const BodyOptions& options) {
  VertexSelection selection;
  selection.where = options.fixed_where;
  if (options.fixed_vertices.empty()) return selection;
  for (const std::string_view part : split(options.fixed_vertices, ',')) {
    const std::optional<int> vertex = parse_integer(part);
    require(vertex.has_value(),
            "--fixed-vertices: '{}' is not a vertex number; give numbers from 0, as in 0,1,2", part);
    selection.vertices.push_back(*vertex);
  }
  return selection;
}

/// Of moduli and densities, in their units; the scene schema has the same limits.
constexpr double least_material = 1e-20, most_material = 1e20;

constexpr double default_young = 1e6, default_poisson = 0.3, default_density = 1000.0;

}  // namespace

MassKind mass_kind(const BodyOptions& options) {
  const std::string& name = options.mass;
  static constexpr std::array<std::string_view, 2> known{"consistent", "lumped"};
  if (name == known[0]) return MassKind::consistent;
  require(name == known[1], "--mass: unknown mass '{}'; {}", name, suggestion(name, known));
  return MassKind::lumped;
}

Material changed_material(const Material& material, const BodyOptions& options) {
  if (!options.young && !options.poisson && !options.density && !options.law) return material;
  LameParameters lame = lame_of(material.law);
  if (options.young || options.poisson) {
    const double young = options.young.value_or(young_modulus(lame));
    try {
      lame = lame_from_young(young, options.poisson.value_or(poisson_ratio(lame)));
    } catch (const Error& error) {  // Young's modulus is in range
      throw Error("--poisson: {}", error.what());
    }
  }
  const Material result{
      make_law(options.law.value_or(std::string(name_of(material.law))), lame, constants_of(material.law)),
      options.density.value_or(material.density)};
  check_density(result.density);
  return result;
}

BodySource load_source(const BodyOptions& options) {
  VertexSelection selection = selection_of(options);
  require(!options.free || selection.empty(), "--free and --fixed-... exclude each other");
  BuiltinBody body;
  FileList inputs;
  if (is_builtin(options.mesh)) {
    body = make_builtin(options.mesh, Executor(options.threads));
    if (selection.empty() && !options.free) selection.vertices = std::move(body.fixed);
  } else {
    body.mesh = read_mesh(options.mesh, &inputs);
    body.materials.assign(
        body.mesh.regions.size(),
        {make_law("stvk", lame_from_young(default_young, default_poisson)), default_density});
  }
  for (Material& material : body.materials) material = changed_material(material, options);
  const std::string_view by = options.fixed_vertices.empty() ? "--fixed-where"
                              : options.fixed_where.empty()  ? "--fixed-vertices"
                                                             : "--fixed-vertices and --fixed-where";
  std::vector<int> fixed = select_vertices(body.mesh, selection, fmt::format("{}: {}", options.mesh, by));
  return {std::move(body.mesh),   std::move(body.materials),   std::move(fixed),
          std::move(body.render), std::move(body.part_colors), std::move(inputs)};
}

LoadedBody load_body(const BodyOptions& options) {
  const MassKind mass = mass_kind(options);
  BodySource source = load_source(options);
  return {FullModel(std::move(source.mesh), std::move(source.materials), source.fixed,
                    {mass, Executor(options.threads)}),
          std::move(source.surface), std::move(source.colors), std::move(source.inputs)};
}

void add_body_options(CLI::App& parser, BodyOptions& options) {
  parser.add_option("MESH", options.mesh, "Volume mesh file or built-in body, as builtin:spoon")
      ->required()
      ->type_name("");
  const CLI::Validator range = number_range(least_material, most_material);
  parser.add_option("--young", options.young, "Young's modulus, Pa [1e6; built-in bodies: their own]")
      ->type_name("E")
      ->check(range);
  parser
      .add_option("--poisson", options.poisson, "Poisson's ratio, more than -1 and less than 0.5 [0.3; ...]")
      ->type_name("NU");
  parser.add_option("--density", options.density, "Density, kg/m^3 [1000; ...]")
      ->type_name("RHO")
      ->check(range);
  parser.add_option("--fixed-vertices", options.fixed_vertices, "Vertices that do not move, as 0,1,2")
      ->type_name("LIST");
  parser.add_option("--fixed-where", options.fixed_where, "Vertices that do not move, as \"x < 0.01\"")
      ->type_name("TEXT");
  parser.add_flag("--free", options.free, "Hold nothing, not even a built-in body where it usually is held");
  parser.add_option("--mass", options.mass, "Mass matrix: consistent or lumped")
      ->type_name("KIND")
      ->capture_default_str();
  add_threads(parser, options.threads)->capture_default_str();
}

void add_law_option(CLI::App& parser, BodyOptions& options) {
  parser.add_option("--law", options.law, "Material law; near rest all agree [stvk; ...]")->type_name("NAME");
}

}  // namespace limber::app
