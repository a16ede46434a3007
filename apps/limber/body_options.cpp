#include "apps/limber/body_options.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/describe.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/words.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/material/named_materials.hpp"
#include "limber/scene/selection.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace limber::app {
namespace {

VertexSelection selection_of(const BodyOptions& options) {
  VertexSelection selection;
  selection.where = options.fixed_where;
  for (const std::string& side : options.hold)
    selection.sides.push_back(parse_word<BodySide>(side, body_side_words, "--hold: unknown side"));
  if (options.fixed_vertices.empty()) return selection;
  for (const std::string_view part : split(options.fixed_vertices, ',')) {
    const std::optional<int> vertex = parse_integer(part);
    require(vertex.has_value(),
            "--fixed-vertices: '{}' is not a vertex number; give numbers from 0, as in 0,1,2", part);
    selection.vertices.push_back(*vertex);
  }
  return selection;
}

constexpr double largest_usual_size = 10.0;  ///< m; most larger bodies are small ones in mm or cm
/// Of moduli and densities, in their units; the scene schema has the same limits.
constexpr double least_material = 1e-20, most_material = 1e20;

constexpr double default_young = 1e6, default_poisson = 0.3, default_density = 1000.0;

/// What options say of a material: numbers count more than its name.
struct StatedNumbers {
  std::optional<double> young, poisson, density;
};

StatedNumbers stated_numbers(const BodyOptions& options) {
  StatedNumbers numbers{options.young, options.poisson, options.density};
  if (!options.material) return numbers;
  const NamedMaterial& named = find_named_material(*options.material, "--material");
  return {numbers.young.value_or(named.young), numbers.poisson.value_or(named.poisson),
          numbers.density.value_or(named.density)};
}

}  // namespace

MassKind mass_kind(const BodyOptions& options) {
  const std::string& name = options.mass;
  static constexpr std::array<std::string_view, 2> known{"consistent", "lumped"};
  if (name == known[0]) return MassKind::consistent;
  require(name == known[1], "--mass: unknown mass '{}'; {}", name, suggestion(name, known));
  return MassKind::lumped;
}

Material changed_material(const Material& material, const BodyOptions& options) {
  const auto& [young, poisson, density] = stated_numbers(options);
  if (!young && !poisson && !density && !options.law) return material;
  LameParameters lame = lame_of(material.law);
  if (young || poisson) {
    const double modulus = young.value_or(young_modulus(lame));
    try {
      lame = lame_from_young(modulus, poisson.value_or(poisson_ratio(lame)));
    } catch (const Error& error) {  // Young's modulus is in range
      throw Error("--poisson: {}", error.what());
    }
  }
  const Material result{
      make_law(options.law.value_or(std::string(name_of(material.law))), lame, constants_of(material.law)),
      density.value_or(material.density)};
  check_density(result.density);
  return result;
}

bool is_surface_file(const std::string& name) {
  if (is_builtin(name) || !std::filesystem::is_regular_file(name)) return false;
  const std::string content = read_file(name);
  return looks_like_surface(content) || (has_surface_extension(name) && !looks_like_mesh(content));
}

namespace {

/// Reads a surface and fills it.
void mesh_surface(const BodyOptions& options, const Progress& progress, BodySource& source) {
  require(!looks_like_model(read_file(options.mesh)),
          "{}: is a reduced model already, expected a surface, a volume mesh or a built-in body",
          options.mesh);
  source.surface = read_surface(options.mesh, {}, &source.inputs);
  source.surface.vertices *= unit_of(options);
  MesherOptions meshing = mesher_options(options.meshing, options.threads);
  meshing.progress = progress;
  const std::array surfaces{
      RegionSurface{source.surface, std::filesystem::path(options.mesh).stem().string()}};
  MeshedSurfaces meshed = mesh_surfaces(surfaces, meshing);
  source.mesh = std::move(meshed.mesh);
  source.warnings = meshed.report.warnings;
  source.meshing = std::move(meshed.report);
}

/// Asks about what is too large for most bodies, because most files do not say their unit.
void ask_for_unit(const BodyOptions& options, BodySource& source) {
  const double largest = source.size.maxCoeff();
  if (options.unit || is_builtin(options.mesh) || largest <= largest_usual_size) return;
  source.warnings.push_back(
      fmt::format("{} is {:.3g} m across if its numbers are metres: --unit mm (or cm, in) says that they are "
                  "not, --unit m that "
                  "they are",
                  options.mesh, largest));
}

/// How vertices were chosen, for reports and messages.
std::string how_held(const BodyOptions& options, const VertexSelection& selection) {
  std::vector<std::string> ways;
  for (const BodySide side : selection.sides)
    ways.push_back(
        fmt::format("{} (outermost {:.0f} %)", word_of(side, body_side_words), 100.0 * side_depth));
  if (!selection.where.empty()) ways.push_back(selection.where);
  if (!options.fixed_vertices.empty()) ways.emplace_back("vertices by number");
  if (ways.empty() && !selection.vertices.empty()) ways.emplace_back("where it usually is");
  return fmt::format("{}", fmt::join(ways, ", "));
}

/// The options that chose vertices, for messages.
std::string selecting_options(const BodyOptions& options) {
  std::vector<std::string_view> used;
  if (!options.hold.empty()) used.emplace_back("--hold");
  if (!options.fixed_vertices.empty()) used.emplace_back("--fixed-vertices");
  if (!options.fixed_where.empty()) used.emplace_back("--fixed-where");
  return used.empty() ? "--hold bottom" : fmt::format("{}", fmt::join(used, " and "));
}

/// What one of several parts is, for a message.
std::string part_text(const VolumeMesh& mesh, const std::vector<int>& part, int number, Index elements) {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (part[static_cast<std::size_t>(v)] != number) continue;
    low = low.cwiseMin(mesh.vertices.col(v));
    high = high.cwiseMax(mesh.vertices.col(v));
  }
  const Vector3 middle = 0.5 * (low + high);
  return fmt::format("a part of {} elements, {:.3g} m across, around ({:.3g}, {:.3g}, {:.3g})", elements,
                     (high - low).norm(), middle.x(), middle.y(), middle.z());
}

