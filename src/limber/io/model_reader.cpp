#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/model_object.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace limber {
namespace {

/// What older files have in place of model_extension.
constexpr std::array<std::string_view, 2> older_extensions{"LIMBER_reduced_model", "LIMBER_domain_tree"};

UpAxis read_up(const JsonValue& value) {
  const auto found = std::find(up_axis_words.begin(), up_axis_words.end(), value.text());
  if (found == up_axis_words.end()) value.fail(fmt::format("expected x, y or z, found '{}'", value.text()));
  return static_cast<UpAxis>(found - up_axis_words.begin());
}

/// By which weights may miss a sum of 1.
constexpr double weight_tolerance = 1e-6;

double positive(const JsonValue& value) {
  const double number = value.number();
  if (!(number > 0.0)) value.fail(fmt::format("expected a positive number, found {}", number));
  return number;
}

/// How many vertices all domains have, of their own or not.
struct VertexCounts {
  std::int64_t mesh = 0, surface = 0;
};

class ModelReader {
 public:
  ModelReader(const GltfContainer& container, JsonValue extension)
      : arrays_(container), extension_(std::move(extension)) {}

  Model read() {
    check_version(extension_, model_version);
    model_.name = extension_.at("name").text();
    model_.description = extension_.at("description").text();
    model_.free = extension_.at("free").boolean();
    model_.up = read_up(extension_.at("up"));
    const JsonValue parts = at_least_one("parts");
    for (std::size_t i = 0; i < parts.size(); ++i) model_.parts.push_back(read_part(parts.at(i)));
    const JsonValue domains = at_least_one("domains");
    const VertexCounts counts = count_vertices(domains);
    for (std::size_t i = 0; i < domains.size(); ++i) {
      model_.domains.push_back(read_domain(domains.at(i), i, counts));
    }
    return std::move(model_);
  }

 private:
  [[nodiscard]] JsonValue at_least_one(std::string_view key) const {
    JsonValue list = extension_.at(key);
    if (list.size() == 0) list.fail("expected one at least, found none");
    return list;
  }

  ReducedPart read_part(const JsonValue& item) {
    ReducedPart part;
    part.model = read_reduced_object(arrays_, item);
    const JsonValue ports = item.at("ports");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      part.ports.push_back(read_port(ports.at(i), part.model));
    }
    return part;
  }

  InterfacePort read_port(const JsonValue& item, const ReducedModel& model) {
    InterfacePort port;
    port.name = item.at("name").text();
    const JsonValue vertices = item.at("vertices");
    const Index count = arrays_.count(vertices, sizeof(int), "vertices");
    if (count < 3) vertices.fail(fmt::format("{} vertices, expected three at least", count));
    port.vertices =
        arrays_.integers(vertices, count, model.simulation ? model.simulation->mesh.vertex_count() : max_int);
    port.weights = arrays_.doubles(item.at("weights"), count, 1);
    check_weights(item.at("weights"), port.weights);
    port.center = read_numbers(item.at("center"), 3);
    port.center_rows = arrays_.doubles(item, "center_rows", 3, model.rank);
    port.covariance = read_numbers(item.at("covariance"), 9).reshaped(3, 3);
    port.covariance_rows = arrays_.doubles(item, "covariance_rows", 9, model.rank);
    return port;
  }

  static void check_weights(const JsonValue& reference, const Vector& weights) {
    for (Index i = 0; i < weights.size(); ++i) {
      if (weights(i) > 0.0) continue;
      reference.fail(fmt::format("number {} is {}, expected a positive one", i, weights(i)));
    }
    if (std::abs(weights.sum() - 1.0) > weight_tolerance) {
      reference.fail(fmt::format("expected a sum of 1, found {}", weights.sum()));
    }
  }

  [[nodiscard]] int read_part_number(const JsonValue& domain) const {
    return static_cast<int>(domain.at("part").integer(0, static_cast<std::int64_t>(model_.parts.size()) - 1));
  }

