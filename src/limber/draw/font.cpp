#include "limber/draw/font.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace limber {
namespace {

// A stroke font rather than a bitmap: it stays crisp at every size and is as short to write down. Each
// polyline is a run of points "xy" on a grid of 5 x 9 (x 0 to 4, y 0 to 8); '~' rounds its corners; a run
// that ends where it began is closed.
constexpr std::array<std::string_view, 95> glyph_paths{
    /*   */ "",
    /* ! */ "2024 2626",
    /* " */ "1012 3032",
    /* # */ "1016 3036 0242 0444",
    /* $ */ "~413010010213334445361605 2026",
    /* % */ "4006 ~0010110100 ~3545463635",
    /* & */ "~4612112030312204051626364443",
    /* ' */ "2022",
    /* ( */ "~30121436",
    /* ) */ "~10323416",
    /* * */ "2125 0244 0442",
    /* + */ "2125 0343",
    /* , */ "262718",
    /* - */ "0343",
    /* . */ "2626",
    /* / */ "4006",
    /* 0 */ "~103041453616050110",
    /* 1 */ "112026 1636",
    /* 2 */ "~011030414206 0646",
    /* 3 */ "~01103041423323 ~23334445361605",
    /* 4 */ "36300444",
    /* 5 */ "400003 ~0312324345361605",
    /* 6 */ "~413010010516364544331304",
    /* 7 */ "004016",
    /* 8 */ "~103041423313020110 ~133344453616050413",
    /* 9 */ "~051636454130100102133342",
    /* : */ "2222 2626",
    /* ; */ "2222 262718",
    /* < */ "410345",
    /* = */ "0242 0444",
    /* > */ "014305",
    /* ? */ "~01103041422324 2626",
    /* @ */ "~46160501103041443432 ~3222132434",
    /* A */ "062046 1434",
    /* B */ "0006 ~003041423303 ~033344453606",
    /* C */ "~4130100105163645",
    /* D */ "0006 ~003041453606",
    /* E */ "40000646 0333",
    /* F */ "400006 0333",
    /* G */ "~413010010516364543 4323",
    /* H */ "0006 4046 0343",
    /* I */ "1030 2026 1636",
    /* J */ "~4045361605",
    /* K */ "0006 4004 1346",
    /* L */ "000646",
    /* M */ "0600234046",
    /* N */ "06004640",
    /* O */ "~103041453616050110",
    /* P */ "0006 ~003041423303",
    /* Q */ "~103041453616050110 2446",
    /* R */ "0006 ~003041423303 2346",
    /* S */ "~413010010213334445361605",
    /* T */ "0040 2026",
    /* U */ "~000516364540",
    /* V */ "002640",
    /* W */ "0016223640",
    /* X */ "0046 4006",
    /* Y */ "002340 2326",
    /* Z */ "00400646",
    /* [ */ "30101636",
    /* \ */ "0046",
    /* ] */ "10303616",
    /* ^ */ "022042",
    /* _ */ "0747",
    /* ` */ "1021",
    /* a */ "~12324346 ~441405163645",
    /* b */ "0006 ~0312324345361605",
    /* c */ "~4332120305163645",
    /* d */ "4046 ~4332120305163645",
    /* e */ "0444 ~4443321203051646",
    /* f */ "~30201116 0232",
    /* g */ "~4247381807 ~4332120305163645",
    /* h */ "0006 ~0312324346",
    /* i */ "2226 2020",
    /* j */ "~22271808 2020",
    /* k */ "0006 4205 1446",
    /* l */ "~202536",
    /* m */ "0206 ~03122326 ~23324346",
    /* n */ "0206 ~0312324346",
    /* o */ "~123243453616050312",
    /* p */ "0208 ~0312324345361605",
    /* q */ "4248 ~4332120305163645",
    /* r */ "0206 ~031232",
    /* s */ "~43321203143445361605",
    /* t */ "~10152636 0232",
    /* u */ "~0205163645 4246",
    /* v */ "022642",
    /* w */ "0216233642",
    /* x */ "0246 4206",
    /* y */ "0226 4218",
    /* z */ "02420646",
    /* { */ "~30212213242536",
    /* | */ "2027",
    /* } */ "~10212233242516",
    /* ~ */ "~04133443",
};

constexpr double corner_radius = 1.1;  ///< how far from a corner its rounding may begin
constexpr double space_width = 2.0;

/// Replaces each corner by a parabola (quadratic Bezier curve) that begins at most corner_radius away.
std::vector<Vector2> round_corners(const std::vector<Vector2>& points) {
  const std::size_t n = points.size();
  const bool closed = n > 2 && points.front() == points.back();
  std::vector<Vector2> rounded;
  if (!closed) rounded.push_back(points.front());
  const auto towards = [](const Vector2& corner, const Vector2& other) -> Vector2 {
    const double length = (other - corner).norm();
    return corner + (other - corner) * (std::min(corner_radius, length / 2) / length);
  };
  for (std::size_t i = closed ? 0 : 1; i + 1 < n; ++i) {
    const Vector2& corner = points[i];
    const Vector2 begin = towards(corner, points[i == 0 ? n - 2 : i - 1]);
    const Vector2 end = towards(corner, points[i + 1]);
    constexpr int pieces = 5;
    for (int k = 0; k <= pieces; ++k) {
      const double t = static_cast<double>(k) / pieces;
      rounded.push_back((1 - t) * (1 - t) * begin + 2 * t * (1 - t) * corner + t * t * end);
    }
  }
  rounded.push_back(closed ? rounded.front() : points.back());
  return rounded;
}

std::vector<Vector2> parse_stroke(std::string_view path) {
  const bool smooth = path.front() == '~';
  if (smooth) path.remove_prefix(1);
  std::vector<Vector2> points;
  for (std::size_t i = 0; i + 1 < path.size(); i += 2) points.emplace_back(path[i] - '0', path[i + 1] - '0');
  return smooth ? round_corners(points) : points;
}

}  // namespace

Glyph glyph_of(char character) {
  if (character < ' ' || character > '~') character = '?';
  Glyph glyph;
  if (character == ' ') {
    glyph.width = space_width;
    return glyph;
  }
  std::string_view paths = glyph_paths[static_cast<std::size_t>(character - ' ')];
  while (!paths.empty()) {
    const std::size_t end = std::min(paths.find(' '), paths.size());
    glyph.strokes.push_back(parse_stroke(paths.substr(0, end)));
    paths.remove_prefix(std::min(end + 1, paths.size()));
  }

  double left = 4.0;
  double right = 0.0;
  for (const auto& stroke : glyph.strokes) {
    for (const Vector2& point : stroke) {
      left = std::min(left, point.x());
      right = std::max(right, point.x());
    }
  }
  if (character >= '0' && character <= '9') {  // all as wide as each other, so that columns of numbers align
    left = 0.0;
    right = 4.0;
  }
  for (auto& stroke : glyph.strokes) {
    for (Vector2& point : stroke) point.x() -= left;
  }
  glyph.width = right - left;
  return glyph;
}

}  // namespace limber
