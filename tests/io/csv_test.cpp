#include "limber/io/csv.hpp"

#include "limber/base/text.hpp"
#include "tests/io/mesh_support.hpp"

#include <cmath>

namespace limber::csv_test {
namespace {

TEST(Csv, HoldsOneLinePerVertexWithoutHeader) {
  const test::ScratchFolder folder;
  Matrix3X displacement(3, 2);
  displacement << 0.0, -1.5, 0.1, 1e-30, 0.2, 3.0;
  write_csv(folder / "u.csv", displacement);
  EXPECT_EQ(read_file(folder / "u.csv"), "0,0.1,0.2\n-1.5,1e-30,3\n");
}

TEST(Csv, ReadsBackBitByBit) {
  const test::ScratchFolder folder;
  const Vector3 values(1.0 / 3.0, std::nextafter(1.0, 2.0), -5e-324);
  write_csv(folder / "u.csv", values);
  std::string line = read_file(folder / "u.csv");
  line.pop_back();
  const auto parts = split(line, ',');
  ASSERT_EQ(parts.size(), 3U);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(parse_number(parts[static_cast<std::size_t>(i)]), values(i)) << parts[i];
}

TEST(Csv, IsEmptyForNoVertices) {
  const test::ScratchFolder folder;
  write_csv(folder / "u.csv", Matrix3X(3, 0));
  EXPECT_EQ(read_file(folder / "u.csv"), "");
}

}  // namespace
}  // namespace limber::csv_test
