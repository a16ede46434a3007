#include "limber/contact/block_cholesky.hpp"

#include <algorithm>
#include <cassert>

namespace limber {
namespace {

void insert_sorted(std::vector<int>& list, int value) {
  const auto place = std::lower_bound(list.begin(), list.end(), value);
  if (place == list.end() || *place != value) list.insert(place, value);
}

void erase_sorted(std::vector<int>& list, int value) {
  list.erase(std::lower_bound(list.begin(), list.end(), value));
}

}  // namespace

void BlockCholesky::analyze(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs) {
  sizes_.assign(sizes.begin(), sizes.end());
  offsets_.resize(sizes_.size());
  padded_total_ = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    offsets_[i] = padded_total_;
    padded_total_ += padded_rows(sizes_[i]);
  }
  order_blocks(pairs);
  place_numbers();
}

/// Greedily by the number of neighbours, those that fill in included; of equals the first, so that the order
/// is the same each time. Who is eliminated makes its neighbours neighbours of each other.
void BlockCholesky::order_blocks(std::span<const std::pair<int, int>> pairs) {
  const auto count = static_cast<int>(sizes_.size());
  neighbours_.resize(sizes_.size());
  for (std::vector<int>& list : neighbours_) list.clear();
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    insert_sorted(neighbours_[at(i)], j);
    insert_sorted(neighbours_[at(j)], i);
  }
  order_.clear();
  turn_.assign(sizes_.size(), -1);
  columns_.resize(sizes_.size());
  while (static_cast<int>(order_.size()) < count) {
    int next = -1;
    for (int i = 0; i < count; ++i) {
      if (turn_[at(i)] < 0 && (next < 0 || neighbours_[at(i)].size() < neighbours_[at(next)].size()))
        next = i;
    }
    turn_[at(next)] = static_cast<int>(order_.size());
    order_.push_back(next);
    const std::vector<int>& left = neighbours_[at(next)];
    columns_[at(next)].rows.clear();
    for (const int i : left) {
      columns_[at(next)].rows.push_back({i, 0});
      erase_sorted(neighbours_[at(i)], next);
      for (const int j : left)
        if (j != i) insert_sorted(neighbours_[at(i)], j);
    }
  }
}

void BlockCholesky::place_numbers() {
  std::size_t total = 0;
  const auto take = [&](int rows, int columns) {
    const std::size_t first = total;
    total += static_cast<std::size_t>(padded_rows(rows)) * static_cast<std::size_t>(columns);
    return first;
  };
  for (const int j : order_) {
    Column& column = columns_[at(j)];
    column.diagonal = take(sizes_[at(j)], sizes_[at(j)]);
    std::sort(column.rows.begin(), column.rows.end(),
              [&](const Row& a, const Row& b) { return turn_[at(a.body)] < turn_[at(b.body)]; });
    for (Row& row : column.rows) row.first = take(sizes_[at(row.body)], sizes_[at(j)]);
  }
  numbers_.assign(total, 0.0);
}

void BlockCholesky::clear_off_diagonal() {
  for (const int j : order_) {
    const Column& column = columns_[at(j)];
    if (column.rows.empty()) continue;
    // They follow each other.
    const Row& last = column.rows.back();
    const std::size_t count = at(padded_rows(sizes_[at(last.body)])) * at(sizes_[at(j)]);
    double* const first = numbers_.data() + column.rows.front().first;
    std::fill(first, numbers_.data() + last.first + count, 0.0);
  }
}

double* BlockCholesky::numbers_of(int row, int column) {
  const Column& found = columns_[at(column)];
  if (row == column) return numbers_.data() + found.diagonal;
  const auto place = std::lower_bound(found.rows.begin(), found.rows.end(), turn_[at(row)],
                                      [&](const Row& a, int turn) { return turn_[at(a.body)] < turn; });
  assert(place != found.rows.end() && place->body == row);
  return numbers_.data() + place->first;
}

int BlockCholesky::block_count() const {
  int count = 0;
  for (const Column& column : columns_) count += 1 + static_cast<int>(column.rows.size());
  return count;
}

bool BlockCholesky::factor() {
  for (const int j : order_) {
    const Column& column = columns_[at(j)];
    const int n = sizes_[at(j)];
    const double* const L = numbers_.data() + column.diagonal;
    if (!factor_block(numbers_.data() + column.diagonal, n)) return false;
    for (const Row& row : column.rows)
      solve_block_right(L, n, numbers_.data() + row.first, sizes_[at(row.body)]);
    // What is left of the blocks between the rows of this column.
    for (std::size_t a = 0; a < column.rows.size(); ++a) {
      const Row& right = column.rows[a];
      for (std::size_t b = a; b < column.rows.size(); ++b) {
        const Row& left = column.rows[b];
        add_product(-1.0, numbers_.data() + left.first, numbers_.data() + right.first, sizes_[at(left.body)],
                    sizes_[at(right.body)], n, a == b, numbers_of(left.body, right.body));
      }
    }
  }
  return true;
}

void BlockCholesky::solve(std::span<double> x) const {
  for (const int j : order_) {
    const Column& column = columns_[at(j)];
    const int n = sizes_[at(j)];
    double* const own = x.data() + offsets_[at(j)];
    solve_block_lower(numbers_.data() + column.diagonal, n, own);
    for (const Row& row : column.rows)
      add_block(-1.0, numbers_.data() + row.first, sizes_[at(row.body)], n, own,
                x.data() + offsets_[at(row.body)]);
  }
  for (auto turn = order_.rbegin(); turn != order_.rend(); ++turn) {
    const Column& column = columns_[at(*turn)];
    const int n = sizes_[at(*turn)];
    double* const own = x.data() + offsets_[at(*turn)];
    for (const Row& row : column.rows)
      add_block_transposed(-1.0, numbers_.data() + row.first, sizes_[at(row.body)], n,
                           x.data() + offsets_[at(row.body)], own);
    solve_block_upper(numbers_.data() + column.diagonal, n, own);
  }
}

}  // namespace limber
