#include "apps/limber/option_uses.hpp"

#include "limber/io/scene_uses.hpp"

#include <fmt/format.h>

namespace limber::app {

std::set<std::string> stated_options(const CLI::App& parser) {
  std::set<std::string> stated;
  for (const CLI::Option* option : parser.get_options()) {
    if (option->count() > 0) stated.insert(option->get_name());
  }
  return stated;
}

void check_options(std::string_view command, const std::set<std::string>& stated,
                   const std::vector<OptionUse>& uses) {
  for (const OptionUse& use : uses) {
    if (!use.used && stated.contains(std::string(use.option)))
      refuse_unused(fmt::format("{}: {}", command, use.option), use.whose, use.used_by);
  }
}

}  // namespace limber::app
