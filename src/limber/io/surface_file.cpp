#include "limber/io/surface_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/gltf.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/obj.hpp"
#include "limber/io/off.hpp"
#include "limber/io/ply.hpp"
#include "limber/io/stl.hpp"
#include "limber/io/text_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace limber {
namespace {

/// A file in memory and where it lies.
struct FileContent {
  std::string_view bytes;
  std::string_view where;
  std::optional<std::filesystem::path> folder;  ///< of files that it refers to
  FileList* read_from;                          ///< gets these files; may be null
};

/// A format of surface files. To add one, write its functions and list it below.
struct SurfaceFormat {
  std::string_view name;
  std::array<std::string_view, 2> endings;  ///< tell the format where the content does not
  bool (*recognizes)(std::string_view content);
  SurfaceMesh (*parse)(const FileContent& file);
};

SurfaceMesh parse_gltf_file(const FileContent& file) {
  if (!file.folder) return parse_gltf(file.bytes, file.where);
  return parse_gltf(file.bytes, file.where, [&](const std::string& name) {
    note_file(file.read_from, *file.folder / name);
    return read_file(*file.folder / name);
  });
}

constexpr std::array<SurfaceFormat, 5> surface_formats{{
    {"PLY", {".ply"}, looks_like_ply, [](const FileContent& f) { return parse_ply(f.bytes, f.where); }},
    {"glTF", {".glb", ".gltf"}, looks_like_gltf, parse_gltf_file},
    {"STL", {".stl"}, looks_like_stl, [](const FileContent& f) { return parse_stl(f.bytes, f.where); }},
    {"OFF", {".off"}, looks_like_off, [](const FileContent& f) { return parse_off(f.bytes, f.where); }},
    {"OBJ", {".obj"}, looks_like_obj, [](const FileContent& f) { return parse_obj(f.bytes, f.where); }},
}};

std::string lower_case_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

const SurfaceFormat& detect_format(const FileContent& file) {
  require(file.bytes.find_first_not_of(" \t\r\n") != std::string_view::npos,
          "{}: is empty, expected a surface", file.where);
  auto format = std::find_if(surface_formats.begin(), surface_formats.end(),
                             [&](const SurfaceFormat& f) { return f.recognizes(file.bytes); });
  if (format == surface_formats.end()) {
    const std::string ending = lower_case_ending(file.where);
    format = std::find_if(surface_formats.begin(), surface_formats.end(), [&](const SurfaceFormat& f) {
      return !ending.empty() && std::find(f.endings.begin(), f.endings.end(), ending) != f.endings.end();
    });
  }
  require(
      format != surface_formats.end(),
      "{}: is no surface that limber reads, it starts with '{}'; convert it to one of {}, e.g. with meshio "
      "or Blender",
      file.where, printable(file.bytes.substr(0, file.bytes.find('\n'))), surface_format_names());
  return *format;
}

/// Whether a text ends its lines with "\r" alone, as those of old Macs do.
bool has_only_carriage_returns(std::string_view content) {
  return content.find('\n') == std::string_view::npos && content.find('\0') == std::string_view::npos &&
         content.find('\r') != std::string_view::npos;
}

SurfaceMesh parse(FileContent file, const SurfaceReadOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (file.bytes.starts_with(byte_order_mark)) file.bytes.remove_prefix(byte_order_mark.size());
  std::string converted;
  if (has_only_carriage_returns(file.bytes)) {
    converted = file.bytes;
    std::replace(converted.begin(), converted.end(), '\r', '\n');
    file.bytes = converted;
  }
  SurfaceMesh surface = detect_format(file).parse(file);
  check_surface(surface, file.where);
  if (options.merge_vertices) merge_vertices(surface, 0.0);
  return surface;
}

}  // namespace

SurfaceMesh parse_surface(std::string_view content, std::string_view where,
                          const SurfaceReadOptions& options) {
  return parse({content, where, std::nullopt, nullptr}, options);
}

SurfaceMesh read_surface(const std::filesystem::path& path, const SurfaceReadOptions& options,
                         FileList* read_from) {
  note_file(read_from, path);
  const std::string content = read_file(path);
  const std::string where = path.string();
  return parse({content, where, path.parent_path(), read_from}, options);
}

bool looks_like_surface(std::string_view content) {
  return std::any_of(surface_formats.begin(), surface_formats.end(),
                     [&](const SurfaceFormat& f) { return f.recognizes(content); });
}

bool is_surface_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const std::string content = read_file(path);
  return looks_like_surface(content) || (has_surface_extension(path) && !looks_like_mesh(content));
}

bool has_surface_extension(const std::filesystem::path& path) {
  const std::string ending = lower_case_ending(path);
  return !ending.empty() &&
         std::any_of(surface_formats.begin(), surface_formats.end(), [&](const SurfaceFormat& f) {
           return std::find(f.endings.begin(), f.endings.end(), ending) != f.endings.end();
         });
}

void write_surface(const std::filesystem::path& path, const SurfaceMesh& surface) {
  const std::string ending = lower_case_ending(path);
  const std::string where = path.string();
  if (ending == ".obj") return write_file(path, encode_obj(surface, where));
  if (ending == ".stl") return write_file(path, encode_stl(surface, where));
  if (ending == ".ply") return write_file(path, encode_ply(surface, where));
  if (ending == ".off") return write_file(path, encode_off(surface, where));
  if (ending == ".glb") return write_file(path, encode_glb(surface, where));
  throw Error(
      "{}: limber writes surfaces as .obj, .stl, .ply, .off or .glb, not as '{}'; choose one of these "
      "endings",
      where, ending);
}

UpAxis usual_up(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path)) return looks_like_gltf(read_file(path)) ? UpAxis::y : UpAxis::z;
  const std::string ending = lower_case_ending(path);
  return ending == ".glb" || ending == ".gltf" ? UpAxis::y : UpAxis::z;
}

std::string surface_format_names() {
  std::vector<std::string_view> names;
  for (const SurfaceFormat& format : surface_formats) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace limber