void drop_empty_regions(BodySource& source) {
  VolumeMesh& mesh = source.mesh;
  std::vector<int> number(mesh.regions.size(), -1);
  for (const int r : mesh.region) number[static_cast<std::size_t>(r)] = 0;
  std::vector<Region> regions;
  std::vector<Material> materials;
  for (std::size_t r = 0; r < number.size(); ++r) {
    if (number[r] < 0) continue;
    number[r] = static_cast<int>(regions.size());
    regions.push_back(mesh.regions[r]);
    materials.push_back(source.materials[r]);
  }
  for (int& r : mesh.region) r = number[static_cast<std::size_t>(r)];
  mesh.regions = std::move(regions);
  source.materials = std::move(materials);
}

/// Takes the elements of parts away that nothing holds, where something holds others: these would drift, and
/// with them all that asks whether the body is held. Vertices stay, so that their numbers do.
void leave_out_loose_parts(BodySource& source) {
  VolumeMesh& mesh = source.mesh;
  const std::vector<int> part = connected_parts(mesh);
  const int count = *std::max_element(part.begin(), part.end()) + 1;
  std::vector<char> held(static_cast<std::size_t>(count), 0);
  for (const int v : source.fixed)
    if (const int p = part[static_cast<std::size_t>(v)]; p >= 0) held[static_cast<std::size_t>(p)] = 1;
  std::vector<Index> kept;
  std::vector<Index> elements(static_cast<std::size_t>(count), 0);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto p = static_cast<std::size_t>(part[static_cast<std::size_t>(mesh.elements(0, e))]);
    ++elements[p];
    if (held[p] != 0) kept.push_back(e);
  }
  for (int p = 0; p < count; ++p) {
    if (held[static_cast<std::size_t>(p)] != 0) continue;
    source.warnings.push_back(fmt::format(
        "{} hangs together with nothing that is held: it is left out, and what is drawn of it goes "
        "along with what is nearest; --hold or --fixed-where can hold it, too",
        part_text(mesh, part, p, elements[static_cast<std::size_t>(p)])));
  }
  if (static_cast<Index>(kept.size()) == mesh.element_count()) return;
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  std::vector<int> region;
  for (const Index e : kept) region.push_back(mesh.region[static_cast<std::size_t>(e)]);
  mesh.region = std::move(region);
  drop_empty_regions(source);
}

/// Says what flies as one although it does not hang together.
void warn_of_free_parts(BodySource& source) {
  const std::vector<int> part = connected_parts(source.mesh);
  const int count = *std::max_element(part.begin(), part.end()) + 1;
  if (count < 2) return;
  source.warnings.push_back(fmt::format(
      "the body has {} parts that do not hang together: they fly as one, each deforms by itself", count));
}

}  // namespace

BodySource load_source(const BodyOptions& options, const Progress& progress) {
  VertexSelection selection = selection_of(options);
  selection.up = up_of(options);
  require(!options.free || selection.empty(), "--free and {} exclude each other", selecting_options(options));
  BodySource source;
  if (is_builtin(options.mesh)) {
    BuiltinBody body = make_builtin(options.mesh, Executor(options.threads));
    if (selection.empty() && !options.free) selection.vertices = std::move(body.fixed);
    source.mesh = std::move(body.mesh);
    source.materials = std::move(body.materials);
    source.surface = std::move(body.render);
    source.colors = std::move(body.part_colors);
  } else {
    if (is_surface_file(options.mesh)) {
      mesh_surface(options, progress, source);
    } else {
      source.mesh = read_mesh(options.mesh, &source.inputs);
      source.mesh.vertices *= unit_of(options);
    }
    source.materials.assign(
        source.mesh.regions.size(),
        {make_law("stvk", lame_from_young(default_young, default_poisson)), default_density});
  }
  for (Material& material : source.materials) material = changed_material(material, options);
  source.up = selection.up;
  const BoundingBox box = bounding_box(source.mesh);
  source.size = box.max - box.min;
  ask_for_unit(options, source);
  source.holding.by_default = options.stands && selection.empty() && !options.free;
  if (source.holding.by_default) selection.sides.push_back(BodySide::bottom);
  source.fixed = select_vertices(source.mesh, selection,
                                 fmt::format("{}: {}", options.mesh, selecting_options(options)));
  if (options.stands && !options.whole) {
    if (source.fixed.empty()) {
      warn_of_free_parts(source);
    } else {
      leave_out_loose_parts(source);
    }
  }
  source.holding.how = how_held(options, selection);
  source.holding.vertices = static_cast<Index>(source.fixed.size());
  return source;
}

