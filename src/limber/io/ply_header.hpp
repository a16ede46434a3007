#pragma once

#include "limber/io/text_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The header of a PLY file: how its values are encoded and which ones follow.
struct PlyHeader {
  enum class Encoding { text, little_endian, big_endian };
  enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

  struct Property {
    std::string name;
    Scalar type{};
    std::optional<Scalar> count_type;  ///< of a list: the type of its length
  };
  struct Element {
    std::string name;
    std::int64_t count = 0;
    std::vector<Property> properties;

    /// The number of the property of this name; nothing where there is none.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view property) const;
  };

  Encoding encoding = Encoding::text;
  std::vector<Element> elements;  ///< in the order of their values; no two have the same name

  [[nodiscard]] const Element* find(std::string_view element) const;
};

/// Bytes of a value in a binary file.
int size_of(PlyHeader::Scalar type);

/// Reads from "ply" to the end of the line "end_header".
PlyHeader read_ply_header(TextSource& source);

}  // namespace limber
