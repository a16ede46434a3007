#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/model_file.hpp"
#include "limber/reduced/quartic.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace limber {
namespace {

constexpr int max_int = std::numeric_limits<int>::max();

/// The extension; nothing in files without it.
std::optional<JsonValue> find_extension(const GltfContainer& container) {
  const std::optional<JsonValue> extensions = container.root().find("extensions");
  return extensions ? extensions->find(model_extension) : std::nullopt;
}

JsonValue require_extension(const GltfContainer& container, std::string_view where) {
  std::optional<JsonValue> extension = find_extension(container);
  require(extension.has_value(),
          "{}: is a glTF file without a reduced model (no {}); make one with: limber reduce", where,
          model_extension);
  return *std::move(extension);
}

std::vector<int> to_vector(const Eigen::MatrixXi& values) {
  return {values.data(), values.data() + values.size()};
}

constexpr int most_quadrature_points = 27;  ///< of a brick

int quadrature_points(ElementKind kind) {
  return kind == ElementKind::tetrahedron ? 1 : most_quadrature_points;
}

class ModelReader {
 public:
  ModelReader(std::string_view content, std::string_view where)
      : container_(content, where, {}),
        extension_(require_extension(container_, where)),
        bytes_left_(static_cast<std::int64_t>(container_.total_bytes())) {}

  ReducedModel read() {
    const std::int64_t version = extension_.at("version").integer(1, max_int);
    if (version > model_version) {
      extension_.at("version").fail(fmt::format(
          "this limber reads versions up to {}, found {}; update limber", model_version, version));
    }
    only_stvk_ = version == 1;
    model_.name = extension_.at("name").text();
    model_.description = extension_.at("description").text();
    model_.rank = extension_.at("rank").integer(1, max_reduced_rank);
    const auto cubature = only_stvk_ ? std::nullopt : extension_.find("cubature");
    const JsonValue regions = extension_.at("regions");
    for (std::size_t i = 0; i < regions.size(); ++i) {
      model_.regions.push_back(read_region(regions.at(i), !cubature));
    }
    read_surface();
    if (const auto simulation = extension_.find("simulation")) read_simulation(*simulation);
    if (cubature) read_cubature(*cubature);
    if (const auto warp = extension_.find("warp"); warp && version >= 3) read_warp(*warp);
    return std::move(model_);
  }

 private:
  /// Counts the bytes of an array. No file needs more than it has; one whose arrays share their bytes could fill the
  /// memory many times over.
  void spend(const JsonValue& owner, std::int64_t count, std::int64_t bytes_each) {
    if (count > bytes_left_ / bytes_each) {
      owner.fail(
          "the arrays up to this one need more bytes than the file has, expected each to have its own");
    }
    bytes_left_ -= count * bytes_each;
  }

  Matrix doubles(const JsonValue& reference, std::int64_t rows, std::int64_t columns) {
    Matrix values = container_.read_doubles(reference, rows, columns);
    spend(reference, values.size(), sizeof(double));
    return values;
  }

  Eigen::MatrixXi integers(const JsonValue& reference, std::int64_t rows, std::int64_t columns,
                           std::int64_t below) {
    Eigen::MatrixXi values =
        container_.read_integers(reference, rows, columns, 0, static_cast<int>(below) - 1);
    spend(reference, values.size(), sizeof(int));
    return values;
  }

  /// Items in a view, as many as an int can count.
  [[nodiscard]] Index count(const JsonValue& reference, std::int64_t bytes_each,
                            std::string_view what) const {
    const std::int64_t found = container_.count_in_view(reference, bytes_each, what);
    if (found > max_int) reference.fail(fmt::format("{} {}, expected at most {}", found, what, max_int));
    return found;
  }

  ReducedRegion read_region(const JsonValue& item, bool exact) {
    ReducedRegion region;
    region.region.name = item.at("name").text();
    region.region.tag = static_cast<int>(item.at("tag").integer(std::numeric_limits<int>::min(), max_int));
    region.material = read_material(item, exact);
    region.volume = item.at("volume").number();
    if (exact) {
      const std::int64_t monomials = monomial_count(model_.rank);
      region.lambda_energy = doubles(item.at("lambda_energy"), monomials, 1);
      region.mu_energy = doubles(item.at("mu_energy"), monomials, 1);
    } else {
      for (const std::string_view key : {"lambda_energy", "mu_energy"}) {
        if (const auto found = item.find(key))
          found->fail("expected none, because the forces are cubature's");
      }
    }
    region.mass = doubles(item.at("mass"), model_.rank, model_.rank);
    region.weight = doubles(item.at("weight"), model_.rank, 3);
    return region;
  }

