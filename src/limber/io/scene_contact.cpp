#include "limber/io/scene_contact.hpp"

#include "limber/base/error.hpp"
#include "limber/io/scene_motion.hpp"
#include "limber/io/scene_uses.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

ContactMaterial to_contact_material(const json& value) {
  return {.friction = value["friction"].get<double>(),
          .restitution = value["restitution"].get<double>(),
          .compliance = value["compliance"].get<double>()};
}

/// A key that a shape cannot do without.
const json& needed_of_shape(const json& value, const char* key, const std::string& where) {
  require(value.contains(key), "{}.{} is missing; the shape '{}' needs it", where, key,
          value["shape"].get<std::string>());
  return value[key];
}

std::shared_ptr<const HeightField> to_height_field(const json& value, const std::string& where) {
  const json& rows = needed_of_shape(value, "heights", where);
  const auto count = static_cast<Index>(rows.size()), width = static_cast<Index>(rows[0].size());
  Matrix heights(count, width);
  for (Index j = 0; j < count; ++j) {
    const json& row = rows[static_cast<std::size_t>(j)];
    require(static_cast<Index>(row.size()) == width, "{}.heights[{}]: it has {} heights, the first row {}",
            where, j, row.size(), width);
    for (Index i = 0; i < width; ++i) heights(j, i) = row[static_cast<std::size_t>(i)].get<double>();
  }
  return std::make_shared<const HeightField>(std::move(heights),
                                             needed_of_shape(value, "spacing", where).get<double>());
}

SolidShape to_solid(const json& value, SceneFiles& files, const std::string& where) {
  const std::string kind = value["shape"].get<std::string>();
  const auto length = [&](const char* key) { return needed_of_shape(value, key, where).get<double>(); };
  if (kind == "half-space") return HalfSpace{};
  if (kind == "sphere") return Sphere{length("radius")};
  if (kind == "box") return Box{0.5 * to_vector(needed_of_shape(value, "size", where))};
  if (kind == "capsule") return Capsule{length("radius"), 0.5 * length("length")};
  if (kind == "height-field") return to_height_field(value, where);
  (void)needed_of_shape(value, "mesh", where);
  const SurfaceMesh surface = read_surface_at(value, "mesh", files, where);
  return std::make_shared<const MeshShape>(surface, where + ".mesh");
}

/// A name of its own where none is given.
std::string name_or(const json& value, const char* kind, std::size_t number) {
  std::string name = value["name"].get<std::string>();
  return name.empty() ? fmt::format("{}{}", kind, number) : name;
}

Obstacle to_obstacle(const json& value, SceneFiles& files, std::size_t number, const std::string& where) {
  Obstacle obstacle;
  obstacle.name = name_or(value, "obstacle", number);
  obstacle.shape = to_solid(value, files, where);
  obstacle.pose = to_pose(value, where);
  obstacle.material = to_contact_material(value);
  if (PoseFunction motion = read_keys(value, where))
    obstacle.motion = [motion = std::move(motion), rest = obstacle.pose](double time) {
      const Pose moved = motion(time);
      return Pose{rest.position + moved.position, (moved.rotation * rest.rotation).normalized()};
    };
  return obstacle;
}

RigidBodySetup to_rigid(const json& value, SceneFiles& files, std::size_t number, const std::string& where) {
  RigidBodySetup rigid;
  rigid.name = name_or(value, "rigid", number);
  rigid.shape = to_solid(value, files, where);
  rigid.density = value["density"].get<double>();
  rigid.pose = to_pose(value, where);
  rigid.velocity = to_vector(value["velocity"]);
  rigid.angular_velocity = to_vector(value["angular_velocity"]);
  rigid.material = to_contact_material(value);
  return rigid;
}

}  // namespace

void read_contact(const json& value, SceneBody& body) {
  if (!value.contains("contact")) return;
  const json& contact = value["contact"];
  body.contact = contact.is_object() || contact.get<bool>();
  if (contact.is_object()) body.surface = to_contact_material(contact);
}

void read_surroundings(const json& value, SceneFiles& files, std::string_view where, Scene& scene) {
  const json& ground = value["ground"];
  if (ground.is_object()) {
    scene.obstacles.push_back(
        make_ground(ground["height"].get<double>(), up_of(scene), to_contact_material(ground)));
  } else if (ground.get<bool>()) {
    scene.obstacles.push_back(make_ground(0.0, up_of(scene)));
  }
  for (std::size_t i = 0; i < value["obstacles"].size(); ++i)
    scene.obstacles.push_back(
        to_obstacle(value["obstacles"][i], files, i, fmt::format("{}: obstacles[{}]", where, i)));
  for (std::size_t i = 0; i < value["rigid"].size(); ++i)
    scene.rigids.push_back(to_rigid(value["rigid"][i], files, i, fmt::format("{}: rigid[{}]", where, i)));
}

void check_distinct_names(const json& value, const Scene& scene, std::string_view where) {
  std::map<std::string_view, std::string> places;  // of names
  const auto add = [&](std::string_view name, std::string place) {
    const auto [known, first] = places.emplace(name, place);
    require(first,
            "{}: {} is called '{}', as {} is, so that messages could mean either; choose another 'name'",
            where, place, name, known->second);
  };
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    add(scene.bodies[i].name, fmt::format("bodies[{}]", i));
  const std::size_t ground = scene.obstacles.size() - value["obstacles"].size();
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i)
    add(scene.obstacles[i].name, i < ground ? "ground" : fmt::format("obstacles[{}]", i - ground));
  for (std::size_t i = 0; i < scene.rigids.size(); ++i)
    add(scene.rigids[i].name, fmt::format("rigid[{}]", i));
}

void check_contact(const json& stated, const Scene& scene, std::string_view where) {
  const auto touching = static_cast<std::size_t>(std::count_if(
      scene.bodies.begin(), scene.bodies.end(), [&](const SceneBody& body) { return touches(scene, body); }));
  const bool surrounded = !scene.obstacles.empty() || !scene.rigids.empty();
  for (std::size_t i = 0; i < scene.bodies.size() && !surrounded && touching < 2; ++i)
    require(!scene.bodies[i].contact.has_value(),
            "{}: bodies[{}].contact: there is nothing that it could touch; give the scene 'ground', "
            "'obstacles' or "
            "'rigid', or other bodies 'contact'",
            where, i);
  require(touching > 0 || scene.obstacles.empty() || !scene.rigids.empty(),
          "{}: {}: nothing in the scene touches it: bodies that nothing holds do unless their 'contact' is "
          "false, and those that are held with 'contact' only; give them that",
          where, stated.contains("obstacles") ? "obstacles" : "ground");
  for (std::size_t i = 0; i < scene.bodies.size() && !scene.rigids.empty(); ++i)
    require(
        scene.bodies[i].contact.has_value() || touches(scene, scene.bodies[i]),
        "{}: rigid: they would pass through bodies[{}], which is held and so touches with 'contact' only; "
        "give it 'contact': true, or false where that is meant",
        where, i);
  if (touching < scene.bodies.size()) return;
  const json solver = stated.value("solver", json::object());
  const bool full = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                [](const SceneBody& body) { return body.method == Method::full; });
  for (const char* key : {"integrator", "beta", "gamma", "newton", "linear_solver"}) {
    if (solver.contains(key) && !(full && key == std::string_view("linear_solver")))
      refuse_unused(fmt::format("{}: solver.{}", where, key), "the motion of bodies that touch");
  }
}

}  // namespace limber
