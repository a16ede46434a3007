#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace limber {

/// A value of a JSON document together with its path, so that whatever is wrong with it is said in one line:
/// "cube.glb: accessors[3].count: expected an integer from 1 to 99, found -2". Keeps views of the document
/// and of the name `where`.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& value, std::string path, std::string_view where)
      : value_(&value), path_(std::move(path)), where_(where) {}

  [[nodiscard]] const nlohmann::json& json() const { return *value_; }

  /// The value of a key; nothing where the key is missing. Throws unless this is an object.
  [[nodiscard]] std::optional<JsonValue> find(std::string_view key) const;
  /// The value of a key that must be there.
  [[nodiscard]] JsonValue at(std::string_view key) const;
  /// The length; throws unless this is a list.
  [[nodiscard]] std::size_t size() const;
  /// The item of a list, which must be there.
  [[nodiscard]] JsonValue at(std::size_t item) const;

  /// The value itself; throws unless it is of that kind and in range.
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::string& text() const;

  /// The integer of a key, `missing` where there is none.
  [[nodiscard]] std::int64_t integer_or(std::string_view key, std::int64_t least, std::int64_t most,
                                        std::int64_t missing) const;
  /// The item of the list `document.lists[...]` that this value is the number of.
  [[nodiscard]] JsonValue item_of(const JsonValue& document, std::string_view list) const;

  /// Throws Error that names the document, the path and the text.
  [[noreturn]] void fail(std::string_view text) const;

 private:
  [[noreturn]] void fail_expected(std::string_view what) const;

  const nlohmann::json* value_;
  std::string path_;
  std::string_view where_;
};

}  // namespace limber
