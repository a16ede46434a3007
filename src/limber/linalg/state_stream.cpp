#include "limber/linalg/state_stream.hpp"

#include "limber/base/bits.hpp"
#include "limber/base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace limber {
namespace {

enum Kind : char {
  real = 'd',
  integer = 'i',
  natural = 'u',
  truth = 'b',
  text = 's',
  vector = 'v',
  matrix = 'm',
  columns = 'c',
  integers = 'n',
};

const char* kind_name(char kind) {
  switch (kind) {
    case real:
      return "a number";
    case integer:
      return "an integer";
    case natural:
      return "a natural number";
    case truth:
      return "a truth value";
    case text:
      return "a text";
    case vector:
      return "a vector";
    case matrix:
      return "a matrix";
    case columns:
      return "a matrix of three rows";
    case integers:
      return "a list of integers";
    default:
      return "no value";
  }
}

constexpr bool reversed = std::endian::native != std::endian::little;

template <class Number>
void append(std::string& bytes, Number value) {
  auto raw = bits_as<std::array<char, sizeof(Number)>>(value);
  if (reversed) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

template <class Number>
void append_all(std::string& bytes, const Number* first, std::size_t count) {
  if (count == 0) return;
  if (!reversed) {
    bytes.append(reinterpret_cast<const char*>(first), count * sizeof(Number));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) append(bytes, first[i]);
}

template <class Number>
Number loaded(const char* bytes) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), bytes, raw.size());
  if (reversed) std::reverse(raw.begin(), raw.end());
  return bits_as<Number>(raw);
}

template <class Number>
void load_all(std::string_view bytes, Number* first) {
  if (bytes.empty()) return;
  if (!reversed) {
    std::memcpy(first, bytes.data(), bytes.size());
    return;
  }
  for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i)
    first[i] = loaded<Number>(bytes.data() + i * sizeof(Number));
}

void append_size(std::string& bytes, Index size) { append(bytes, static_cast<std::uint64_t>(size)); }

}  // namespace

void StateWriter::write(double value) {
  bytes_.push_back(real);
  append(bytes_, value);
}

void StateWriter::write(std::int64_t value) {
  bytes_.push_back(integer);
  append(bytes_, value);
}

void StateWriter::write(std::uint64_t value) {
  bytes_.push_back(natural);
  append(bytes_, value);
}

void StateWriter::write(bool value) {
  bytes_.push_back(truth);
  bytes_ += value ? '\1' : '\0';
}

void StateWriter::write(std::string_view value) {
  bytes_.push_back(text);
  append_size(bytes_, static_cast<Index>(value.size()));
  bytes_ += value;
}

void StateWriter::write_numbers(std::span<const double> values) {
  bytes_.push_back(vector);
  append_size(bytes_, static_cast<Index>(values.size()));
  append_all(bytes_, values.data(), values.size());
}

void StateWriter::write(const Vector& value) {
  write_numbers({value.data(), static_cast<std::size_t>(value.size())});
}

void StateWriter::write(const Matrix& value) {
  bytes_.push_back(matrix);
  append_size(bytes_, value.rows());
  append_size(bytes_, value.cols());
  append_all(bytes_, value.data(), static_cast<std::size_t>(value.size()));
}

void StateWriter::write(const Matrix3X& value) {
  bytes_.push_back(columns);
  append_size(bytes_, value.cols());
  append_all(bytes_, value.data(), static_cast<std::size_t>(value.size()));
}

void StateWriter::write(const std::vector<int>& value) {
  static_assert(sizeof(int) == 4);
  bytes_.push_back(integers);
  append_size(bytes_, static_cast<Index>(value.size()));
  append_all(bytes_, value.data(), value.size());
}

StateReader::StateReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

std::string_view StateReader::take(std::uint64_t count) {
  require(count <= bytes_.size() - position_, "{}: the state ends at byte {}, {} more expected", where_,
          bytes_.size(), count - (bytes_.size() - position_));
  const std::string_view taken = bytes_.substr(position_, count);
  position_ += count;
  return taken;
}

void StateReader::expect(char kind) {
  require(position_ < bytes_.size(), "{}: the state ends at byte {}, expected {}", where_, position_,
          kind_name(kind));
  require(bytes_[position_] == kind, "{}: the state has {} at byte {}, expected {}", where_,
          kind_name(bytes_[position_]), position_, kind_name(kind));
  ++position_;
}

std::uint64_t StateReader::take_natural() { return loaded<std::uint64_t>(take(8).data()); }

/// The number of entries that follow, of a size each; no more than the bytes that are left can fill.
Index StateReader::take_count(std::size_t entry) {
  const std::size_t at = position_;
  const std::uint64_t count = take_natural();
  const std::uint64_t room = (bytes_.size() - position_) / entry;
  require(count <= room, "{}: the state says at byte {} that {} entries follow, there is room for {}", where_,
          at, count, room);
  return static_cast<Index>(count);
}

void StateReader::read(double& value) {
  expect(real);
  value = loaded<double>(take(8).data());
}

void StateReader::read(std::int64_t& value) {
  expect(integer);
  value = loaded<std::int64_t>(take(8).data());
}

void StateReader::read(std::uint64_t& value) {
  expect(natural);
  value = take_natural();
}

void StateReader::read(bool& value) {
  expect(truth);
  const char byte = take(1).front();
  require(byte == '\0' || byte == '\1', "{}: the state has a truth value of {} at byte {}, expected 0 or 1",
          where_, static_cast<int>(static_cast<unsigned char>(byte)), position_ - 1);
  value = byte == '\1';
}

void StateReader::read(std::string& value) {
  expect(text);
  value = take(static_cast<std::uint64_t>(take_count(1)));
}

void StateReader::read(Vector& value) {
  expect(vector);
  value.resize(take_count(sizeof(double)));
  load_all(take(sizeof(double) * static_cast<std::uint64_t>(value.size())), value.data());
}

void StateReader::read(Matrix& value) {
  expect(matrix);
  const std::size_t at = position_;
  const std::uint64_t rows = take_natural(), cols = take_natural();
  const std::uint64_t room = (bytes_.size() - position_) / sizeof(double);
  // Either may be anything where the other is 0, but no more than Eigen counts to.
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  require(rows <= most && cols <= most && (rows == 0 || cols <= room / rows),
          "{}: the state says at byte {} that a matrix of {} x {} follows, there is room for {} entries",
          where_, at, rows, cols, room);
  value.resize(static_cast<Index>(rows), static_cast<Index>(cols));
  load_all(take(sizeof(double) * rows * cols), value.data());
}

void StateReader::read(Matrix3X& value) {
  expect(columns);
  value.resize(3, take_count(3 * sizeof(double)));
  load_all(take(sizeof(double) * static_cast<std::uint64_t>(value.size())), value.data());
}

void StateReader::read(std::vector<int>& value) {
  expect(integers);
  value.resize(static_cast<std::size_t>(take_count(sizeof(int))));
  load_all(take(sizeof(int) * value.size()), value.data());
}

void StateReader::finish() const {
  require(position_ == bytes_.size(), "{}: the state has {} bytes more than expected", where_,
          bytes_.size() - position_);
}

}  // namespace limber
