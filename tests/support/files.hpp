#pragma once

#include "limber/base/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

namespace limber::test {

/// The text of the Error that `action` throws, one line; a failed test and "" where it throws none.
template <class Action>
std::string error_text(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << "more than one line";
    return error.what();
  }
  ADD_FAILURE() << "expected an Error, none was thrown";
  return {};
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A folder for one test, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("limber-{}-{}-{}", ::getpid(), test->test_suite_name(), test->name());
    std::replace(name.begin(), name.end(), '/', '-');  // parameterised tests have slashes in their names
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// How many files and folders it holds.
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace limber::test
