#pragma once

#include "limber/contact/block_cholesky.hpp"
#include "limber/contact/friction_cone.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/solve_report.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace limber {

/// A body as the contact problem sees it, for one step. What it points to must live until solve() is done.
struct ContactBody {
  const Matrix* step_matrix = nullptr;    ///< A, n x n, symmetric positive definite, stored whole
  const Vector* free_velocity = nullptr;  ///< u*, n: how the step would end if nothing touched
  const Vector* guess = nullptr;          ///< n: where the iteration starts; the velocity before the step
  int rigid = 0;                          ///< so many of the last coordinates move it as a whole: 0 or 6
  bool coupled = false;  ///< whether its coordinates are coupled by more than they are heavy, as by springs
};

struct ContactSolveOptions {
  /// Of the residual, as a share of the momentum that flows: far below what friction is known to.
  double tolerance = 1e-6;
  int max_iterations = 60;  ///< up to four times as many where these do not do
  /// How fast what slides may be lifted, m/s; see ContactSolver. Where it is infinite contacts are solved as
  /// they are.
  double lift = 1e-4;
};

struct ContactSolveReport : SolveReport {
  int active = 0;  ///< contacts that push
};

/// Contact of bodies within a step, as one convex problem in their velocities,
///
///   min   sum over bodies 1/2 (u - u*) . A (u - u*)   +   sum over contacts l(J u),
///    u
///
/// with l of friction_cone.hpp and J the rows of a contact in the velocities of its bodies. Its optimum is
/// a balance of momentum, A (u - u*) = sum J^T g, with impulses g that obey regularised friction. Solved by
/// Newton's method in u itself, so that the matrix A + J^T G J is as large as the bodies are, however many
/// contacts there are, with an exact line search. But for rounding it always converges: l is convex, and A is
/// definite.
/// Where one body starts far off, its contacts are softer for the first iterations.
///                                                          [Castro, Permenter & Han 2022, section V]
///
/// The price of convexity is that what slides is lifted: such a contact pushes until v_n = a + mu |v_t|. So
/// it is solved with a - mu s in place of a, with s the |v_t| that is expected, and s follows what comes out
/// until it is that: Coulomb's friction, then. Each time a share of some mu^2 / (1 + mu^2) of the error is
/// left; what would sink in because s does not follow, as with friction far above 1, is solved without. It
/// follows while the iteration goes on, and the velocities go along, so that impulses stay what they
/// were: half as many iterations again as with s as it was; none more for what rests or slides on as before.
///                                                          [de Saxce & Feng 1998; Acary & Cadoux 2013]
///
/// For bodies that touch each other, directly or by way of others: whoever calls sets those apart that do
/// not. Cost of an iteration: a factor of the block matrix, and 3 n^2 multiply-adds per contact that
/// pushes.
class ContactSolver {
 public:
  /// Forgets what there was.
  void begin(std::span<const ContactBody> bodies);

  /// Another contact, between `first` and `second`; -1: something that no impulse moves. Returns its
  /// number.
  int add(int first, int second);
  /// J of one of its bodies, to be written whole: how the velocity of `first` seen from `second` follows
  /// from that of body `side` (0 or 1), 3 x n in the axes of the contact. That of the second is therefore
  /// negative.
  using Rows = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
  [[nodiscard]] Rows rows(int contact, int side);
  /// About how fast an impulse of 1 N s along the normal makes a contact move, m/s, from its rows: exact
  /// for bodies that move as a whole, without what couples coordinates of others, O(n); and exact for those
  /// whose coordinates are coupled, O(n^2).
  [[nodiscard]] double yield(int contact) const;
  [[nodiscard]] FrictionCone& cone(int contact) { return contacts_[at(contact)].cone; }
  /// Added to J u: how what does not belong to the bodies moves past the contact, m/s, in its axes; none at
  /// first.
  void set_drift(int contact, const Vector3& drift) { contacts_[at(contact)].drift = drift; }
  [[nodiscard]] const Vector3& drift(int contact) const { return contacts_[at(contact)].drift; }
  [[nodiscard]] int contact_count() const { return static_cast<int>(contacts_.size()); }

