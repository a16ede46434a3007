#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/model_object.hpp"
#include "limber/reduced/quartic.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace limber {
namespace {

constexpr int most_quadrature_points = 27;  ///< of a brick

int quadrature_points(ElementKind kind) {
  return kind == ElementKind::tetrahedron ? 1 : most_quadrature_points;
}

/// Reads one object.
class ReducedReader {
 public:
  ReducedReader(ArrayReader& arrays, JsonValue object)
      : arrays_(arrays), container_(arrays.container()), object_(std::move(object)) {}

  ReducedModel read() {
    model_.name = object_.at("name").text();
    model_.description = object_.at("description").text();
    model_.rank = object_.at("rank").integer(0, max_reduced_rank);
    const auto cubature = object_.find("cubature");
    const JsonValue regions = object_.at("regions");
    for (std::size_t i = 0; i < regions.size(); ++i) {
      model_.regions.push_back(read_region(regions.at(i), !cubature));
    }
    read_surface();
    if (const auto simulation = object_.find("simulation")) read_simulation(*simulation);
    if (cubature) read_cubature(*cubature);
    if (const auto warp = object_.find("warp")) read_warp(*warp);
    return std::move(model_);
  }

 private:
  ReducedRegion read_region(const JsonValue& item, bool exact) {
    ReducedRegion region;
    region.region.name = item.at("name").text();
    region.region.tag = static_cast<int>(item.at("tag").integer(std::numeric_limits<int>::min(), max_int));
    region.material = read_material(item, exact && model_.rank > 0);  // nothing deforms without coordinates
    region.volume = item.at("volume").number();
    if (exact) {
      const std::int64_t monomials = monomial_count(model_.rank);
      region.lambda_energy = arrays_.doubles(item, "lambda_energy", monomials, 1);
      region.mu_energy = arrays_.doubles(item, "mu_energy", monomials, 1);
    } else {
      for (const std::string_view key : {"lambda_energy", "mu_energy"}) {
        if (const auto found = item.find(key))
          found->fail("expected none, because the forces are cubature's");
      }
    }
    region.mass = arrays_.doubles(item, "mass", model_.rank, model_.rank);
    region.weight = arrays_.doubles(item, "weight", model_.rank, 3);
    region.moments = read_moments(item.at("moments"));
    return region;
  }

  [[nodiscard]] RegionMoments read_moments(const JsonValue& item) {
    RegionMoments moments;
    moments.first = read_numbers(item.at("first"), 3);
    moments.second = read_numbers(item.at("second"), 9).reshaped(3, 3);
    moments.second_rows = arrays_.doubles(item, "second_rows", 9, model_.rank);
    moments.second_pairs = arrays_.doubles(item, "second_pairs", 9, std::int64_t{model_.rank} * model_.rank);
    return moments;
  }

  [[nodiscard]] Material read_material(const JsonValue& item, bool exact) const {
    const std::string name = read_law_name(item.at("law"), exact);
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
    const JsonValue primitives = object_.at("mesh").item_of(container_.root(), "meshes").at("primitives");
    read_shape(primitives.at(0));
    std::vector<std::vector<std::uint32_t>> corners;  // of each piece
    std::size_t next = 0;                             // primitive
    const JsonValue pieces = object_.at("pieces");
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const JsonValue piece = pieces.at(p);
      model_.surface.mesh.parts.push_back(piece.at("name").text());
      model_.surface.colors.emplace_back(read_numbers(piece.at("color"), 3));
      corners.emplace_back();
      const auto number = piece.find("primitive");
      if (!number) continue;
      (void)number->integer(static_cast<std::int64_t>(next), static_cast<std::int64_t>(next));  // in order
      const JsonValue primitive = primitives.at(next++);
      check_shares_shape(primitive, primitives.at(0));
      corners.back() = read_corners(primitive);
    }
    if (next != primitives.size()) {
      primitives.fail(
          fmt::format("expected {}, one per piece with triangles, found {}", next, primitives.size()));
    }
    join_pieces(corners);
  }

  /// Vertices and basis.
  void read_shape(const JsonValue& primitive) {
    const JsonValue position = primitive.at("attributes").at("POSITION");
    const auto targets = model_.rank > 0 ? primitive.at("targets") : primitive.find("targets");
    if (targets && static_cast<Index>(targets->size()) != model_.rank) {
      targets->fail(fmt::format("expected {}, one per coordinate, found {}", model_.rank, targets->size()));
    }
    const Index vertices = container_.describe(position).count;  // an int can count them
    arrays_.spend(targets.value_or(position), std::int64_t{vertices} * (1 + model_.rank), 3 * sizeof(float));
    model_.surface.mesh.vertices = container_.read_floats(position).cast<double>();
    model_.surface.basis.resize(3 * vertices, model_.rank);
    for (Index i = 0; i < model_.rank; ++i) {
      const JsonValue target = targets->at(static_cast<std::size_t>(i)).at("POSITION");
      if (container_.describe(target).count != vertices) {
        target.fail(fmt::format("has {} vertices, the mesh {}", container_.describe(target).count, vertices));
      }
      model_.surface.basis.col(i) = container_.read_floats(target).reshaped();
    }
  }

  /// Throws unless a primitive has the same vertices and targets as the first one.
  static void check_shares_shape(const JsonValue& primitive, const JsonValue& first) {
    const auto targets = [](const JsonValue& item) {
      const auto found = item.find("targets");
      return found ? found->json() : nlohmann::json();
    };
    if (primitive.at("attributes").at("POSITION").json() != first.at("attributes").at("POSITION").json() ||
        targets(primitive) != targets(first)) {
      primitive.fail("expected the vertices and targets of the first primitive");
    }
  }

