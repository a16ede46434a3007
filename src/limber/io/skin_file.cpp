#include "limber/io/skin_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace limber {
namespace {

constexpr double sum_tolerance = 1e-6;  ///< weights are often written with seven digits

/// Takes the lines of a file one after another.
class WeightLines {
 public:
  WeightLines(std::span<const std::string> bones, Index vertices, std::string_view where)
      : bones_(bones),
        where_(where),
        weights_(Matrix::Constant(static_cast<Index>(bones.size()), vertices, none)) {}

  void take(std::string_view line);
  [[nodiscard]] Matrix finish() &&;

 private:
  static constexpr double none = -1.0;  ///< no line yet
  [[nodiscard]] Index find_bone(std::string_view word) const;

  std::span<const std::string> bones_;
  std::string_view where_;
  Index line_ = 0;  ///< of the file, from 1
  Matrix weights_;
};

Index WeightLines::find_bone(std::string_view word) const {
  const auto found = std::find(bones_.begin(), bones_.end(), word);
  if (!word.empty() && found != bones_.end()) return found - bones_.begin();
  const std::optional<int> number = parse_integer(word);
  if (number && *number >= 0 && *number < static_cast<int>(bones_.size())) return *number;
  const std::vector<std::string_view> known(bones_.begin(), bones_.end());
  throw Error("{}: line {}: there is no bone '{}'; {}", where_, line_, printable(word),
              number ? fmt::format("bones are 0 to {}", bones_.size() - 1) : suggestion(word, known));
}

void WeightLines::take(std::string_view line) {
  ++line_;
  line = trimmed(line);
  if (line.empty() || (line_ == 1 && line == "vertex,bone,weight")) return;
  std::vector<std::string_view> words;
  // No more than three words fit; a line of millions of commas is not worth splitting.
  if (std::count(line.begin(), line.end(), ',') == 2) words = split(line, ',');
  require(words.size() == 3, "{}: line {}: expected vertex,bone,weight, found '{}'", where_, line_,
          printable(line));
  const std::optional<int> vertex = parse_integer(trimmed(words[0]));
  require(vertex && *vertex >= 0 && *vertex < weights_.cols(),
          "{}: line {}: there is no vertex '{}'; the mesh has vertices 0 to {}", where_, line_,
          printable(trimmed(words[0])), weights_.cols() - 1);
  const Index bone = find_bone(trimmed(words[1]));
  const std::optional<double> weight = parse_number(trimmed(words[2]));
  require(weight && *weight >= 0.0 && *weight <= 1.0 + sum_tolerance,
          "{}: line {}: the weight is '{}', expected a number from 0 to 1", where_, line_,
          printable(trimmed(words[2])));
  double& entry = weights_(bone, *vertex);
  require(entry == none, "{}: line {}: the weight of bone {} at vertex {} was given before", where_, line_,
          bone, *vertex);
  entry = *weight;
}

Matrix WeightLines::finish() && {
  weights_ = weights_.cwiseMax(0.0);
  for (Index v = 0; v < weights_.cols(); ++v) {
    const double sum = weights_.col(v).sum();
    require(sum > 0.0, "{}: vertex {} has no weights; all {} vertices need some", where_, v, weights_.cols());
    require(std::abs(sum - 1.0) <= sum_tolerance, "{}: the weights of vertex {} add up to {:.9g}, expected 1",
            where_, v, sum);
    weights_.col(v) /= sum;
  }
  return std::move(weights_);
}

}  // namespace

Matrix parse_skin_weights(std::string_view text, std::span<const std::string> bones, Index vertices,
                          std::string_view where) {
  WeightLines lines(bones, vertices, where);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.take(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::move(lines).finish();
}

Matrix read_skin_weights(const std::filesystem::path& path, std::span<const std::string> bones,
                         Index vertices) {
  return parse_skin_weights(read_file(path), bones, vertices, path.string());
}

}  // namespace limber
