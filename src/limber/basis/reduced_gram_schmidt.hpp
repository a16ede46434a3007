#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// A few vertices that stand for the whole mass: u^T M v is nearly  sum_s mass_s u(s) . v(s).
///                                                                                [Yang et al. 2015, Eq. 6]
struct MassSamples {
  std::vector<Index> free_vertex;  ///< numbers among the free vertices (DofMap), ascending
  Vector mass;                     ///< kg, of the cube around each
};

/// The box around the body is cut into cubes, about `count` of which hold vertices that move. Each is stood
/// for by the one nearest to the centre of its mass, with the mass of all vertices in it. (Not nearest to the
/// centre of the cube, as in the paper: cubes that stick out of the body would pull their samples to its
/// surface.)
/// count: 1 or more.  Cost: a few passes over the vertices.
MassSamples sample_mass(const FullModel& model, int count);

struct ReducedGramSchmidtOptions {
  int samples = 0;  ///< about so many vertices; 0: 100 times the logarithm (base 2) of the vertices' number
  double threshold = 1e-3;  ///< cosines below it are left alone  [Yang et al. 2015, section 4.2]
};

/// As the options say.
MassSamples sample_mass(const FullModel& model, const ReducedGramSchmidtOptions& options);

struct ReducedGramSchmidtReport {
  Index samples = 0;
  Index products = 0;  ///< pairs of vectors met
  Index skipped = 0;   ///< of these left alone
};

/// Reduced mass Gram-Schmidt.                                 [Yang et al. 2015, Algorithm 2, Appendix B]
///
/// A growing set of vectors V that are orthonormal in the sampled inner product, but for cosines below a
/// threshold. All decisions are made on the samples, scaled by the square roots of their masses, where a
/// product is a short dot; what is to be subtracted from a block is collected first and then taken off the
/// full vectors in one matrix product.
///
/// The paper's listing is printed with errors that are corrected here: a subtraction is left out when its
/// cosine is SMALL (line 9), it is of the cosine times the length (line 10), and it alone changes the length
/// (line 15).
class ReducedGramSchmidt final {
 public:
  /// rows: of the vectors, 3 per free vertex.  capacity: vectors that it can hold.  threshold: 0 or more,
  /// less than 1.
  ReducedGramSchmidt(MassSamples samples, double threshold, Index rows, Index capacity,
                     const Executor& executor = Executor(1));

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] auto vectors() const { return V_.leftCols(size_); }
  [[nodiscard]] const ReducedGramSchmidtReport& report() const { return report_; }

  /// Appends the columns of W, each made orthogonal to those before it and to unit sampled length; those of
  /// which a share below 1e-8 is left are dropped. Returns how many were kept.  Cost: O(samples) per pair,
  /// and O(rows) per pair in one product.
  Index append(Matrix W);

  /// V without copying; the set is empty afterwards.
  Matrix take_vectors();

 private:
  [[nodiscard]] Matrix gather(const Eigen::Ref<const Matrix>& X) const;
  double subtract_on_samples(Eigen::Ref<Vector> w, Eigen::Ref<Vector> coefficients, Index others);

  MassSamples samples_;
  double threshold_;
  Executor executor_;
  Matrix V_;  ///< the first size_ columns are in use
  Matrix S_;  ///< their samples, times the square roots of the masses: 3 samples x capacity
  Index size_ = 0;
  ReducedGramSchmidtReport report_;
};

}  // namespace limber
