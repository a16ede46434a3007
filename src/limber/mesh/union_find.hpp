#pragma once

#include "limber/linalg/types.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace limber {

/// Groups of the numbers 0 to n - 1 that grow by joining. The root of a group is its least member, whatever
/// the order of joining.
class UnionFind {
 public:
  explicit UnionFind(Index count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  [[nodiscard]] int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  [[nodiscard]] bool is_root(int i) const { return parent_[i] == i; }

 private:
  std::vector<int> parent_;
};

}  // namespace limber
