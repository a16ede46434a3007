#include "apps/limber/body_options.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/describe.hpp"
#include "limber/base/error.hpp"
#include "limber/base/length_unit.hpp"
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
  if (options.hold) {
    for (const std::string_view side : split(*options.hold, ','))
      selection.sides.push_back(parse_word<BodySide>(side, body_side_words, "--hold: unknown side"));
  }
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
  if (options.hold) used.emplace_back("--hold");
  if (!options.fixed_vertices.empty()) used.emplace_back("--fixed-vertices");
  if (!options.fixed_where.empty()) used.emplace_back("--fixed-where");
  return used.empty() ? "--hold bottom" : fmt::format("{}", fmt::join(used, " and "));
}

/// A part of a mesh that does not hang together with the others.
struct MeshPart {
  Index elements = 0;
  Vector3 min = Vector3::Constant(std::numeric_limits<double>::infinity()), max = -min;
  bool held = false;
};

/// Of a mesh, all of them in one pass.
struct MeshParts {
  std::vector<int> of_vertex;  ///< see connected_parts
  std::vector<MeshPart> parts;
};

MeshParts find_mesh_parts(const VolumeMesh& mesh) {
  MeshParts found{connected_parts(mesh), {}};
  found.parts.resize(
      static_cast<std::size_t>(*std::max_element(found.of_vertex.begin(), found.of_vertex.end()) + 1));
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const int p = found.of_vertex[static_cast<std::size_t>(v)];
    if (p < 0) continue;
    MeshPart& part = found.parts[static_cast<std::size_t>(p)];
    part.min = part.min.cwiseMin(mesh.vertices.col(v));
    part.max = part.max.cwiseMax(mesh.vertices.col(v));
  }
  for (Index e = 0; e < mesh.element_count(); ++e)
    ++found.parts[static_cast<std::size_t>(found.of_vertex[static_cast<std::size_t>(mesh.elements(0, e))])]
          .elements;
  return found;
}

std::string part_text(const MeshPart& part) {
  const Vector3 middle = 0.5 * (part.min + part.max);
  return fmt::format("a part of {} elements, {:.3g} m across, around ({:.3g}, {:.3g}, {:.3g})", part.elements,
                     (part.max - part.min).norm(), middle.x(), middle.y(), middle.z());
}

/// The lowest vertices of one part, as its side `bottom`.
std::vector<int> bottom_of_part(const VolumeMesh& mesh, const MeshParts& found, int part, UpAxis up,
                                std::string_view context) {
  std::vector<Index> elements;
  for (Index e = 0; e < mesh.element_count(); ++e)
    if (found.of_vertex[static_cast<std::size_t>(mesh.elements(0, e))] == part) elements.push_back(e);
  VolumeMesh alone;
  alone.kind = mesh.kind;
  alone.vertices = mesh.vertices;
  alone.elements = mesh.elements(Eigen::all, elements);
  return select_vertices(alone, {.sides = {BodySide::bottom}, .up = up}, context);
}

/// Of a body that is mostly loose parts: holds more of them, the largest first and each at its own bottom,
/// until half of the elements hang together with what is held. Returns how many more.
int hold_more_parts(const VolumeMesh& mesh, UpAxis up, std::string_view context, std::vector<int>& held) {
  MeshParts found = find_mesh_parts(mesh);
  for (const int v : held)
    if (const int p = found.of_vertex[static_cast<std::size_t>(v)]; p >= 0)
      found.parts[static_cast<std::size_t>(p)].held = true;
  std::vector<int> loose;
  Index kept = 0;
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    if (found.parts[p].held) kept += found.parts[p].elements;
    if (!found.parts[p].held) loose.push_back(static_cast<int>(p));
  }
  const auto elements = [&](int p) { return found.parts[static_cast<std::size_t>(p)].elements; };
  std::stable_sort(loose.begin(), loose.end(), [&](int a, int b) { return elements(a) > elements(b); });
  int more = 0;
  for (; 2 * kept < mesh.element_count(); ++more) {
    const int part = loose[static_cast<std::size_t>(more)];
    const std::vector<int> bottom = bottom_of_part(mesh, found, part, up, context);
    held.insert(held.end(), bottom.begin(), bottom.end());
    kept += elements(part);
  }
  std::sort(held.begin(), held.end());
  return more;
}

/// What is held where nothing is said: the lowest vertices of the largest part, as its side `bottom`, and
/// those of other parts that reach as low. Measured on all of it the lowest side may be that of something
/// small below the body, which would then stand on nothing.
std::vector<int> usually_held(const VolumeMesh& mesh, UpAxis up, std::string_view context) {
  const MeshParts found = find_mesh_parts(mesh);
  const auto largest = static_cast<int>(
      std::max_element(found.parts.begin(), found.parts.end(),
                       [](const MeshPart& a, const MeshPart& b) { return a.elements < b.elements; }) -
      found.parts.begin());
  std::vector<int> held = bottom_of_part(mesh, found, largest, up, context);
  const Vector3 upward = direction_of(up);
  double reached = -std::numeric_limits<double>::infinity();
  for (const int v : held) reached = std::max(reached, upward.dot(mesh.vertices.col(v)));
  std::vector<std::vector<std::pair<double, int>>> others(found.parts.size());  // as low, by part
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const int p = found.of_vertex[static_cast<std::size_t>(v)];
    if (p < 0 || p == largest || upward.dot(found.parts[static_cast<std::size_t>(p)].min) > reached) continue;
    others[static_cast<std::size_t>(p)].emplace_back(upward.dot(mesh.vertices.col(v)), v);
  }
  for (std::vector<std::pair<double, int>>& part : others) {
    std::sort(part.begin(), part.end());
    constexpr std::size_t least = 3;  // fewer could turn
    for (std::size_t i = 0; i < part.size() && (i < least || part[i].first <= reached); ++i)
      held.push_back(part[i].second);
  }
  std::sort(held.begin(), held.end());
  return held;
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