  [[nodiscard]] Material read_material(const JsonValue& item, bool exact) const {
    const std::string name = only_stvk_ ? "stvk" : read_law_name(item.at("law"), exact);
    const LameParameters lame{item.at("lambda").number(), item.at("mu").number()};
    MaterialConstants constants;
    if (name == "mooney-rivlin") constants.mooney_share = item.at("mooney_share").number();
    if (name == "arruda-boyce") constants.locking_stretch = item.at("locking_stretch").number();
    const double density = item.at("density").number();
    try {
      check_density(density);
      return {make_law(name, lame, constants), density};
    } catch (const Error& error) {
      item.fail(error.what());
    }
  }

  static std::string read_law_name(const JsonValue& law, bool exact) {
    const std::string name = printable(law.text());
    if (std::find(material_names.begin(), material_names.end(), name) == material_names.end()) {
      law.fail(fmt::format("unknown law '{}'; {}", name, suggestion(name, material_names)));
    }
    if (exact && name != "stvk") {
      law.fail(fmt::format("{} has no exact reduced forces, expected stvk, or 'cubature' beside the regions",
                           name));
    }
    return name;
  }

  void read_surface() {
    const JsonValue primitives = extension_.at("mesh").item_of(container_.root(), "meshes").at("primitives");
    read_shape(primitives.at(0));
    std::vector<std::vector<std::uint32_t>> corners;  // of each part
    std::size_t next = 0;                             // primitive
    const JsonValue parts = extension_.at("parts");
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const JsonValue part = parts.at(p);
      model_.surface.mesh.parts.push_back(part.at("name").text());
      model_.surface.colors.push_back(read_color(part.at("color")));
      corners.emplace_back();
      const auto number = part.find("primitive");
      if (!number) continue;
      (void)number->integer(static_cast<std::int64_t>(next), static_cast<std::int64_t>(next));  // in order
      const JsonValue primitive = primitives.at(next++);
      check_shares_shape(primitive, primitives.at(0));
      corners.back() = read_corners(primitive);
    }
    if (next != primitives.size()) {
      primitives.fail(
          fmt::format("expected {}, one per part with triangles, found {}", next, primitives.size()));
    }
    join_parts(corners);
  }

  static Vector3 read_color(const JsonValue& color) {
    if (color.size() != 3) color.fail(fmt::format("expected 3 numbers, found {}", color.size()));
    return {color.at(0).number(), color.at(1).number(), color.at(2).number()};
  }

  /// Vertices and basis.
  void read_shape(const JsonValue& primitive) {
    const JsonValue position = primitive.at("attributes").at("POSITION");
    const JsonValue targets = primitive.at("targets");
    if (static_cast<Index>(targets.size()) != model_.rank) {
      targets.fail(fmt::format("expected {}, one per coordinate, found {}", model_.rank, targets.size()));
    }
    const Index vertices = container_.describe(position).count;  // an int can count them
    spend(targets, std::int64_t{vertices} * (1 + model_.rank), 3 * sizeof(float));
    model_.surface.mesh.vertices = container_.read_floats(position).cast<double>();
    model_.surface.basis.resize(3 * vertices, model_.rank);
    for (Index i = 0; i < model_.rank; ++i) {
      const JsonValue target = targets.at(static_cast<std::size_t>(i)).at("POSITION");
      if (container_.describe(target).count != vertices) {
        target.fail(fmt::format("has {} vertices, the mesh {}", container_.describe(target).count, vertices));
      }
      model_.surface.basis.col(i) = container_.read_floats(target).reshaped();
    }
  }

  /// Throws unless a primitive has the same vertices and targets as the first one.
  static void check_shares_shape(const JsonValue& primitive, const JsonValue& first) {
    if (primitive.at("attributes").at("POSITION").json() != first.at("attributes").at("POSITION").json() ||
        primitive.at("targets").json() != first.at("targets").json()) {
      primitive.fail("expected the vertices and targets of the first primitive");
    }
  }

  std::vector<std::uint32_t> read_corners(const JsonValue& primitive) {
    if (const std::int64_t mode = primitive.integer_or("mode", 0, 6, 4); mode != 4) {
      primitive.fail(fmt::format("has mode {}, expected 4 (triangles)", mode));
    }
    const JsonValue reference = primitive.at("indices");
    const GltfAccessor accessor = container_.describe(reference);
    spend(reference, accessor.count, 1);
    if (accessor.count % 3 != 0) {
      reference.fail(fmt::format("{} corners of triangles, expected a multiple of 3", accessor.count));
    }
    return container_.read_indices(reference, model_.surface.mesh.vertex_count());
  }

