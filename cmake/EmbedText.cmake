# embed_text(TARGET FILE NAMESPACE NAME): compiles the text of FILE, as it is, into TARGET as
#   namespace NAMESPACE { extern const std::string_view NAME; }
# The source is generated at build time, whenever FILE changes, by this same file run as a script. Megabytes are fine. Lines
# that end in CR LF would lose the CR: such a text does not compile.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(READ "${input}" text)
  file(SIZE "${input}" bytes)
  string(FIND "${text}" ")EMBED\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${input} contains the end mark )EMBED\" of the raw string that is to hold it")
  endif()
  # Raw strings keep everything except carriage returns; and compilers warn of a backslash, blanks and the end of a line.
  string(REPLACE "\r" ")EMBED\" \"\\r\" R\"EMBED(" text "${text}")
  string(REGEX REPLACE "\\\\([ \t]+\n)" "\\\\)EMBED\" R\"EMBED(\\1" text "${text}")
  # The view is given its length: counting the characters of a long text passes the compiler's limit for constants.
  file(WRITE "${output}" "// Generated from ${input} by cmake/EmbedText.cmake; do not edit.
#include <string_view>

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace ${namespace} {
namespace {
constexpr char ${name}_characters[] = R\"EMBED(${text})EMBED\";
static_assert(sizeof ${name}_characters == ${bytes} + 1, \"the text does not survive as a raw string\");
}  // namespace
extern const std::string_view ${name};
constinit const std::string_view ${name}{${name}_characters, ${bytes}};
}  // namespace ${namespace}
")
  return()
endif()

function(embed_text target file namespace name)
  cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE input)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -Dinput=${input} -Doutput=${output} -Dnamespace=${namespace} -Dname=${name}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${input} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding ${file}"
    VERBATIM)
  # A rule belongs to the folder that states it, the target may belong to another one: a target of its own
  # carries the rule across.
  add_custom_target(${target}_${name} DEPENDS ${output})
  add_dependencies(${target} ${target}_${name})
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} TARGET_DIRECTORY ${target} PROPERTIES GENERATED TRUE)
endfunction()
