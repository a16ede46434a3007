// What documents state is what the command prints: counts of elements, sizes of files.

#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

#include <regex>

namespace limber::documents_test {
namespace {

using nlohmann::json;
using test::run_limber;
using test::ScratchFolder;

std::string document(std::string_view name) {
  return read_file(fmt::format("{}/{}", LIMBER_SOURCE_DIR, name));
}

/// 30239 for "30,239".
std::int64_t number_in(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

/// A row of the table of built-in bodies.
struct StatedBody {
  std::string name;
  std::int64_t elements;
};

std::vector<StatedBody> stated_bodies() {
  static const std::regex row(R"(\| `(\w+)` \| [^|]* \| ([0-9,]+) \| [^|]* x [^|]* \|)");
  const std::string text = document("docs/bodies.md");
  std::vector<StatedBody> bodies;
  for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found)
    bodies.push_back({(*found)[1], number_in((*found)[2])});
  return bodies;
}

class StatedBodies : public testing::TestWithParam<StatedBody> {};

TEST_P(StatedBodies, HaveSoManyElements) {
  const ScratchFolder folder;
  const auto& [name, elements] = GetParam();
  const auto result = run_limber(folder.path(), fmt::format("inspect builtin:{} --json", name));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["elements"].get<std::int64_t>(), elements) << "docs/bodies.md";
}

INSTANTIATE_TEST_SUITE_P(Documents, StatedBodies, testing::ValuesIn(stated_bodies()),
                         [](const auto& one) { return one.param.name; });

TEST(Documents, ListAllBuiltinBodies) { EXPECT_EQ(stated_bodies().size(), 13u); }

#ifdef LIMBER_VIEWER_PAGE

TEST(Documents, StateTheSizeOfTheDemosPage) {
  static const std::regex size(R"((\d+) MB)");
  const ScratchFolder folder;
  const auto result = run_limber(folder.path(), "export builtin:octopus -o page.html --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const double written = json::parse(result.out)["file_bytes"].get<double>() / 1e6;
  for (const auto& [name, before] :
       {std::pair("README.md", "one file of "), {"docs/viewer.md", "at rank 30: "}}) {
    const std::string text = document(name);
    const std::size_t place = text.find(before);
    ASSERT_NE(place, std::string::npos) << name;
    std::smatch found;
    const std::string rest = text.substr(place, 40);
    ASSERT_TRUE(std::regex_search(rest, found, size)) << name << ": " << rest;
    EXPECT_NEAR(std::stod(found[1]), written, 0.03 * written) << name;
  }
}

TEST(Documents, StateTheSizeOfTheViewersPage) {
  static const std::regex size(R"(one HTML file of (\d+\.\d) MB)");
  const std::string text = document("docs/viewer.md");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, size));
  EXPECT_NEAR(std::stod(found[1]), static_cast<double>(read_file(LIMBER_VIEWER_PAGE).size()) / 1e6, 0.05);
}

#endif

}  // namespace
}  // namespace limber::documents_test