  /// Numbers of vertices of the whole body are below these: each is one of some domain.
  [[nodiscard]] VertexCounts count_vertices(const JsonValue& domains) const {
    VertexCounts counts;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const ReducedModel& model =
          model_.parts[static_cast<std::size_t>(read_part_number(domains.at(i)))].model;
      counts.surface += model.surface.mesh.vertex_count();
      if (model.simulation) counts.mesh += model.simulation->mesh.vertex_count();
      if (std::max(counts.surface, counts.mesh) > max_int) {
        domains.at(i).fail(fmt::format("the domains up to this one have more than {} vertices", max_int));
      }
    }
    return counts;
  }

  Domain read_domain(const JsonValue& item, std::size_t number, const VertexCounts& counts) {
    Domain domain;
    domain.name = item.at("name").text();
    domain.part = read_part_number(item);
    if (number == 0) {
      for (const std::string_view key : {"parent", "port"}) {
        if (const auto found = item.find(key))
          found->fail("expected none, because the first domain is the root");
      }
    } else {
      domain.parent = static_cast<int>(item.at("parent").integer(0, static_cast<std::int64_t>(number) - 1));
      const std::size_t ports = model_.part(domain.parent).ports.size();
      if (ports == 0) item.at("parent").fail(fmt::format("domain {} has no ports", domain.parent));
      domain.port = static_cast<int>(item.at("port").integer(0, static_cast<std::int64_t>(ports) - 1));
    }
    domain.position = read_numbers(item.at("position"), 3);
    domain.rotation.coeffs() = read_numbers(item.at("rotation"), 4);
    if (!is_unit(domain.rotation)) {
      item.at("rotation")
          .fail(fmt::format("expected a quaternion of length 1, found {}", domain.rotation.norm()));
    }
    domain.scale = positive(item.at("scale"));
    domain.stiffness = positive(item.at("stiffness"));
    const ReducedModel& model = model_.parts[static_cast<std::size_t>(domain.part)].model;
    const Index vertices = model.simulation ? model.simulation->mesh.vertex_count() : 0;
    domain.vertices = read_vertices(item.find("vertices"), vertices, counts.mesh);
    domain.surface_vertices =
        read_vertices(item.find("surface_vertices"), model.surface.mesh.vertex_count(), counts.surface);
    return domain;
  }

  /// What the vertices of a domain are in the whole body; none where they are its own.
  std::vector<int> read_vertices(const std::optional<JsonValue>& reference, Index count, std::int64_t below) {
    if (!reference) return {};
    if (count == 0) reference->fail("expected none, because its part has no simulation mesh");
    return arrays_.integers(*reference, count, below);
  }

  ArrayReader arrays_;
  JsonValue extension_;
  Model model_;
};

}  // namespace

Model parse_model(std::string_view content, std::string_view where) {
  require(looks_like_gltf(content), "{}: is not a glTF file, expected a reduced model (.glb)", where);
  const GltfContainer container(content, where, {});
  const std::optional<JsonValue> extension = find_extension(container, model_extension);
  for (const std::string_view older : older_extensions) {
    require(extension || !find_extension(container, older),
            "{}: is a reduced model of an older limber ({}); make it again with: limber reduce", where,
            older);
  }
  require(extension.has_value(),
          "{}: is a glTF file without a reduced model (no {}); make one with: limber reduce", where,
          model_extension);
  Model model = ModelReader(container, *extension).read();
  check_model(model, where);
  return model;
}

Model read_model(const std::filesystem::path& path) { return parse_model(read_file(path), path.string()); }

bool looks_like_model(std::string_view content) {
  return has_extension(content, model_extension) ||
         std::any_of(older_extensions.begin(), older_extensions.end(),
                     [&](std::string_view older) { return has_extension(content, older); });
}

}  // namespace limber
