#include "limber/io/gltf_json.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <nlohmann/json.hpp>

namespace limber {
namespace {

/// A value as a message quotes it: long ones shortened, containers by their kind only.
std::string json_text(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return printable(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void JsonValue::fail(std::string_view text) const {
  if (path_.empty()) throw Error("{}: {}", where_, text);
  throw Error("{}: {}: {}", where_, path_, text);
}

void JsonValue::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, json_text(*value_)));
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!value_->is_object()) fail_expected("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonValue(*found, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", printable(key)), where_);
}

JsonValue JsonValue::at(std::string_view key) const {
  std::optional<JsonValue> found = find(key);
  if (!found) fail(fmt::format("'{}' is missing", key));
  return *std::move(found);
}

std::size_t JsonValue::size() const {
  if (!value_->is_array()) fail_expected("a list");
  return value_->size();
}

JsonValue JsonValue::at(std::size_t item) const {
  if (item >= size()) fail(fmt::format("expected more than {} items, found {}", item, value_->size()));
  return {(*value_)[item], fmt::format("{}[{}]", path_, item), where_};
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
  // Some exporters write integers as 3.0.
  const bool whole =
      value_->is_number_integer() ||
      (value_->is_number_float() && value_->get<double>() == std::floor(value_->get<double>()) &&
       std::abs(value_->get<double>()) < 0x1p53);
  const std::int64_t number = whole ? value_->get<std::int64_t>() : 0;
  if (!whole || number < least || number > most) {
    fail_expected(fmt::format("an integer from {} to {}", least, most));
  }
  return number;
}

double JsonValue::number() const {
  if (!value_->is_number()) fail_expected("a number");
  return value_->get<double>();
}

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) fail_expected("true or false");
  return value_->get<bool>();
}

const std::string& JsonValue::text() const {
  if (!value_->is_string()) fail_expected("a string");
  return value_->get_ref<const std::string&>();
}

std::int64_t JsonValue::integer_or(std::string_view key, std::int64_t least, std::int64_t most,
                                   std::int64_t missing) const {
  const std::optional<JsonValue> found = find(key);
  return found ? found->integer(least, most) : missing;
}

JsonValue JsonValue::item_of(const JsonValue& document, std::string_view list) const {
  const std::optional<JsonValue> items = document.find(list);
  const std::int64_t count = items ? static_cast<std::int64_t>(items->size()) : 0;
  if (count == 0) fail(fmt::format("names item {} of '{}', which has none", json_text(*value_), list));
  return items->at(static_cast<std::size_t>(integer(0, count - 1)));
}

}  // namespace limber
