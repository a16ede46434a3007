#include "apps/limber/viewer_page.hpp"

#include "apps/limber/command.hpp"
#include "limber/base/base64.hpp"
#include "limber/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

namespace limber::app {

#ifdef LIMBER_HAS_VIEWER_PAGE
extern const std::string_view viewer_page_text;

bool has_viewer_page() { return true; }
std::string_view viewer_page() { return viewer_page_text; }
#else
bool has_viewer_page() { return false; }
std::string_view viewer_page() {
  throw Failure("this limber was built without the viewer's page; './run build' builds both");
}
#endif

namespace {

/// A script, style, title or text field of a page: elements whose content is text up to their end tag.
struct TextElement {
  std::string name;  ///< in lower case
  std::vector<std::pair<std::string, std::string_view>>
      attributes;         ///< names in lower case, values as written
  std::size_t begin = 0;  ///< where the start tag begins
  std::size_t content_begin = 0;
  std::size_t content_end = 0;

  [[nodiscard]] std::string_view attribute(std::string_view wanted) const {
    for (const auto& [key, value] : attributes) {
      if (key == wanted) return value;
    }
    return {};
  }
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Finds the text elements of a page, in order. Only what well-formed pages need: comments, tags and quoted
/// attributes are stepped over, so that markup inside of scripts, comments and attributes is not taken for
/// elements.
class PageReader {
 public:
  explicit PageReader(std::string_view page) : page_(page) {}

  std::vector<TextElement> text_elements() {
    std::vector<TextElement> found;
    while ((at_ = page_.find('<', at_)) != std::string_view::npos) {
      if (page_.substr(at_).starts_with("<!--")) {
        skip_past("-->");
      } else if (at_ + 1 < page_.size() && std::isalpha(static_cast<unsigned char>(page_[at_ + 1])) != 0) {
        TextElement element = start_tag();
        constexpr std::array<std::string_view, 4> holders{"script", "style", "title", "textarea"};
        if (std::find(holders.begin(), holders.end(), element.name) == holders.end()) continue;
        element.content_begin = at_;
        skip_to_end_tag(element.name);
        element.content_end = at_;
        found.push_back(std::move(element));
      } else {
        ++at_;
      }
    }
    return found;
  }

 private:
  void skip_past(std::string_view mark) {
    const std::size_t found = page_.find(mark, at_);
    at_ = found == std::string_view::npos ? page_.size() : found + mark.size();
  }

  void skip_to_end_tag(std::string_view name) {
    for (; (at_ = page_.find("</", at_)) != std::string_view::npos; at_ += 2) {
      const std::string_view word = page_.substr(at_ + 2, name.size());
      if (std::equal(word.begin(), word.end(), name.begin(), name.end(),
                     [](char a, char b) { return lower(a) == b; })) {
        return;
      }
    }
    at_ = page_.size();
  }

  [[nodiscard]] bool more() const { return at_ < page_.size() && page_[at_] != '>'; }

  /// Up to a blank or one of the marks.
  std::string_view word(std::string_view marks) {
    const std::size_t begin = at_;
    while (more() && !is_blank(page_[at_]) && marks.find(page_[at_]) == std::string_view::npos) ++at_;
    return page_.substr(begin, at_ - begin);
  }

  void skip_blanks() {
    while (at_ < page_.size() && is_blank(page_[at_])) ++at_;
  }

  std::string_view value() {
    skip_blanks();
    if (!more() || (page_[at_] != '"' && page_[at_] != '\'')) return word("");
    const char quote = page_[at_++];
    const std::size_t begin = at_, end = std::min(page_.find(quote, at_), page_.size());
    at_ = std::min(end + 1, page_.size());
    return page_.substr(begin, end - begin);
  }

  /// Reads the tag that begins here and steps past it.
  TextElement start_tag() {
    const auto lowered = [](std::string_view text) {
      std::string result(text);
      std::transform(result.begin(), result.end(), result.begin(), lower);
      return result;
    };
    TextElement element{.begin = at_};
    ++at_;
    element.name = lowered(word("/"));
    for (skip_blanks(); more(); skip_blanks()) {
      std::string key = lowered(word("=/"));
      skip_blanks();
      const bool has_value = more() && page_[at_] == '=';
      if (has_value || (more() && page_[at_] == '/')) ++at_;
      const std::string_view text = has_value ? value() : std::string_view();
      if (!key.empty()) element.attributes.emplace_back(std::move(key), text);
    }
    at_ = std::min(at_ + 1, page_.size());
    return element;
  }