/// Says what is left out, the largest by themselves.
void warn_of_loose_parts(const MeshParts& found, BodySource& source) {
  std::vector<const MeshPart*> loose;
  for (const MeshPart& part : found.parts)
    if (!part.held) loose.push_back(&part);
  std::stable_sort(loose.begin(), loose.end(),
                   [](const MeshPart* a, const MeshPart* b) { return a->elements > b->elements; });
  constexpr std::size_t most = 3;  // of thousands of crumbs nobody wants to read more
  Index rest = 0;
  for (std::size_t i = 0; i < loose.size(); ++i) {
    if (i >= most) {
      rest += loose[i]->elements;
      continue;
    }
    source.warnings.push_back(
        fmt::format("{} hangs together with nothing that is held: it is left out, and what is drawn of it "
                    "goes along with what is nearest; --hold or --fixed-where can hold it, too",
                    part_text(*loose[i])));
  }
  if (loose.size() > most) {
    source.warnings.push_back(
        fmt::format("and {} more with {} elements, which are left out, too", loose.size() - most, rest));
  }
}

/// Takes the elements of parts away that nothing holds, where something holds others: these would drift, and
/// with them all that asks whether the body is held. Vertices stay, so that their numbers do. Throws Error
/// where that would be most of the body.
void leave_out_loose_parts(const BodyOptions& options, BodySource& source) {
  VolumeMesh& mesh = source.mesh;
  MeshParts found = find_mesh_parts(mesh);
  for (const int v : source.fixed)
    if (const int p = found.of_vertex[static_cast<std::size_t>(v)]; p >= 0)
      found.parts[static_cast<std::size_t>(p)].held = true;
  std::vector<Index> kept;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const int p = found.of_vertex[static_cast<std::size_t>(mesh.elements(0, e))];
    if (found.parts[static_cast<std::size_t>(p)].held) kept.push_back(e);
  }
  const Index all = mesh.element_count(), left = static_cast<Index>(kept.size());
  if (left == all) return;
  require(2 * left >= all,
          "{}: of its {} elements {} hang together with what is held, expected at least half, since the rest "
          "is left out; hold more of its {} parts by --hold or --fixed-where, or nothing by --free",
          options.mesh, all, left, found.parts.size());
  warn_of_loose_parts(found, source);
  source.left_out = {
      std::count_if(found.parts.begin(), found.parts.end(), [](const MeshPart& part) { return !part.held; }),
      all - left};
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  std::vector<int> region;
  for (const Index e : kept) region.push_back(mesh.region[static_cast<std::size_t>(e)]);
  mesh.region = std::move(region);
  drop_empty_regions(source);
}

/// Where nothing was said of what is held and the body is mostly loose parts.
void hold_loose_parts(BodySource& source, std::string_view context) {
  const int more = hold_more_parts(source.mesh, source.up, context, source.fixed);
  if (more == 0) return;
  source.warnings.push_back(fmt::format(
      "it is of loose parts, and most of it hangs together with nothing that stands at its "
      "bottom: {} more, the largest, {} held in the air at {} own bottom; join them in the program "
      "that they are from, or say --hold, --fixed-where or --free",
      more, more == 1 ? "is" : "are", more == 1 ? "its" : "their"));
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
  source.holding.by_default = options.stands && selection.empty() && !options.free;
  const std::string context = fmt::format("{}: {}", options.mesh, selecting_options(options));
  source.fixed = source.holding.by_default ? usually_held(source.mesh, source.up, context)
                                           : select_vertices(source.mesh, selection, context);
  if (source.holding.by_default) selection.sides.push_back(BodySide::bottom);  // for how_held
  if (options.stands && !options.whole) {
    if (source.fixed.empty()) {
      warn_of_free_parts(source);
    } else {
      if (source.holding.by_default) hold_loose_parts(source, context);
      leave_out_loose_parts(options, source);
    }
  }
  const BoundingBox box = bounding_box(source.mesh);
  source.size = box.max - box.min;
  ask_for_unit(options, source);
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
  if (!options.unit) return 1.0;
  return metres_per(parse_word<LengthUnit>(*options.unit, length_unit_words, "--unit: unknown unit"));
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
  require(!looks_like_model(read_file(file)),
          "{}: is a reduced model, which turns its surface so that y is up, expected a surface; give the one "
          "that it was made from",
          file);
  SurfaceMesh surface = read_surface(file, {}, &inputs);
  surface.vertices *= unit_of(options);
  return surface;
}

void add_body_uses(std::vector<OptionUse>& uses, const BodyOptions& options, bool file, bool surface) {
  for (const char* option : {"--up", "--unit"})
    uses.push_back({option, file, "a body that is made here, which has its own,"});
  add_meshing_uses(uses, options.meshing, surface, "a body that has its mesh already");
  uses.push_back({"--material", !(options.young && options.poisson && options.density),
                  "a body of given --young, --poisson and --density, which are all that a name stands for,"});
}

nlohmann::ordered_json source_json(const BodySource& source) {
  nlohmann::ordered_json json{{"up", word_of(source.up, up_axis_words)}, {"size", to_json(source.size)}};
  if (source.meshing) json["meshing"] = describe_meshing(*source.meshing);
  json["held"] = {{"vertices", source.holding.vertices},
                  {"where", source.holding.how},
                  {"by_default", source.holding.by_default}};
  json["left_out"] = {{"parts", source.left_out.parts}, {"elements", source.left_out.elements}};
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
  options.meshing.usual_elements = usual_elements;
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