  /// Puts the triangles of all parts into their order.
  void join_parts(const std::vector<std::vector<std::uint32_t>>& corners) {
    SurfaceMesh& mesh = model_.surface.mesh;
    if (const auto order = extension_.find("triangle_parts")) {
      const Index triangles = count(*order, sizeof(int), "numbers of parts");
      mesh.part = to_vector(integers(*order, 1, triangles, static_cast<std::int64_t>(corners.size())));
    } else {
      for (std::size_t p = 0; p < corners.size(); ++p) {
        mesh.part.insert(mesh.part.end(), corners[p].size() / 3, static_cast<int>(p));
      }
    }
    std::vector<std::size_t> used(corners.size(), 0);
    for (const int part : mesh.part) used[static_cast<std::size_t>(part)] += 3;
    for (std::size_t p = 0; p < corners.size(); ++p) {
      if (used[p] == corners[p].size()) continue;
      extension_.at("triangle_parts")
          .fail(fmt::format("{} triangles of part {}, but its primitive has {}", used[p] / 3, p,
                            corners[p].size() / 3));
    }
    used.assign(corners.size(), 0);
    mesh.triangles.resize(3, static_cast<Index>(mesh.part.size()));
    for (Index t = 0; t < mesh.triangle_count(); ++t) {
      const auto part = static_cast<std::size_t>(mesh.part[static_cast<std::size_t>(t)]);
      for (int& corner : mesh.triangles.col(t)) corner = static_cast<int>(corners[part][used[part]++]);
    }
  }

  void read_simulation(const JsonValue& item) {
    SimulationMesh& simulation = model_.simulation.emplace();
    VolumeMesh& mesh = simulation.mesh;
    mesh.kind = read_kind(item.at("element"));
    const int corners = vertices_per_element(mesh.kind);
    for (const ReducedRegion& region : model_.regions) mesh.regions.push_back(region.region);

    const Index vertices = count(item.at("vertices"), 3 * sizeof(double), "vertices");
    mesh.vertices = doubles(item.at("vertices"), 3, vertices);
    const Index elements = count(item.at("elements"), corners * static_cast<int>(sizeof(int)), "elements");
    mesh.elements = integers(item.at("elements"), corners, elements, vertices);
    mesh.region = to_vector(
        integers(item.at("element_regions"), 1, elements, static_cast<std::int64_t>(mesh.regions.size())));
    simulation.basis = doubles(item.at("basis"), std::int64_t{3} * vertices, model_.rank);
    if (const auto fixed = item.find("fixed")) {
      simulation.fixed =
          to_vector(integers(*fixed, 1, count(*fixed, sizeof(int), "fixed vertices"), vertices));
    }
    read_embedding(item.at("embedding"), simulation);
  }