  ContactSolveReport solve(const ContactSolveOptions& options = {});

  [[nodiscard]] Eigen::Map<const Vector> velocity(int body) const;  ///< u
  /// J^T g of all contacts, n: what changed its velocity.
  [[nodiscard]] Eigen::Map<const Vector> impulses_on(int body) const;
  /// On the first body, N s, in the axes of the contact.
  [[nodiscard]] const Vector3& impulse(int contact) const { return contacts_[at(contact)].impulse; }
  /// Of the first seen from the second, m/s, in the axes of the contact.
  [[nodiscard]] Vector3 relative_velocity(int contact) const {
    return lanes_[at(contact / packet_size)].velocity(contact % packet_size);
  }

 private:
  struct Contact {
    int bodies[2] = {0, -1};
    std::size_t rows[2] = {0, 0};  ///< in rows_
    FrictionCone cone;
    Vector3 drift = Vector3::Zero();
    Vector3 impulse = Vector3::Zero();
    double lift = 0.0, next_lift = 0.0;  ///< mu s, m/s
    bool pushes = false;
  };
  struct Line {
    double slope = 0.0, curvature = 0.0;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] int padded(int body) const;
  [[nodiscard]] double* part(BlockNumbers& vector, int body) const {
    return vector.data() + factor_.offset(body);
  }
  [[nodiscard]] Vector3 velocity_at(const Contact& contact, BlockNumbers& u) const;
  void analyze();
  void start_at(bool free);
  void start_again(const ContactSolveOptions& options);
  void follow_velocities();
  void keep_solution(const ContactSolveReport& report);
  void return_to_kept(ContactSolveReport& report);
  void set_softness(double softness);
  void guess_lifts();
  double find_lifts();
  bool drop_lifts(double most);
  void follow_lifts();
  void take_lifts();
  /// As it is taken for now.
  [[nodiscard]] FrictionCone cone_of(const Contact& contact) const;
  void iterate(const ContactSolveOptions& options, ContactSolveReport& report);
  double differentiate(ContactSolveReport& report);
  [[nodiscard]] double norm(const BlockNumbers& force) const;
  void assemble();
  [[nodiscard]] bool assemble_and_factor();
  [[nodiscard]] Line aim();
  [[nodiscard]] double search_line();
  [[nodiscard]] Line line_at(double x, double slope, double curvature) const;
  void advance(double x);

  /// A solution, from which lifts go on.
  struct Kept {
    double residual = 0.0;  ///< infinite where there is none
    BlockNumbers u;
    std::vector<double> lifts;
  };

  double known_ = 0.0;     ///< residual below which there is only rounding, in the sense of norm()
  double softness_ = 1.0;  ///< by which all contacts are softer for now

  static constexpr int whole_stride = padded_rows(6);
  std::vector<ContactBody> bodies_;
  std::vector<std::array<double, 6 * whole_stride>> wholes_;  ///< factors of A of their rigid coordinates
  std::vector<Cholesky> coupled_;                             ///< of all of it, where they are coupled
  mutable Vector row_;                                        ///< memory of yield()
  std::vector<Contact> contacts_;
  BlockNumbers rows_;
  std::vector<ConeLanes> lanes_;  ///< of eight contacts each: velocities, and their change along direction_
  BlockCholesky factor_;
  std::vector<int> sizes_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> by_pair_;  ///< contacts, those of the same bodies one after the other
  BlockNumbers u_, gradient_, direction_, moved_, product_, pushed_;  ///< of all bodies, padded
  BlockNumbers weights_;                                              ///< 1 / A_kk, likewise
  Kept kept_;
  BlockNumbers stacks_[2];  ///< scaled rows of contacts
};

}  // namespace limber
