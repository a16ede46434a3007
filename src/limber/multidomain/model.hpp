#pragma once

#include "limber/mesh/up_axis.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <Eigen/Geometry>

#include <string>
#include <string_view>
#include <vector>

namespace limber {

// What a body is at run time: a tree of reduced domains, each in a frame of its own that its parent carries.
// A body that is reduced as one is a tree of one domain. [Barbic & Zhao 2011]

/// Where children are attached: a frame that follows the best rigid fit to some vertices. [Barbic & Zhao
/// 2011, Eq. 1-4]
struct InterfacePort {
  std::string name;
  std::vector<int> vertices;             ///< of the simulation mesh, at least three
  Vector weights;                        ///< one each, positive, of sum 1
  Vector3 center = Vector3::Zero();      ///< x^: weighted mean of their rest positions, m
  Matrix3X center_rows;                  ///< 3 x r, a^: how it moves with q
  Matrix3 covariance = Matrix3::Zero();  ///< C = sum of w (X - x^)(X - x^)^T, m^2
  Matrix covariance_rows;  ///< 9 x r: column i is sum of w (U_i - a^_i)(X - x^)^T by columns, m^2
};

/// A precomputed piece, which may stand in many places.
struct ReducedPart {
  ReducedModel model;  ///< named as its part; held at the interface to its parent. Of rank 0: rigid
  std::vector<InterfacePort> ports;
};

/// A piece in its place. Its point X is at  position + rotation (scale X)  in the world at rest.
struct Domain {
  std::string name;
  int part = 0;
  int parent = -1;                     ///< a domain before it; -1: the root, the first one
  int port = -1;                       ///< of the parent's part
  Vector3 position = Vector3::Zero();  ///< m
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  double scale = 1.0;
  double stiffness = 1.0;  ///< factor of the elastic forces

  // Vertices of the whole body that those of the part are; empty: vertices of their own, which follow those
  // of the domains before it.
  std::vector<int> vertices;          ///< one per vertex of the simulation mesh
  std::vector<int> surface_vertices;  ///< one per vertex of the surface
};

/// Everything that run time needs of a body. Constant while it runs, and shared by all bodies that are made
/// of it. Kept in .glb files (io/model_file.hpp).
struct Model {
  std::string name;
  std::string description;  ///< how it was made, for people
  std::vector<ReducedPart> parts;
  std::vector<Domain> domains;  ///< parents before their children
  bool free = false;            ///< nothing holds the root: its frame flies as that of a rigid body
  UpAxis up = UpAxis::z;        ///< how it stands

  [[nodiscard]] const ReducedPart& part(Index domain) const {
    return parts[static_cast<std::size_t>(domains[static_cast<std::size_t>(domain)].part)];
  }
  [[nodiscard]] Index rank(Index domain) const { return part(domain).model.rank; }
  [[nodiscard]] Index domain_count() const { return static_cast<Index>(domains.size()); }
  [[nodiscard]] Index coordinate_count() const;  ///< of all domains
  [[nodiscard]] Index depth() const;             ///< domains on the longest way from the root to a leaf
};

/// Throws Error unless everything fits together. `where` names the model in the message, e.g. its file.
void check_model(const Model& model, std::string_view where);

/// A body that was reduced as one. free: whether nothing holds it.
Model make_model(ReducedModel reduced, bool free);
/// The same; free where its simulation mesh, which must be there, has no fixed vertices.
Model make_model(ReducedModel reduced);

/// What may be changed of a part while a body of it lives.
struct PartSettings {
  std::vector<Material> materials;  ///< one per region; of exact parts St. Venant-Kirchhoff
  Index rank = 0;                   ///< coordinates in use, the first ones
  bool linear = false;              ///< with the forces of the stiffness at rest, K(0) q
};

/// As the parts were made.
std::vector<PartSettings> settings_of(const Model& model);

/// Throws Error, naming the part, unless there is one for each part, with a material for each region and a
/// rank from 1 (0 for a rigid part) to that of the part.
void check_settings(const Model& model, const std::vector<PartSettings>& settings);

/// The one domain of a body that was reduced as one. Throws Error, naming it by `where`, for a tree of
/// several.
const ReducedModel& single_domain(const Model& model, std::string_view where);

/// A port from a part's model, whose simulation mesh must be there.  weights: one per vertex, positive.
/// Throws Error for fewer than three vertices, and for vertices on one line.
InterfacePort make_port(const ReducedModel& model, std::string name, std::vector<int> vertices,
                        const Vector& weights);

}  // namespace limber
