#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace limber {

// One schema, src/limber/io/scene_schema.json, describes every key of a scene file: its type, default, range
// and meaning. It is standard JSON Schema (a subset of the 2020-12 vocabulary), so that editors can use it
// directly; here it drives validation, defaults and the reference page docs/scene.md. Understood keywords:
// type, properties, required, additionalProperties, default, description, enum, minimum, exclusiveMinimum,
// maximum, exclusiveMaximum, items, minItems, maxItems, minLength, anyOf, $defs, $ref (beside a $ref, only
// default and description), title and examples. Which scenes have a use for a key is said by keywords of
// limber's own (scene_uses.hpp), which other programs pass over.

/// The schema of scene files, its keys in the order of the file.
const nlohmann::ordered_json& scene_schema();

inline constexpr std::size_t max_json_depth = 64;  ///< objects and lists inside each other
inline constexpr std::size_t max_json_bytes = std::size_t{256}
                                              << 20;  ///< a tree takes up to 25 times its text

/// The value that `text` spells in strict JSON. Throws Error, one line with the line and the column (in
/// bytes, from 1) where reading stopped, for anything else, and also for a key that appears twice in an
/// object, numbers that overflow (integers: 64 bits), and text that is deeper or longer than the limits
/// above. where: the name of the document in messages, e.g. its path.
nlohmann::json parse_json(std::string_view text, std::string_view where);

/// `value` with all defaults of the schema filled in, those inside filled-in objects included; a number such
/// as 2.0 becomes 2 where an integer is expected. Throws Error, one line with the path in the document, at
/// the first violation: "beam.json: bodies[0].material: unknown key 'yuong'; did you mean 'young'?". where:
/// the name of the document in messages; may be empty.
nlohmann::json validate(const nlohmann::ordered_json& schema, const nlohmann::json& value,
                        std::string_view where);

/// The reference page of a schema in GitHub's Markdown: title, description and example, then one table of
/// keys for the document and for every object in $defs.
std::string schema_to_markdown(const nlohmann::ordered_json& schema);

}  // namespace limber
