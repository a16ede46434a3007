#pragma once

#include <string>
#include <string_view>

namespace limber {

/// Appends bytes in base64 with padding: four characters for three bytes.          [RFC 4648, section 4]
void append_base64(std::string& text, std::string_view bytes);

}  // namespace limber
