#pragma once

#include "limber/linalg/types.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber::app {

/// Whether this program was built with the viewer.
bool has_viewer_page();

/// The viewer: one HTML text with everything inside. Throws Failure where this program was built without it.
std::string_view viewer_page();

/// The name of a file for people and browsers: what is not UTF-8 is replaced.
std::string display_name(const std::string& path);

/// A model file for the page.
struct PageModel {
  std::string name;     ///< of its file, UTF-8
  std::string content;  ///< the bytes of the .glb file
};

/// The bodies that the page shows when it opens.
struct PageModels {
  std::vector<PageModel> files;
  std::vector<std::size_t> bodies;  ///< the file of each body: several may be of one
  std::optional<Vector3> gravity;   ///< m/s^2, in force from the start; none: off
};

/// "0,0,-9.81", as the page reads it.
std::string gravity_text(const Vector3& gravity);

/// The models that names stand for, a body for each. `read` gives those of one name: one, of a scene as many
/// as it has bodies; a file that is named again, by whatever path, is read once.
PageModels read_page_models(const std::vector<std::string>& names,
                            const std::function<std::vector<PageModel>(const std::string& name)>& read);

/// How many bytes page_with_models takes, names aside.
std::size_t size_with_models(std::string_view page, const PageModels& models);

/// The page with models inside, one or more bodies, which it shows when it opens: the element
///   <script id="limber-model" type="application/octet-stream" data-name=""></script>
/// is given the name of the first and, as its text, the model in base64. Elements that follow it hold the
/// others, with the ids limber-model-2 and so on; one of a file that another holds names that in data-same-as
/// and has no text. Gravity is in data-gravity of the first. The title of the page is replaced. Throws
/// Failure unless the page has that element once and empty, and a title.
std::string page_with_models(std::string_view page, const PageModels& models, std::string_view title);

}  // namespace limber::app
