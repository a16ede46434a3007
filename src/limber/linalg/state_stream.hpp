#pragma once

#include "limber/linalg/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// The state of a simulation as bytes, for checkpoints: what is read back has the same bits. Little-endian;
// each value is preceded by a mark of its kind and, for arrays, by its size, so that bytes that do not fit
// are told from those that do.

class StateWriter {
 public:
  void write(double value);
  void write(std::int64_t value);
  void write(std::uint64_t value);
  void write(bool value);
  void write(std::string_view value);
  void write(const Vector& value);
  void write(const Matrix& value);
  void write(const Matrix3X& value);
  void write(const std::vector<int>& value);
  void write(const char*) = delete;                    // would be a bool
  void write_numbers(std::span<const double> values);  ///< as a vector

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }  ///< keeps the memory

 private:
  std::string bytes_;
};

/// Reads in the order of writing. Throws Error, saying where, for bytes that end early, are of another kind,
/// or have sizes that do not fit; never takes more memory than the bytes could fill.
class StateReader {
 public:
  /// where: names the bytes in messages. Keeps a view of them.
  StateReader(std::string_view bytes, std::string_view where);

  void read(double& value);
  void read(std::int64_t& value);
  void read(std::uint64_t& value);
  void read(bool& value);
  void read(std::string& value);
  void read(Vector& value);
  void read(Matrix& value);
  void read(Matrix3X& value);
  void read(std::vector<int>& value);

  /// Throws Error unless all was read.
  void finish() const;

 private:
  [[nodiscard]] std::string_view take(std::uint64_t count);
  [[nodiscard]] std::uint64_t take_natural();
  [[nodiscard]] Index take_count(std::size_t entry);
  void expect(char kind);

  std::string_view bytes_;
  std::string where_;
  std::size_t position_ = 0;
};

}  // namespace limber