LoadedBody load_body(const BodyOptions& options, const Progress& progress) {
  const MassKind mass = mass_kind(options);
  BodySource source = load_source(options, progress);
  FullModel model(std::move(source.mesh), std::move(source.materials), source.fixed,
                  {mass, Executor(options.threads)});
  return {std::move(model), std::move(source)};
}

UpAxis up_of(const BodyOptions& options) {
  if (options.up) return parse_word<UpAxis>(*options.up, up_axis_words, "--up: unknown axis");
  return is_builtin(options.mesh) ? UpAxis::z : usual_up(options.mesh);
}

double unit_of(const BodyOptions& options) {
  static constexpr std::array<std::string_view, 4> words{"mm", "cm", "m", "in"};
  static constexpr std::array lengths{1e-3, 1e-2, 1.0, 0.0254};
  if (!options.unit) return 1.0;
  const auto found = std::find(words.begin(), words.end(), *options.unit);
  require(found != words.end(), "--unit: unknown unit '{}'; {}", *options.unit,
          suggestion(*options.unit, words));
  return lengths[static_cast<std::size_t>(found - words.begin())];
}

void add_axes_options(CLI::App& parser, BodyOptions& options) {
  parser
      .add_option("--up", options.up,
                  "Axis of the file that points upward: x, y or z [y for glTF, z for others]")
      ->type_name("AXIS");
  parser.add_option("--unit", options.unit, "What the numbers of the file are: mm, cm, m or in [m]")
      ->type_name("UNIT");
}

SurfaceMesh read_render(const BodyOptions& options, const std::string& file, FileList& inputs) {
  SurfaceMesh surface = read_surface(file, {}, &inputs);
  surface.vertices *= unit_of(options);
  return surface;
}

void add_body_uses(std::vector<OptionUse>& uses, const BodyOptions& options, bool file, bool surface) {
  for (const char* option : {"--up", "--unit"})
    uses.push_back({option, file, "a body that is made here, which has its own,"});
  add_meshing_uses(uses, options.meshing, surface, "a body that has its mesh already");
}

nlohmann::ordered_json source_json(const BodySource& source) {
  nlohmann::ordered_json json{{"up", word_of(source.up, up_axis_words)}, {"size", to_json(source.size)}};
  if (source.meshing) json["meshing"] = describe_meshing(*source.meshing);
  json["held"] = {{"vertices", source.holding.vertices},
                  {"where", source.holding.how},
                  {"by_default", source.holding.by_default}};
  return json;
}

std::string source_text(const nlohmann::ordered_json& json) {
  const auto size = json["size"].get<std::array<double, 3>>();
  std::string text =
      fmt::format("{:.3g} x {:.3g} x {:.3g} m, {} is up\n", size[0], size[1], size[2], words(json["up"]));
  if (json.contains("meshing"))
    text += fmt::format("meshed on the way; what is drawn is the surface itself\n{}",
                        meshing_text(json["meshing"]));
  const nlohmann::ordered_json& held = json["held"];
  if (held["vertices"] == 0) return text + "held: nowhere, it flies\n";
  return text + fmt::format("held: {} vertices, {}{}\n", count_text(held["vertices"]), words(held["where"]),
                            held["by_default"].get<bool>()
                                ? ", because nothing else was said (--hold, --fixed-where, --free)"
                                : "");
}

void add_body_argument(CLI::App& parser, BodyOptions& options) {
  parser
      .add_option(
          "MESH", options.mesh,
          fmt::format("Surface ({}), which is meshed on the way, volume mesh ({}) or built-in body, as "
                      "builtin:spoon",
                      surface_format_names(), volume_format_names()))
      ->required()
      ->type_name("");
}

void add_body_options(CLI::App& parser, BodyOptions& options) {
  options.meshing.usual_elements = elements_on_the_way;
  add_axes_options(parser, options);
  add_meshing_options(parser, options.meshing);
  parser
      .add_option(
          "--material", options.material,
          fmt::format("What it is made of, as numbers below: {}", fmt::join(named_material_words(), ", ")))
      ->type_name("NAME");
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
  parser
      .add_option(
          "--hold", options.hold,
          "Sides that do not move, to 5 % of the body: bottom, top, left, right, front, back, or several, "
          "as left,right")
      ->delimiter(',')
      ->type_name("SIDE");
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
