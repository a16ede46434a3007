#include "limber/linalg/state_stream.hpp"

#include "limber/base/bits.hpp"
#include "tests/support/files.hpp"

#include <limits>

namespace limber::state_stream_test {
namespace {

using test::contains;
using test::error_text;

/// One value of each kind.
struct Values {
  double real = -0.1;
  std::int64_t integer = std::numeric_limits<std::int64_t>::min();
  std::uint64_t natural = std::numeric_limits<std::uint64_t>::max();
  bool truth = true;
  std::string text = std::string("a\0b", 3);
  Vector vector = Vector::LinSpaced(5, -1.0, 1.0 / 3.0);
  Matrix matrix = Matrix::Random(3, 4);
  Matrix3X columns = Matrix3X::Random(3, 7);
  std::vector<int> integers = {-1, 0, std::numeric_limits<int>::max()};
};

std::string written(const Values& values) {
  StateWriter out;
  out.write(values.real);
  out.write(values.integer);
  out.write(values.natural);
  out.write(values.truth);
  out.write(std::string_view(values.text));
  out.write(values.vector);
  out.write(values.matrix);
  out.write(values.columns);
  out.write(values.integers);
  return out.bytes();
}

Values read(std::string_view bytes) {
  Values values{0.0, 0, 0, false, "", Vector(), Matrix(), Matrix3X(3, 0), {}};
  StateReader in(bytes, "state");
  in.read(values.real);
  in.read(values.integer);
  in.read(values.natural);
  in.read(values.truth);
  in.read(values.text);
  in.read(values.vector);
  in.read(values.matrix);
  in.read(values.columns);
  in.read(values.integers);
  in.finish();
  return values;
}

TEST(StateStream, GivesBackWhatWasWritten) {
  const Values before, after = read(written(before));
  EXPECT_EQ(after.real, before.real);
  EXPECT_EQ(after.integer, before.integer);
  EXPECT_EQ(after.natural, before.natural);
  EXPECT_EQ(after.truth, before.truth);
  EXPECT_EQ(after.text, before.text);
  EXPECT_EQ(after.vector, before.vector);
  EXPECT_EQ(after.matrix, before.matrix);
  EXPECT_EQ(after.columns, before.columns);
  EXPECT_EQ(after.integers, before.integers);
}

TEST(StateStream, KeepsTheBitsOfNumbersThatAreNotEqualToThemselves) {
  const auto odd = bits_as<double>(std::uint64_t{0x7ff8'0000'0000'1234});
  StateWriter out;
  out.write(odd);
  out.write(-0.0);
  StateReader in(out.bytes(), "state");
  double nan = 0.0, zero = 1.0;
  in.read(nan);
  in.read(zero);
  EXPECT_EQ(bits_as<std::uint64_t>(nan), bits_as<std::uint64_t>(odd));
  EXPECT_TRUE(std::signbit(zero));
}

TEST(StateStream, GivesBackWhatIsEmpty) {
  StateWriter out;
  out.write(Vector());
  out.write(Matrix(0, 4));
  out.write(Matrix3X(3, 0));
  out.write(std::string_view());
  StateReader in(out.bytes(), "state");
  Vector vector(3);
  Matrix matrix(1, 1);
  Matrix3X columns(3, 2);
  std::string text = "x";
  in.read(vector);
  in.read(matrix);
  in.read(columns);
  in.read(text);
  in.finish();
  EXPECT_EQ(vector.size(), 0);
  EXPECT_EQ(matrix.rows(), 0);
  EXPECT_EQ(matrix.cols(), 4);
  EXPECT_EQ(columns.cols(), 0);
  EXPECT_EQ(text, "");
}

TEST(StateStream, RefusesBytesThatEndEarlyWhereverThatIs) {
  const std::string bytes = written({});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(std::string_view(bytes).substr(0, size)), Error) << size << " of " << bytes.size();
}

TEST(StateStream, RefusesAnotherKind) {
  StateWriter out;
  out.write(1.0);
  StateReader in(out.bytes(), "body 1");
  std::int64_t value = 0;
  EXPECT_EQ(error_text([&] { in.read(value); }),
            "body 1: the state has a number at byte 0, expected an integer");
}

TEST(StateStream, RefusesWhatIsLeftOver) {
  StateReader in("x", "state");
  EXPECT_TRUE(contains(error_text([&] { in.finish(); }), "1 bytes more than expected"));
}

/// Bytes of a value with its size, which begins at the second byte, replaced.
std::string with_size(const StateWriter& out, std::size_t at, std::uint64_t size) {
  std::string bytes = out.bytes();
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(size >> (8 * i));
  return bytes;
}

TEST(StateStream, RefusesSizesThatTheBytesCannotFill) {
  StateWriter vector, matrix;
  vector.write(Vector(Vector::Ones(4)));
  matrix.write(Matrix(Matrix::Ones(2, 2)));
  for (const std::uint64_t size : {std::uint64_t{5}, std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
    Vector v;
    Matrix m;
    const std::string long_vector = with_size(vector, 1, size), high = with_size(matrix, 1, size),
                      wide = with_size(matrix, 9, size);
    EXPECT_THROW(StateReader(long_vector, "state").read(v), Error) << size;
    EXPECT_THROW(StateReader(high, "state").read(m), Error) << size;
    EXPECT_THROW(StateReader(wide, "state").read(m), Error) << size;
  }
}

}  // namespace
}  // namespace limber::state_stream_test
