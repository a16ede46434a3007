#include "limber/io/gltf_container.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/json_schema.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace limber {
namespace {

constexpr std::string_view glb_magic = "glTF";
constexpr std::uint32_t json_chunk = 0x4E4F534A;  ///< "JSON"
constexpr std::uint32_t data_chunk = 0x004E4942;  ///< "BIN"

std::uint32_t load_uint32(std::string_view bytes, std::size_t at) {
  return load_number<std::uint32_t>(bytes.substr(at), ByteOrder::little);
}

/// The bytes that a text in base 64 stands for; nothing where it is not valid.
std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> value{};
  value.fill(-1);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    value[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
  }
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const int digit = value[static_cast<unsigned char>(c)];
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes += static_cast<char>(bits >> bit_count & 0xff);
    }
  }
  return bytes;
}

/// "a%20b" as "a b"; nothing where the digits are wrong.
std::optional<std::string> decode_percent(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(16 * high + low);
    i += 2;
  }
  return decoded;
}

/// A path below the folder of the document, and nowhere else.
bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  const bool climbs = std::any_of(path.begin(), path.end(), [](const auto& step) { return step == ".."; });
  return !name.empty() && !climbs && !path.is_absolute() &&
         name.find_first_of(std::string_view(":\\\0", 3)) == std::string::npos;
}

}  // namespace

bool looks_like_gltf(std::string_view content) {
  if (content.starts_with(glb_magic)) return true;
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{' &&
         content.find("\"asset\"") != std::string_view::npos;
}

GltfContainer::GltfContainer(std::string_view content, std::string_view where, const FileLoader& load)
    : where_(where), total_bytes_(content.size()) {
  if (content.starts_with(glb_magic)) {
    read_chunks(content);
  } else {
    document_ = parse_json(content, where);
  }
  const JsonValue version = root().at("asset").at("version");
  if (!version.text().starts_with("2.")) {
    version.fail(fmt::format("glTF {} is not read, expected 2.0", printable(version.text())));
  }
  read_buffers(load);
}

void GltfContainer::read_chunks(std::string_view content) {
  constexpr std::size_t header = 12;
  constexpr std::size_t chunk_header = 8;
  require(content.size() >= header + chunk_header,
          "{}: byte {}: the file ends in its header; it is truncated, so copy or export it anew", where_,
          content.size());
  const std::uint32_t version = load_uint32(content, 4);
  require(version == 2, "{}: byte 4: the container has version {}, expected 2", where_, version);
  const std::uint32_t length = load_uint32(content, 8);
  require(
      length == content.size(),
      "{}: byte 8: announces {} bytes, but the file has {}; it is truncated or damaged, so copy or export it "
      "anew",
      where_, length, content.size());
  std::optional<std::string_view> text;
  for (std::size_t at = header; at < content.size();) {
    const std::size_t left = content.size() - at;
    const std::uint32_t bytes = left >= chunk_header ? load_uint32(content, at) : 0;
    require(left >= chunk_header && bytes <= left - chunk_header,
            "{}: byte {}: a chunk of {} bytes, but only {} follow; the file is damaged, so copy or export it "
            "anew",
            where_, at, bytes, left - std::min(left, chunk_header));
    const std::uint32_t kind = load_uint32(content, at + 4);
    const std::string_view chunk = content.substr(at + chunk_header, bytes);
    require(text || kind == json_chunk, "{}: byte {}: expected the JSON chunk first", where_, at);
    if (!text) {
      text = chunk;
    } else if (kind == data_chunk && !chunk_) {
      chunk_ = chunk;
    }
    at += chunk_header + bytes;
  }
  document_ = parse_json(*text, fmt::format("{}: JSON chunk", where_));
}

void GltfContainer::read_buffers(const FileLoader& load) {
  const std::optional<JsonValue> buffers = root().find("buffers");
  if (!buffers) return;
  loaded_.reserve(buffers->size());  // views of its strings are kept
  for (std::size_t b = 0; b < buffers->size(); ++b) {
    const JsonValue buffer = buffers->at(b);
    const std::int64_t length = buffer.at("byteLength").integer(1, std::int64_t{1} << 40);
    const std::string_view content = buffer_content(buffer, load);
    if (static_cast<std::uint64_t>(length) > content.size()) {
      buffer.fail(fmt::format(
          "byteLength is {}, but there are {} bytes; the file is truncated or damaged, so copy or "
          "export it anew",
          length, content.size()));
    }
    buffers_.push_back(content.substr(0, static_cast<std::size_t>(length)));
  }
}

std::string_view GltfContainer::buffer_content(const JsonValue& buffer, const FileLoader& load) {
  const std::optional<JsonValue> uri = buffer.find("uri");
  if (!uri) {
    if (const auto extensions = buffer.find("extensions");
        extensions && extensions->find("EXT_meshopt_compression")) {
      buffer.fail(
          "is compressed (EXT_meshopt_compression); export without compression, or run 'gltf-transform copy' "
          "on the file");
    }
    if (!buffers_.empty() || !chunk_) buffer.fail("has no uri, and there is no binary chunk for it");
    return *chunk_;
  }
  const std::string& text = uri->text();
  if (text.starts_with("data:")) {
    const std::size_t comma = std::min(text.find(','), text.size() - 1);
    const bool base64 = std::string_view(text).substr(0, comma).ends_with(";base64");
    std::optional<std::string> bytes;
    if (base64) bytes = decode_base64(std::string_view(text).substr(comma + 1));
    if (!bytes) uri->fail("expected data in base 64; it is damaged, so copy or export the file anew");
    return loaded_.emplace_back(*std::move(bytes));
  }
  const std::optional<std::string> name = decode_percent(text);
  if (!name || !stays_below(*name)) {
    uri->fail(fmt::format("expected a file in the folder of the document, found '{}'; put it there",
                          printable(text)));
  }
  if (!load) {
    uri->fail(fmt::format("the data is in another file, '{}', which is out of reach here; use .glb",
                          printable(*name)));
  }
  // Many buffers may name one file.
  if (const auto known = files_.find(*name); known != files_.end()) return loaded_[known->second];
  files_.emplace(*name, loaded_.size());
  loaded_.push_back(load(*name));
  total_bytes_ += loaded_.back().size();
  return loaded_.back();
}

}  // namespace limber
