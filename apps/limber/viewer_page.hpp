#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace limber::app {

/// Whether this program was built with the viewer.
bool has_viewer_page();

/// The viewer: one HTML text with everything inside. Throws Failure where this program was built without it.
std::string_view viewer_page();

/// The name of a file for people and browsers: what is not UTF-8 is replaced.
std::string display_name(const std::string& path);

/// How many bytes page_with_model takes, names aside.
std::size_t size_with_model(std::string_view page, std::size_t model_bytes);

/// The page with a model inside, which it shows when it opens: the element
///   <script id="limber-model" type="application/octet-stream" data-name=""></script>
/// is given the name and, as its text, the model in base64; the title of the page is replaced. Throws Failure
/// unless the page has that element once and empty, and a title.
std::string page_with_model(std::string_view page, std::string_view model, std::string_view name,
                            std::string_view title);

}  // namespace limber::app
