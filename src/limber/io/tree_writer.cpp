#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_mesh.hpp"
#include "limber/io/model_object.hpp"
#include "limber/io/tree_file.hpp"

#include <utility>

namespace limber {
namespace {

using nlohmann::json;

template <class Values>
json list_of(const Values& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

json make_inertia_object(GlbBuilder& builder, const DomainInertia& inertia) {
  json result = {
      {"mass", inertia.mass}, {"first", list_of(inertia.first)}, {"second", list_of(inertia.second)}};
  add_array(builder, result, "first_rows", inertia.first_rows);
  add_array(builder, result, "second_rows", inertia.second_rows);
  add_array(builder, result, "second_pairs", inertia.second_pairs);
  return result;
}

json make_port_object(GlbBuilder& builder, const InterfacePort& port) {
  json result = {
      {"name", port.name}, {"center", list_of(port.center)}, {"covariance", list_of(port.covariance)}};
  add_array(builder, result, "vertices", port.vertices);
  add_array(builder, result, "weights", port.weights);
  add_array(builder, result, "center_rows", port.center_rows);
  add_array(builder, result, "covariance_rows", port.covariance_rows);
  return result;
}

json make_kind(GlbBuilder& builder, const DomainKind& kind, std::string_view where) {
  json result = add_model_object(builder, kind.model, where);
  result["inertia"] = make_inertia_object(builder, kind.inertia);
  result["ports"] = json::array();
  for (const InterfacePort& port : kind.ports) result["ports"].push_back(make_port_object(builder, port));
  return result;
}

json make_domain(GlbBuilder& builder, const Domain& domain) {
  json result = {{"name", domain.name},
                 {"kind", domain.kind},
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

std::string encode_tree(const DomainTree& tree, std::string_view where) {
  check_tree(tree, where);  // all numbers are finite, as JSON needs them
  GlbBuilder builder;
  json extension = {{"version", tree_version}, {"name", tree.name},      {"description", tree.description},
                    {"free", tree.free},       {"kinds", json::array()}, {"domains", json::array()}};
  for (const DomainKind& kind : tree.kinds) extension["kinds"].push_back(make_kind(builder, kind, where));
  for (const Domain& domain : tree.domains) {
    const auto mesh = extension["kinds"][static_cast<std::size_t>(domain.kind)]["mesh"].get<int>();
    const int node = add_node(builder, mesh, domain.name);
    place_node(builder, node, domain.position, domain.rotation.coeffs(), domain.scale);
    extension["domains"].push_back(make_domain(builder, domain));
  }
  add_scene(builder);
  add_extension(builder, tree_extension, std::move(extension));
  return builder.encode(where, "lower the ranks or leave out the simulation meshes");
}

void write_tree(const std::filesystem::path& path, const DomainTree& tree) {
  write_file(path, encode_tree(tree, path.string()), [](std::span<const std::string> contents) {
    (void)parse_tree(contents.front(), "its content");
  });
}

}  // namespace limber
