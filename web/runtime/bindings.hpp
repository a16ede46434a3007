#pragma once

// What the files of the bindings share: bodies and trees by their numbers, and how results and errors get to
// JavaScript.

#include "limber/io/tree_file.hpp"
#include "limber/live/live_body.hpp"
#include "limber/multidomain/live_tree.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace limber::bindings {

/// As records.ts writes it.
struct PullRecord {
  double target[3];
  double stiffness;
  std::int32_t vertex;
  std::int32_t unused;
};
static_assert(sizeof(PullRecord) == 40);

/// As records.ts writes it.
struct HandleRecord {
  double position[3];
  double rotation[4];  ///< x, y, z, w
  std::int32_t vertex;
  std::int32_t holds;  ///< 1: the position, 2: the orientation, 3: both
};
static_assert(sizeof(HandleRecord) == 64);

/// A body or a tree of domains, and the memory that it exchanges arrays through: it only grows.
struct Entry {
  explicit Entry(ReducedModel model) : live(std::in_place_type<LiveBody>, std::move(model)) {}
  explicit Entry(DomainTree tree) : live(std::in_place_type<LiveTree>, std::move(tree)) {}

  std::variant<LiveBody, LiveTree> live;
  std::string description;
  std::vector<PullRecord> pull_records;
  std::vector<Pull> pulls;
  std::vector<HandleRecord> handle_records;
  std::vector<Handle> handles;
  Vector q, v, shape;
  Eigen::Matrix3Xf positions;
  std::vector<int> triangle_domains;  ///< of a tree: the domain of each triangle
  Vector reach;  ///< of a tree: m that the farthest vertex of its domain moves, per unit of each coordinate
};

Entry& find(int number);
/// Throw Error where it is the other one.
LiveBody& find_body(int number);
LiveTree& find_tree(int number);

/// Whatever it is.
template <class Action>
void with(int number, const Action& action) {
  std::visit(action, find(number).live);
}

void set_message(const char* text);  ///< longer texts are cut. Allocates nothing: it may be about memory
inline constexpr const char* no_memory = "not enough memory; WebAssembly has 4 GB at most";

/// Runs what may throw. Whether it did not.
template <class Action>
bool guarded(const Action& action) {
  try {
    action();
    return true;
  } catch (const std::bad_alloc&) {
    set_message(no_memory);
  } catch (const std::length_error&) {  // of a standard container that would need more than half of it
    set_message(no_memory);
  } catch (const std::exception& error) {
    set_message(error.what());
  }
  return false;
}

inline std::array<double, 8> results{};

template <class... Numbers>
void give(Numbers... numbers) {
  results = {static_cast<double>(numbers)...};
}

inline double address_of(const void* data) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(data));
}

inline void give_vector(const Vector3& x) { give(x.x(), x.y(), x.z()); }

inline void give_array(const void* data, std::size_t size) { give(address_of(data), size); }
template <class Derived>
void give_array(const Eigen::PlainObjectBase<Derived>& values) {
  give(address_of(values.data()), values.size());
}
inline void give_array(const std::vector<int>& values) { give_array(values.data(), values.size()); }

/// Arrays of a model or a tree; numbers as in model_arrays.ts.
enum class Array {
  vertices,
  triangles,
  triangle_parts,
  surface_basis,
  mesh_vertices,
  mesh_elements,
  fixed,
  cubature_elements,
  mesh_basis,
  surface_rotations,
  vertex_domains,
  triangle_domains,
  reach
};

/// Parts of a surface with their colours.
nlohmann::json describe_parts(const SurfaceMesh& mesh, const std::vector<Vector3>& colors);

// Of trees, in tree_bindings.cpp.

nlohmann::json describe_tree(const DomainTree& tree,
                             const TreeSurface& surface);  ///< TreeInfo of types.ts, and the parts
void prepare(Entry& entry, const LiveTree& tree);          ///< what its arrays show
void give_array(const Entry& entry, const LiveTree& tree, Array which);
void take_steps(LiveTree& tree, double h, int count, int iterations, bool conjugate_gradient);
/// A free tree has seven numbers more: the position and the rotation (x, y, z, w) of its root, its velocity
/// and angular velocity and a zero.
void give_state(Entry& entry, const LiveTree& tree);
Index state_size(const LiveTree& tree);
void set_state(LiveTree& tree, const Vector& q, const Vector& v);

}  // namespace limber::bindings
