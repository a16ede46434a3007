#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/json_schema_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace limber {
namespace {

using nlohmann::json;

/// Walks over the text and notes how far it has come: the parser tells its listener about values, not
/// positions.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char*& reached) : at_(at), reached_(&reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Listens to nlohmann's parser and builds the tree. The parser checks the grammar and UTF-8; duplicates,
/// depth and the range of numbers are checked here.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view text, std::string_view where)
      : text_(text), where_(where), reached_(text.data()) {}

  json build() {
    json::sax_parse(Cursor(text_.data(), reached_), Cursor(text_.data() + text_.size(), reached_), this);
    return std::move(root_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail_integer(std::to_string(value));
    }
    return add(value);
  }
  bool number_float(number_float_t value, const string_t& token) override {
    // The parser falls back to a double for an integer that has more than 64 bits.
    if (token.find_first_of(".eE") == std::string::npos) fail_integer(token);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no such thing in text

  bool start_object(std::size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const auto [entry, is_new] = open_.back()->get_ref<json::object_t&>().try_emplace(name);
    if (!is_new) fail(key_start(), fmt::format("key {} appears twice", schema_words::quoted(name)));
    slot_ = &entry->second;
    keys_.back() = name;
    awaits_value_ = true;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    std::string_view reason = error.what();
    reason.remove_prefix(std::min(reason.size(), reason.find("] ") + 2));
    if (reason.starts_with("parse error at")) {
      reason.remove_prefix(std::min(reason.size(), reason.find(": ") + 2));
    }
    const bool of_value =
        reason.starts_with("syntax error while parsing value") || reason.starts_with("number overflow");
    fail(position == 0 ? consumed() - 1 : position - 1,
         (of_value ? place_of_value() : "") + one_line(reason));
  }

 private:
  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json container) {
    if (open_.size() >= max_json_depth) {
      fail(consumed() - 1, fmt::format("more than {} objects and lists inside each other", max_json_depth));
    }
    open_.push_back(place(std::move(container)));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  /// Pointers in open_ stay valid: only the innermost container grows.
  json* place(json value) {
    awaits_value_ = false;
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }

  /// "bodies[0].contact.friction: " where the value of a key is due, or one of a list of a key; else empty.
  [[nodiscard]] std::string place_of_value() const {
    if (open_.empty() || !(awaits_value_ || open_.back()->is_array())) return "";
    std::string text;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const bool last = i + 1 == open_.size();
      if (open_[i]->is_object()) {
        text += (text.empty() ? "" : ".") + printable(keys_[i]);
      } else {  // what is open within a list is in it already
        text += fmt::format("[{}]", open_[i]->size() - (last ? 0 : 1));
      }
    }
    return text + ": ";
  }

  /// Offset just past the last character that the parser has taken.
  [[nodiscard]] std::size_t consumed() const { return static_cast<std::size_t>(reached_ - text_.data()); }

  /// Offset of the opening quote of the key that was just read: the last quote before its closing one that no
  /// backslash escapes.
  [[nodiscard]] std::size_t key_start() const {
    std::size_t start = text_.rfind('"', consumed() - 2);
    while (true) {
      const std::size_t before = text_.find_last_not_of('\\', start - 1);
      if ((start - 1 - before) % 2 == 0) return start;
      start = text_.rfind('"', start - 1);
    }
  }

  /// A reason that quotes the text, fit for a message: the quote may hold any bytes, and many of them.
  static std::string one_line(std::string_view reason) {
    constexpr std::size_t head = 100;
    constexpr std::size_t tail = 50;
    std::string line(reason);
    if (line.size() > head + tail) line = line.substr(0, head) + "..." + line.substr(line.size() - tail);
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
    return line;
  }

  [[noreturn]] void fail_integer(const std::string& token) const {
    // The parser may have looked one character ahead, to see that the number ends.
    const std::size_t start = text_.rfind(token, consumed() - token.size());
    fail(start, fmt::format("integer {} is out of range (64 bits)", one_line(token)));
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    const std::string_view before = text_.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw Error("{}: line {}, column {}: {}", where_, line, column, what);
  }

  std::string_view text_;
  std::string_view where_;
  const char* reached_;
  json root_;
  std::vector<json*> open_;        ///< the containers around the next value, outermost first
  std::vector<std::string> keys_;  ///< the last one read of each of these
  json* slot_ = nullptr;           ///< where the value of the last key goes
  bool awaits_value_ = false;      ///< whether that is due
};

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where) {
  require(text.size() <= max_json_bytes, "{}: {} bytes of JSON, expected at most {}", where, text.size(),
          max_json_bytes);
  require(text.find_first_not_of(" \t\r\n") != std::string_view::npos, "{}: is empty, expected JSON", where);
  return TreeBuilder(text, where).build();
}

}  // namespace limber