  std::string_view page_;
  std::size_t at_ = 0;
};

void append_escaped(std::string& html, std::string_view text) {
  for (const char c : text) {
    if (const std::string_view entity = xml_entity(c); entity.empty()) {
      html += c;
    } else {
      html += entity;
    }
  }
}

/// The id of the element that holds a body's model.
std::string element_id(std::size_t body) {
  return body == 0 ? "limber-model" : fmt::format("limber-model-{}", body + 1);
}

/// The start tag of the placeholder for a body: with its id and name, and the element that holds its file
/// where that is another one. Other attributes stay.
void append_start_tag(std::string& html, const TextElement& placeholder, const PageModels& models,
                      std::size_t body, std::size_t holder) {
  html += "<script";
  for (const auto& [key, value] : placeholder.attributes) {
    if (key == "data-name" || key == "data-same-as" || key == "data-gravity") continue;
    html += fmt::format(" {}=\"", key);
    if (key == "id") {
      html += element_id(body);
    } else {
      for (const char c : value)
        html += c == '"' ? "&quot;" : std::string(1, c);  // the rest is escaped already
    }
    html += '"';
  }
  if (holder != body) html += fmt::format(" data-same-as=\"{}\"", element_id(holder));
  if (body == 0 && models.gravity) html += fmt::format(" data-gravity=\"{}\"", gravity_text(*models.gravity));
  html += " data-name=\"";
  append_escaped(html, models.files[models.bodies[body]].name);
  html += "\">";
}

/// The elements of all bodies, but for the end tag of the last: that is the placeholder's.
void append_models(std::string& html, const TextElement& placeholder, const PageModels& models) {
  const auto& bodies = models.bodies;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const auto holder =
        static_cast<std::size_t>(std::find(bodies.begin(), bodies.end(), bodies[body]) - bodies.begin());
    if (body > 0) html += "</script>";
    append_start_tag(html, placeholder, models, body, holder);
    if (holder == body) append_base64(html, models.files[bodies[body]].content);
  }
}

TextElement find_placeholder(std::string_view page, const std::vector<TextElement>& elements) {
  const auto is_placeholder = [](const TextElement& element) {
    return element.name == "script" && element.attribute("id") == "limber-model";
  };
  const auto count = std::count_if(elements.begin(), elements.end(), is_placeholder);
  if (count != 1) {
    throw Failure(
        fmt::format("internal error: the viewer's page has {} places for a model, expected 1", count));
  }
  const TextElement& found = *std::find_if(elements.begin(), elements.end(), is_placeholder);
  const std::string_view content = page.substr(found.content_begin, found.content_end - found.content_begin);
  if (!std::all_of(content.begin(), content.end(), is_blank)) {
    throw Failure("internal error: the place for a model in the viewer's page is not empty");
  }
  return found;
}

/// The first title: drawings further down may have titles too.
TextElement find_title(const std::vector<TextElement>& elements) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [](const TextElement& element) { return element.name == "title"; });
  if (found == elements.end()) throw Failure("internal error: the viewer's page has no title");
  return *found;
}

/// A part of the page and what takes its place.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::function<void(std::string&)> write;
};

}  // namespace

std::string display_name(const std::string& path) {
  using nlohmann::json;
  const json name = std::filesystem::path(path).filename().string();
  return json::parse(name.dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string gravity_text(const Vector3& gravity) {
  return fmt::format("{},{},{}", gravity.x(), gravity.y(), gravity.z());
}

PageModels read_page_models(const std::vector<std::string>& names,
                            const std::function<std::vector<PageModel>(const std::string& name)>& read) {
  /// A name by which models were read, and which of the files these are.
  struct Seen {
    std::string name;
    std::size_t begin, end;
  };
  PageModels models;
  std::vector<Seen> seen;
  for (const std::string& name : names) {
    auto same = std::find_if(seen.begin(), seen.end(), [&](const Seen& other) {
      std::error_code problem;
      return other.name == name || std::filesystem::equivalent(other.name, name, problem);
    });
    if (same == seen.end()) {
      const std::size_t begin = models.files.size();
      for (PageModel& model : read(name)) models.files.push_back(std::move(model));
      same = seen.insert(seen.end(), {name, begin, models.files.size()});
    }
    for (std::size_t i = same->begin; i < same->end; ++i) models.bodies.push_back(i);
  }
  return models;
}

std::size_t size_with_models(std::string_view page, const PageModels& models) {
  std::size_t bytes = page.size();
  for (const PageModel& file : models.files) bytes += (file.content.size() + 2) / 3 * 4;
  return bytes;
}

std::string page_with_models(std::string_view page, const PageModels& models, std::string_view title) {
  const std::vector<TextElement> elements = PageReader(page).text_elements();
  const TextElement placeholder = find_placeholder(page, elements), old_title = find_title(elements);
  const Edit edit_title{old_title.content_begin, old_title.content_end,
                        [&](std::string& html) { append_escaped(html, title); }};
  const Edit edit_models{placeholder.begin, placeholder.content_end,
                         [&](std::string& html) { append_models(html, placeholder, models); }};
  const bool title_first = old_title.begin < placeholder.begin;
  std::string html;
  html.reserve(size_with_models(page, models) + 6 * title.size() + 1024 * models.bodies.size());
  std::size_t done = 0;
  for (const Edit* edit :
       {title_first ? &edit_title : &edit_models, title_first ? &edit_models : &edit_title}) {
    html += page.substr(done, edit->begin - done);
    edit->write(html);
    done = edit->end;
  }
  html += page.substr(done);
  return html;
}

}  // namespace limber::app
