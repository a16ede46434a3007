#pragma once

#include "limber/reduced/reduced_model.hpp"

#include <Eigen/Geometry>

#include <string>
#include <string_view>
#include <vector>

namespace limber {

// A body as a tree of reduced domains, each in a frame of its own that its parent carries. [Barbic & Zhao
// 2011]

/// Integrals over a domain that its inertia needs, in its own coordinates; X: rest position, U_i: mode i.
///                                                                     [Barbic & Zhao 2011, Eq. 20-23]
struct DomainInertia {
  double mass = 0.0;                 ///< kg
  Vector3 first = Vector3::Zero();   ///< integral of rho X, kg m
  Matrix3 second = Matrix3::Zero();  ///< integral of rho X X^T, kg m^2
  Matrix3X first_rows;               ///< 3 x r, integral of rho U_i, kg m
  Matrix second_rows;                ///< 9 x r: column i is the integral of rho U_i X^T by columns, kg m^2
  Matrix second_pairs;  ///< 9 x r^2: column i + r j is the integral of rho U_i U_j^T by columns, kg m^2
};

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
struct DomainKind {
  ReducedModel model;  ///< named as its part; held at the interface to its parent. Of rank 0: rigid
  DomainInertia inertia;
  std::vector<InterfacePort> ports;
};

/// A piece in its place. Its point X is at  position + rotation (scale X)  in the world at rest.
struct Domain {
  std::string name;
  int kind = 0;
  int parent = -1;                     ///< a domain before it; -1: the root, the first one
  int port = -1;                       ///< of the parent's kind
  Vector3 position = Vector3::Zero();  ///< m
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  double scale = 1.0;
  double stiffness = 1.0;  ///< factor of the elastic forces

  // Vertices of the whole body that those of the kind are; empty: vertices of their own, which follow those
  // of the domains before it.
  std::vector<int> vertices;          ///< one per vertex of the simulation mesh
  std::vector<int> surface_vertices;  ///< one per vertex of the surface
};

/// A tree of reduced domains: everything that run time needs. Constant while it runs. Kept in .glb files
/// (io/tree_file.hpp).
struct DomainTree {
  std::string name;
  std::string description;  ///< how it was made, for people
  std::vector<DomainKind> kinds;
  std::vector<Domain> domains;  ///< parents before their children
  bool free = false;            ///< the root flies: its frame is that of a rigid body

  [[nodiscard]] const DomainKind& kind(Index domain) const {
    return kinds[static_cast<std::size_t>(domains[static_cast<std::size_t>(domain)].kind)];
  }
  [[nodiscard]] Index rank(Index domain) const { return kind(domain).model.rank; }
  [[nodiscard]] Index domain_count() const { return static_cast<Index>(domains.size()); }
  [[nodiscard]] Index coordinate_count() const;  ///< of all domains
  [[nodiscard]] Index depth() const;             ///< domains on the longest way from the root to a leaf
};

/// Throws Error unless everything fits together. `where` names the tree in the message, e.g. its file.
void check_tree(const DomainTree& tree, std::string_view where);

/// Integrals and ports from a kind's model, whose simulation mesh must be there. Densities: those of the
/// model's materials. lumped: mass, as the model was made with.
DomainInertia make_inertia(const ReducedModel& model, bool lumped = false);
/// weights: one per vertex, positive. Throws Error for fewer than three vertices, and for vertices on one
/// line.
InterfacePort make_port(const ReducedModel& model, std::string name, std::vector<int> vertices,
                        const Vector& weights);

}  // namespace limber
