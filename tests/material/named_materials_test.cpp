#include "limber/material/named_materials.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/material/material.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::named_materials_test {
namespace {

TEST(NamedMaterials, ArePossibleAndFromSoftToStiff) {
  double before = 0.0;
  for (const NamedMaterial& one : named_materials()) {
    const Material material{make_law("stvk", lame_from_young(one.young, one.poisson)), one.density};
    EXPECT_NO_THROW(check_material(material)) << one.name;
    EXPECT_GE(one.young, before) << one.name;
    EXPECT_LE(one.poisson, 0.45) << one.name;
    before = one.young;
  }
}

TEST(NamedMaterials, AreFoundByTheirNames) {
  EXPECT_EQ(find_named_material("steel", "here").young, 2.1e11);
  try {
    find_named_material("ruber", "--material");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--material: unknown material 'ruber'; did you mean 'rubber'?");
  }
}

/// 2e4 as "20 kPa".
std::string modulus_text(double young) {
  for (const auto& [unit, size] : {std::pair("GPa", 1e9), {"MPa", 1e6}, {"kPa", 1e3}})
    if (young >= size) return fmt::format("{:.4g} {}", young / size, unit);
  return fmt::format("{:.4g} Pa", young);
}

TEST(NamedMaterials, AreThoseOfTheDocument) {
  const std::string document = read_file(fmt::format("{}/docs/materials.md", LIMBER_SOURCE_DIR));
  const std::string schema = read_file(fmt::format("{}/src/limber/io/scene_schema.json", LIMBER_SOURCE_DIR));
  for (const NamedMaterial& one : named_materials()) {
    const std::string row =
        fmt::format("| `{}` | {} | {} | {} |", one.name, modulus_text(one.young), one.poisson, one.density);
    EXPECT_TRUE(test::contains(document, row)) << row;
    EXPECT_TRUE(test::contains(schema, fmt::format("\"{}\"", one.name))) << one.name;
  }
}

}  // namespace
}  // namespace limber::named_materials_test