  static ElementKind read_kind(const JsonValue& value) {
    for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
      if (value.text() == name_of(kind)) return kind;
    }
    value.fail(fmt::format("expected tetrahedron or brick, found '{}'", printable(value.text())));
  }

  void read_embedding(const JsonValue& item, SimulationMesh& simulation) {
    const VolumeMesh& mesh = simulation.mesh;
    const Index points = model_.surface.mesh.vertex_count();
    Embedding& embedding = simulation.embedding;
    embedding.element = to_vector(integers(item.at("element"), 1, points, mesh.element_count()));
    embedding.weights = doubles(item.at("weights"), mesh.elements.rows(), points);
    embedding.vertices = mesh.elements(Eigen::all, embedding.element);
    embedding.mesh_vertices = mesh.vertex_count();
    embedding.outside = item.at("outside").integer(0, points);
    embedding.farthest = item.at("farthest").number();
  }

  void read_cubature(const JsonValue& item) {
    CubatureRule& rule = model_.cubature.emplace();
    const Index points = count(item.at("element"), sizeof(int), "numbers of elements");
    if (points == 0) item.at("element").fail("no points, expected one at least");
    const auto numbers = [&](std::string_view key, std::int64_t below) {
      return to_vector(integers(item.at(key), 1, points, below));
    };
    const auto& simulation = model_.simulation;
    rule.element = numbers("element", simulation ? simulation->mesh.element_count() : max_int);
    rule.point =
        numbers("point", simulation ? quadrature_points(simulation->mesh.kind) : most_quadrature_points);
    rule.region = numbers("region", static_cast<std::int64_t>(model_.regions.size()));
    rule.gradients = doubles(item.at("gradients"), std::int64_t{9} * points, model_.rank);
    // Sizes tell one weight per point from one per point and coordinate.
    const JsonValue weights = item.at("weights");
    const bool one_each = container_.count_in_view(weights, sizeof(double), "weights") == points;
    rule.weights = not_negative(weights, points, one_each ? 1 : model_.rank);
    const auto energy_weights = item.find("energy_weights");
    if (!one_each && !energy_weights) (void)item.at("energy_weights");
    rule.energy_weights = energy_weights ? not_negative(*energy_weights, points, 1) : rule.weights;
    rule.training = read_training(item.at("training"));
  }

  Matrix not_negative(const JsonValue& reference, Index rows, Index columns) {
    Matrix values = doubles(reference, rows, columns);
    for (Index i = 0; i < values.size(); ++i) {
      if (values.data()[i] >= 0.0) continue;
      reference.fail(fmt::format("number {} is {}, expected at least 0", i, values.data()[i]));
    }
    return values;
  }

  static CubatureTraining read_training(const JsonValue& item) {
    const auto number = [&](std::string_view key) {
      const double value = item.at(key).number();
      if (value < 0.0) item.at(key).fail(fmt::format("expected at least 0, found {}", value));
      return value;
    };
    return {.error_asked_for = number("error_asked_for"),
            .training_error = number("training_error"),
            .held_out_error = number("held_out_error"),
            .amplitude = number("amplitude"),
            .poses = static_cast<Index>(item.at("poses").integer(0, std::numeric_limits<Index>::max()))};
  }

  void read_warp(const JsonValue& item) {
    WarpData& warp = model_.warp.emplace();
    const JsonValue rotations = item.at("surface_rotations");
    const std::int64_t rows = std::int64_t{3} * model_.surface.mesh.vertex_count();
    spend(rotations, rows * model_.rank, sizeof(float));
    warp.surface_rotations = container_.read_singles(rotations, rows, model_.rank);

    const JsonValue lumps = item.at("lumps");
    const Index number = count(lumps.at("region"), sizeof(int), "numbers of regions");
    const auto regions = static_cast<std::int64_t>(model_.regions.size());
    warp.lumps.region = to_vector(integers(lumps.at("region"), 1, number, regions));
    warp.lumps.volume = not_negative(lumps.at("volume"), number, 1);
    warp.lumps.center = doubles(lumps.at("center"), 3, number);
    warp.lumps.moment = doubles(lumps.at("moment"), std::int64_t{3} * number, model_.rank);
    warp.lumps.rotations = doubles(lumps.at("rotations"), std::int64_t{3} * number, model_.rank);
  }

  GltfContainer container_;
  JsonValue extension_;
  std::int64_t bytes_left_;
  bool only_stvk_ = false;  ///< version 1, which knows no other law and no cubature
  ReducedModel model_;
};

/// What older files lack for modal warping is made from their mesh. A mesh whose lumps do not add up to the weights of the model gives
/// none: it cannot be warped. model: checked; everything else of it is put aside while the lumps are.
void add_warp_data(ReducedModel& model, std::string_view where) {
  const SimulationMesh& mesh = *model.simulation;
  try {
    model.warp = make_warp_data(mesh.mesh, mesh.basis, mesh.embedding);
  } catch (const Error& error) {
    throw Error("{}: no warp data from the simulation mesh: {}", where, error.what());
  }
  auto simulation = std::exchange(model.simulation, std::nullopt);
  auto cubature = std::exchange(model.cubature, std::nullopt);
  try {
    check_model(model, where);
  } catch (const Error&) {
    model.warp.reset();
  }
  model.simulation = std::move(simulation);
  model.cubature = std::move(cubature);
  if (model.warp && model.warp->lumps.count() == 0) model.warp.reset();
}

}  // namespace

ReducedModel parse_model(std::string_view content, std::string_view where) {
  require(looks_like_gltf(content), "{}: is not a glTF file, expected a reduced model (.glb)", where);
  ReducedModel model = ModelReader(content, where).read();
  check_model(model, where);
  if (model.simulation && !model.warp) add_warp_data(model, where);
  return model;
}

ReducedModel read_model(const std::filesystem::path& path) {
  return parse_model(read_file(path), path.string());
}

bool looks_like_model(std::string_view content) {
  if (!looks_like_gltf(content)) return false;
  try {
    return find_extension(GltfContainer(content, "model", {})).has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace limber
