#pragma once

#include "apps/limber/console.hpp"
#include "apps/limber/report_figures.hpp"
#include "limber/draw/color.hpp"
#include "limber/draw/svg_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::app {

/// A text as HTML spells it, whatever bytes it has.
inline std::string escaped(std::string_view text) { return svg_escaped(text); }

/// A column of a table.
struct Column {
  std::string_view title;
  std::string_view kind;  ///< its class in the style sheet: words, number or share
};

/// The page, as it grows.
class Page {
 public:
  /// Arguments that come from outside are escaped by the caller.
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(html_), text, std::forward<Args>(args)...);
  }
  void add_text(std::string_view html) { html_ += html; }

  void begin_section(std::string_view name, std::string_view title) {
    add("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", name, title);
    contents_.emplace_back(name, title);
  }
  void end_section() { add("</section>\n"); }

  void add_figure(const Figure& figure) {
    add("<figure><img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\" "
        "/><figcaption>{}</figcaption></figure>\n",
        figure.file, figure.width, figure.height, escaped(figure.alternative), escaped(figure.caption));
  }
  /// Plots carry their captions above.
  void add_plot(const Figure& figure) {
    add("<figure><figcaption>{}</figcaption><img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\" "
        "/></figure>\n",
        escaped(figure.caption), figure.file, figure.width, figure.height, escaped(figure.alternative));
  }
  /// rows: names, and values as HTML.
  void add_facts(std::string_view title, const Rows& rows) {
    add("<div class=\"card\"><table>\n<caption>{}</caption>\n<tbody>\n", title);
    for (const auto& [name, value] : rows) {
      add("<tr><th scope=\"row\">{}</th><td class=\"value\">{}</td></tr>\n", name, value);
    }
    add("</tbody></table></div>\n");
  }
  /// A table with a row of titles, which may be wider than the screen and is then scrolled.
  void begin_table(std::string_view label, std::vector<Column> columns) {
    columns_ = std::move(columns);
    add("<div class=\"card\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>\n<thead><tr>", label);
    for (const Column& column : columns_) {
      add("<th scope=\"col\" class=\"{}\">{}</th>", column.kind, column.title);
    }
    add("</tr></thead>\n<tbody>\n");
  }
  /// cells: HTML, one per column.
  void add_row(const std::vector<std::string>& cells, std::string_view classes = "row") {
    add("<tr class=\"{}\">", classes);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool names_row = c == 0 && columns_[c].kind == "words";
      add("<{0} class=\"{1}\">{2}</{3}>", names_row ? "th scope=\"row\"" : "td", columns_[c].kind, cells[c],
          names_row ? "th" : "td");
    }
    add("</tr>\n");
  }
  void end_table() { add("</tbody></table></div>\n"); }

  /// The colours of pictures.
  void add_scale(std::string_view low, std::string_view high) {
    std::string stops;
    for (int i = 0; i <= 8; ++i) {
      const Color color = viridis(i / 8.0);
      stops += fmt::format("{}#{:02x}{:02x}{:02x}", i == 0 ? "" : ",", to_byte(color.x()), to_byte(color.y()),
                           to_byte(color.z()));
    }
    add("<p class=\"scale\"><span>{}</span><i "
        "style=\"background:linear-gradient(90deg,{})\"></i><span>{}</span></p>\n",
        low, stops, high);
  }

  [[nodiscard]] const std::string& html() const { return html_; }
  [[nodiscard]] const Rows& contents() const { return contents_; }

 private:
  std::string html_;
  std::vector<Column> columns_;  ///< of the table that is being written
  Rows contents_;                ///< names and titles of the sections
};

}  // namespace limber::app
