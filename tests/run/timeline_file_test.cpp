#include "limber/run/timeline_file.hpp"

#include "limber/base/file.hpp"
#include "tests/support/files.hpp"

namespace limber::timeline_file_test {
namespace {

using test::contains;
using test::error_text;

TEST(WriteTimeline, ChoosesTheFormatByTheExtension) {
  const test::ScratchFolder folder;
  TimelinePlot plot;
  plot.bars.push_back({"run",
                       {{StepKind::full, BasisChange::grown, 1, 0.0, 0.0},
                        {StepKind::reduced, BasisChange::none, 1, 0.0, 0.0}},
                       {}});
  write_timeline(folder / "a.svg", plot);
  write_timeline(folder / "a.PNG", plot);
  EXPECT_TRUE(read_file(folder / "a.svg").starts_with("<svg "));
  EXPECT_TRUE(read_file(folder / "a.PNG").starts_with("\x89PNG"));
  EXPECT_EQ(folder.entries(), 2);
  EXPECT_TRUE(contains(error_text([&] { write_timeline(folder / "a.pdf", plot); }),
                       "a timeline is drawn as .svg or .png, found '.pdf'"));
}

}  // namespace
}  // namespace limber::timeline_file_test