  std::vector<std::uint32_t> read_corners(const JsonValue& primitive) {
    if (const std::int64_t mode = primitive.integer_or("mode", 0, 6, 4); mode != 4) {
      primitive.fail(fmt::format("has mode {}, expected 4 (triangles)", mode));
    }
    const JsonValue reference = primitive.at("indices");
    const GltfAccessor accessor = container_.describe(reference);
    arrays_.spend(reference, accessor.count, 1);
    if (accessor.count % 3 != 0) {
      reference.fail(fmt::format("{} corners of triangles, expected a multiple of 3", accessor.count));
    }
    return container_.read_indices(reference, model_.surface.mesh.vertex_count());
  }

  /// Puts the triangles of all pieces into their order.
  void join_pieces(const std::vector<std::vector<std::uint32_t>>& corners) {
    SurfaceMesh& mesh = model_.surface.mesh;
    if (const auto order = object_.find("triangle_pieces")) {
      const Index triangles = arrays_.count(*order, sizeof(int), "numbers of pieces");
      mesh.part = arrays_.integers(*order, triangles, static_cast<std::int64_t>(corners.size()));
    } else {
      for (std::size_t p = 0; p < corners.size(); ++p) {
        mesh.part.insert(mesh.part.end(), corners[p].size() / 3, static_cast<int>(p));
      }
    }
    std::vector<std::size_t> used(corners.size(), 0);
    for (const int part : mesh.part) used[static_cast<std::size_t>(part)] += 3;
    for (std::size_t p = 0; p < corners.size(); ++p) {
      if (used[p] == corners[p].size()) continue;
      object_.at("triangle_pieces")
          .fail(fmt::format("{} triangles of piece {}, but its primitive has {}", used[p] / 3, p,
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
    for (const ReducedRegion& region : model_.regions) mesh.regions.push_back(region.region);

    const Index vertices = arrays_.count(item.at("vertices"), 3 * sizeof(double), "vertices");
    mesh.vertices = arrays_.doubles(item.at("vertices"), 3, vertices);
    const JsonValue corners = item.at("elements");
    const int width = vertices_per_element(mesh.kind);
    const Index elements = arrays_.count(corners, width * static_cast<int>(sizeof(int)), "elements");
    const std::vector<int> numbers = arrays_.integers(corners, std::int64_t{width} * elements, vertices);
    mesh.elements = Eigen::Map<const Eigen::MatrixXi>(numbers.data(), width, elements);
    mesh.region = arrays_.integers(item.at("element_regions"), elements,
                                   static_cast<std::int64_t>(mesh.regions.size()));
    simulation.basis = arrays_.doubles(item, "basis", std::int64_t{3} * vertices, model_.rank);
    if (const auto fixed = item.find("fixed")) {
      simulation.fixed =
          arrays_.integers(*fixed, arrays_.count(*fixed, sizeof(int), "fixed vertices"), vertices);
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
    embedding.element = arrays_.integers(item.at("element"), points, mesh.element_count());
    embedding.weights = arrays_.doubles(item.at("weights"), mesh.elements.rows(), points);
    embedding.vertices = mesh.elements(Eigen::all, embedding.element);
    embedding.mesh_vertices = mesh.vertex_count();
    embedding.outside = item.at("outside").integer(0, points);
    embedding.farthest = item.at("farthest").number();
  }

  void read_cubature(const JsonValue& item) {
    CubatureRule& rule = model_.cubature.emplace();
    const Index points = arrays_.count(item.at("element"), sizeof(int), "numbers of elements");
    if (points == 0) item.at("element").fail("no points, expected one at least");
    const auto numbers = [&](std::string_view key, std::int64_t below) {
      return arrays_.integers(item.at(key), points, below);
    };
    const auto& simulation = model_.simulation;
    rule.element = numbers("element", simulation ? simulation->mesh.element_count() : max_int);
    rule.point =
        numbers("point", simulation ? quadrature_points(simulation->mesh.kind) : most_quadrature_points);
    rule.region = numbers("region", static_cast<std::int64_t>(model_.regions.size()));
    rule.gradients = arrays_.doubles(item, "gradients", std::int64_t{9} * points, model_.rank);
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
    Matrix values = arrays_.doubles(reference, rows, columns);
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
    if (model_.rank == 0) item.fail("expected none, because a body without coordinates does not bend");
    warp.surface_rotations = arrays_.singles(
        item, "surface_rotations", std::int64_t{3} * model_.surface.mesh.vertex_count(), model_.rank);

    const JsonValue lumps = item.at("lumps");
    const Index number = arrays_.count(lumps.at("region"), sizeof(int), "numbers of regions");
    const auto regions = static_cast<std::int64_t>(model_.regions.size());
    warp.lumps.region = arrays_.integers(lumps.at("region"), number, regions);
    warp.lumps.volume = not_negative(lumps.at("volume"), number, 1);
    warp.lumps.center = arrays_.doubles(lumps.at("center"), 3, number);
    warp.lumps.moment = arrays_.doubles(lumps.at("moment"), std::int64_t{3} * number, model_.rank);
    warp.lumps.rotations = arrays_.doubles(lumps.at("rotations"), std::int64_t{3} * number, model_.rank);
  }

  ArrayReader& arrays_;
  const GltfContainer& container_;
  JsonValue object_;
  ReducedModel model_;
};

}  // namespace

ReducedModel read_reduced_object(ArrayReader& arrays, const JsonValue& object) {
  return ReducedReader(arrays, object).read();
}

}  // namespace limber
