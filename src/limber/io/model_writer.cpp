#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/words.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/model_mesh.hpp"
#include "limber/io/model_object.hpp"

#include <utility>

namespace limber {
namespace {

using nlohmann::json;

json make_port_object(GlbBuilder& builder, const InterfacePort& port) {
  json result = {
      {"name", port.name}, {"center", list_of(port.center)}, {"covariance", list_of(port.covariance)}};
  add_array(builder, result, "vertices", port.vertices);
  add_array(builder, result, "weights", port.weights);
  add_array(builder, result, "center_rows", port.center_rows);
  add_array(builder, result, "covariance_rows", port.covariance_rows);
  return result;
}

json make_part_object(GlbBuilder& builder, const ReducedPart& part, std::string_view where) {
  json result = add_reduced_object(builder, part.model, where);
  result["ports"] = json::array();
  for (const InterfacePort& port : part.ports) result["ports"].push_back(make_port_object(builder, port));
  return result;
}

json make_domain_object(GlbBuilder& builder, const Domain& domain) {
  json result = {{"name", domain.name},
                 {"part", domain.part},
                 {"position", list_of(domain.position)},
                 {"rotation", list_of(domain.rotation.coeffs())},
                 {"scale", domain.scale},
                 {"stiffness", domain.stiffness}};
  if (domain.parent >= 0) {
    result["parent"] = domain.parent;
    result["port"] = domain.port;
  }
  add_array(builder, result, "vertices", domain.vertices);
  add_array(builder, result, "surface_vertices", domain.surface_vertices);
  return result;
}

}  // namespace

std::string encode_model(const Model& model, std::string_view where) {
  check_model(model, where);  // all numbers are finite, as JSON needs them
  GlbBuilder builder;
  json extension = {{"version", model_version},
                    {"name", model.name},
                    {"description", model.description},
                    {"free", model.free},
                    {"up", word_of(model.up, up_axis_words)},
                    {"parts", json::array()},
                    {"domains", json::array()}};
  for (const ReducedPart& part : model.parts)
    extension["parts"].push_back(make_part_object(builder, part, where));
  for (const Domain& domain : model.domains) {
    const auto mesh = extension["parts"][static_cast<std::size_t>(domain.part)]["mesh"].get<int>();
    const int node = add_node(builder, mesh, domain.name);
    place_node(builder, node, domain.position, domain.rotation.coeffs(), domain.scale);
    extension["domains"].push_back(make_domain_object(builder, domain));
  }
  add_scene(builder, direction_of(model.up));
  add_extension(builder, model_extension, std::move(extension));
  return builder.encode(where, "lower the ranks or leave out the simulation meshes");
}

void write_model(const std::filesystem::path& path, const Model& model) {
  write_file(path, encode_model(model, path.string()), [](std::span<const std::string> contents) {
    (void)parse_model(contents.front(), "its content");
  });
}

}  // namespace limber
