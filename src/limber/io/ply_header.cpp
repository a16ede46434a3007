#include "limber/io/ply_header.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace limber {
namespace {

using Scalar = PlyHeader::Scalar;

Scalar read_scalar_type(TextSource& source) {
  constexpr std::array<std::pair<std::string_view, Scalar>, 16> names{{{"char", Scalar::int8},
                                                                       {"int8", Scalar::int8},
                                                                       {"uchar", Scalar::uint8},
                                                                       {"uint8", Scalar::uint8},
                                                                       {"short", Scalar::int16},
                                                                       {"int16", Scalar::int16},
                                                                       {"ushort", Scalar::uint16},
                                                                       {"uint16", Scalar::uint16},
                                                                       {"int", Scalar::int32},
                                                                       {"int32", Scalar::int32},
                                                                       {"uint", Scalar::uint32},
                                                                       {"uint32", Scalar::uint32},
                                                                       {"float", Scalar::float32},
                                                                       {"float32", Scalar::float32},
                                                                       {"double", Scalar::float64},
                                                                       {"float64", Scalar::float64}}};
  const std::string_view word = source.read_word("the type of a property");
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == word; });
  if (found == names.end()) {
    source.fail(
        fmt::format("expected the type of a property such as float or int, found '{}'", printable(word)));
  }
  return found->second;
}

PlyHeader::Encoding read_encoding(TextSource& source) {
  const std::string_view word = source.read_word("ascii or binary_little_endian");
  if (word == "ascii") return PlyHeader::Encoding::text;
  if (word == "binary_little_endian") return PlyHeader::Encoding::little_endian;
  if (word == "binary_big_endian") return PlyHeader::Encoding::big_endian;
  source.fail(fmt::format("the format is '{}', expected ascii, binary_little_endian or binary_big_endian",
                          printable(word)));
}

PlyHeader::Property read_property(TextSource& source) {
  PlyHeader::Property property;
  if (source.peek_word() == "list") {
    source.read_word("list");
    property.count_type = read_scalar_type(source);
    if (*property.count_type == Scalar::float32 || *property.count_type == Scalar::float64) {
      source.fail("the length of a list is a real number, expected an integer type");
    }
  }
  property.type = read_scalar_type(source);
  property.name = source.read_word("the name of a property");
  return property;
}

}  // namespace

std::optional<std::size_t> PlyHeader::Element::find(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const Property& p) { return p.name == property; });
  if (found == properties.end()) return std::nullopt;
  return static_cast<std::size_t>(found - properties.begin());
}

const PlyHeader::Element* PlyHeader::find(std::string_view element) const {
  const auto found =
      std::find_if(elements.begin(), elements.end(), [&](const Element& e) { return e.name == element; });
  return found == elements.end() ? nullptr : &*found;
}

int size_of(Scalar type) {
  constexpr std::array<int, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

PlyHeader read_ply_header(TextSource& source) {
  if (source.read_word("ply") != "ply") source.fail("expected 'ply'");
  PlyHeader header;
  bool has_format = false;
  while (true) {
    const std::string_view word = source.read_word("end_header");
    if (word == "comment" || word == "obj_info") {
      source.read_line();
      continue;
    }
    if (word == "end_header") break;
    if (word == "format") {
      header.encoding = read_encoding(source);
      const std::string_view version = source.read_word("the version 1.0");
      if (version != "1.0") source.fail(fmt::format("the version is '{}', expected 1.0", printable(version)));
      has_format = true;
    } else if (word == "element") {
      PlyHeader::Element element;
      element.name = source.read_word("the name of an element");
      if (header.find(element.name) != nullptr) {
        source.fail(fmt::format("a second element '{}'", printable(element.name)));
      }
      element.count = source.read_size(fmt::format("the number of '{}'", printable(element.name)));
      header.elements.push_back(std::move(element));
    } else if (word == "property") {
      if (header.elements.empty()) source.fail("a property before the first element");
      header.elements.back().properties.push_back(read_property(source));
    } else {
      source.fail(fmt::format("expected element, property or end_header, found '{}'", printable(word)));
    }
    source.end_line("a line of the header");
  }
  source.end_line("end_header");
  if (!has_format) source.fail("the header has no line 'format'");
  return header;
}

}  // namespace limber
