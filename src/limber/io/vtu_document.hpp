#pragma once

#include "limber/io/byte_order.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// A DataArray element of a VTK XML file: where its values are and how they are stored.
struct VtuArray {
  enum class Format { ascii, binary, appended };

  std::string section;  ///< the element that holds it: Points, Cells, CellData, PointData or FieldData
  std::string name;
  std::string type;             ///< e.g. "Float64"
  std::int64_t components = 1;  ///< values per point or cell
  Format format = Format::ascii;
  std::int64_t offset = 0;   ///< appended: of its first byte in the appended data
  std::size_t position = 0;  ///< of its tag in the content, for messages
  std::size_t begin = 0;     ///< ascii and binary: of its text in the content
  std::size_t end = 0;       ///< one past that text
};

/// The elements of a VTK XML file of type UnstructuredGrid with one piece. Views refer to the content.
struct VtuDocument {
  std::string_view content;
  std::string_view where;
  ByteOrder order = ByteOrder::little;
  std::size_t header_bytes = 4;  ///< of the integers before the bytes of an array: 4 or 8
  bool compressed = false;       ///< by zlib
  std::int64_t points = 0;       ///< as the piece announces, at least 0
  std::int64_t cells = 0;
  std::vector<VtuArray> arrays;
  std::optional<std::size_t> appended;  ///< where the appended data start, after the underscore
  bool appended_base64 = false;

  /// Throws Error that names the file, the line of that position and the text.
  [[noreturn]] void fail(std::size_t position, std::string_view text) const;
};

/// Finds the elements; throws Error for what is no well-formed file of this kind. Nothing is decoded yet.
VtuDocument scan_vtu(std::string_view content, std::string_view where);

/// All values of an array. Throws Error where the bytes do not hold what they announce; nothing is allocated
/// beyond what they can hold.
std::vector<double> read_vtu_reals(const VtuDocument& document, const VtuArray& array);
std::vector<std::int64_t> read_vtu_integers(const VtuDocument& document, const VtuArray& array);

/// The files that a ParaView collection (.pvd) lists, in its order, one at least; they are relative to its
/// folder. Throws Error for what is no well-formed file of this kind.
std::vector<std::string> scan_pvd(std::string_view content, std::string_view where);

}  // namespace limber
