// Same input, same bits, wherever in memory things lie and whatever was there before. Sums of vectors may be
// taken in an order that depends on how the first entry is aligned, and a value that is never set is what the
// last owner left; so all is computed again with blocks, and the stack, shifted by 16 to 48 bytes and filled
// with other bytes.
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/mesh/mesher.hpp"
#include "limber/scene/body_tree.hpp"
#include "tests/support/fixtures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <alloca.h>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <malloc.h>
#include <new>
#include <string>

namespace {

constexpr std::size_t line = 64;  ///< bytes; no vector register is larger
std::size_t shift = 0;            ///< of all blocks from their line, bytes

}  // namespace

// What the standard containers and sparse matrices of this program take. Dense matrices align their memory
// themselves.
void* operator new(std::size_t size) {
  const std::size_t whole = (size + 3 * line) / line * line;
  char* const block = static_cast<char*>(std::aligned_alloc(line, whole));
  if (block == nullptr) throw std::bad_alloc();
  char* const place = block + line + shift;
  std::memcpy(place - sizeof block, &block, sizeof block);
  return place;
}

/// For which a sanitizer would bring its own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* place) noexcept {
  if (place == nullptr) return;
  char* block = nullptr;
  std::memcpy(&block, static_cast<char*>(place) - sizeof block, sizeof block);
  std::free(block);
}

void operator delete(void* place, std::size_t) noexcept { operator delete(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { operator delete(place); }

namespace limber::shifted_memory_test {
namespace {

/// Leaves bytes where the variables of the next function will be.
[[gnu::noinline]] void fill_stack(int filling) {
  constexpr std::size_t size = 1 << 17;
  volatile char* const below = static_cast<char*>(alloca(size));
  for (std::size_t i = 0; i < size; ++i) below[i] = static_cast<char>(filling);
}

/// Below a stack that is some bytes deeper.
template <class Action>
[[gnu::noinline]] auto with_deeper_stack(std::size_t bytes, const Action& action) {
  volatile char* const below = static_cast<char*>(alloca(bytes + 1));
  below[0] = 1;
  auto result = action();
  below[0] = 2;
  return result;
}

/// Whether an action gives the same bytes wherever it is done.
void expect_same_bits(const std::function<std::string()>& action) {
  struct Place {
    std::size_t shift;
    int filling;  ///< 0: none
  };
  std::string first;
  for (const auto& [bytes, filling] : {Place{0, 0}, Place{16, 0xa5}, Place{32, 0x5a}, Place{48, 0xff}}) {
    shift = bytes;
    mallopt(M_PERTURB, filling);
    fill_stack(filling);
    const std::string found = with_deeper_stack(bytes, action);
    mallopt(M_PERTURB, 0);
    shift = 0;
    ASSERT_FALSE(found.empty());
    if (first.empty()) first = found;
    ASSERT_EQ(found.size(), first.size());
    const auto differs = std::mismatch(first.begin(), first.end(), found.begin()).first - first.begin();
    ASSERT_TRUE(found == first) << "other bits from byte " << differs << " of " << first.size()
                                << " on, with blocks that begin " << bytes << " bytes after a multiple of "
                                << line;
  }
}

template <class Numbers>
void append(std::string& bytes, const Numbers& numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data()));
}

/// The motion of the scene's only body and how it was found, as bytes.
std::string motion_of(const std::string& scene_text) {
  const Scene scene = parse_scene(scene_text, ".", "scene");
  SceneState state = make_state(scene);
  std::string bytes;
  for (int i = 0; i < step_count(scene); ++i) {
    const StepReport report = step(scene, state);
    EXPECT_TRUE(report.ok()) << "step " << i;
    append(bytes, Eigen::Vector3d(state.world.energy(), report.residual, report.iterations));
    append(bytes, mesh_displacement(scene, state, 0));
  }
  return bytes;
}

/// A bar, held at its left end and pushed at the other. law: none where the method has no use for it; more:
/// of the body; solver: keys without braces.
std::string bar(const std::string& method, const std::string& law, const std::string& more,
                const std::string& solver) {
  return R"({"bodies": [{"name": "bar", "mesh": "builtin:beam?size=1,0.1,0.1&cells=7,1,1", "fixed": {"where": "x < 0.01"}, )" +
         fmt::format(R"("method": "{}", "material": {{)", method) +
         (law.empty() ? "" : fmt::format(R"("law": "{}", )", law)) +
         R"("young": 1e5, "poisson": 0.3, "density": 900})" + (more.empty() ? "" : ", ") + more +
         R"(}], "gravity": [0, 0, -1], "solver": {"threads": 1, )" + solver + "}}";
}

const std::string push =
    R"("loads": [{"nearest": [1, 0, 0], "force": [0, 0.02, -0.1], "to": 0.2}], "damping": {"mass": 0.1, "stiffness": 0.01})";
const std::string linear_modes = R"("basis": {"modes": 5})";
const std::string few_modes = R"("basis": {"modes": 5, "rank": 8})";
const std::string in_time = R"("type": "dynamic", "timestep": 0.02, "steps": 12)";

struct NamedScene {
  std::string name;
  std::string text;
};

const std::string free_domains =
    R"({"bodies": [{"mesh": "builtin:beam?size=1,0.1,0.1&cells=7,1,1", "fixed": "none", "method": "reduced",
    "domains": {"from": "auto", "count": 3, "rank": 5}, "velocity": [0, 0.1, 0.2], "angular_velocity": [1, 0.5, 0]}],
    "solver": {"type": "dynamic", "timestep": 0.02, "steps": 12, "threads": 1}})";

const std::string free_and_reduced =
    R"({"bodies": [{"mesh": "builtin:beam?size=1,0.1,0.1&cells=7,1,1", "fixed": "none", "method": "reduced",
    "basis": {"modes": 5, "rank": 8}, "velocity": [0, 0.1, 0.2], "angular_velocity": [1, 0.5, 0]}],
    "solver": {"type": "dynamic", "timestep": 0.02, "steps": 12, "threads": 1}})";

/// On the ground and on a box that stands there, which it pushes away.
const std::string dropped =
    R"({"bodies": [{"mesh": "builtin:beam?size=0.3,0.2,0.2&cells=3,2,2", "fixed": "none", "method": "reduced",
    "material": {"young": 1e5, "poisson": 0.3, "density": 900}, "basis": {"modes": 5, "rank": 8},
    "velocity": [0.5, 0, -1], "angular_velocity": [1, 2, 0], "contact": {"friction": 0.4}}],
    "gravity": [0, 0, -9.81], "ground": {"height": -0.15}, "rigid": [{"shape": "box", "size": [0.1, 0.1, 0.02],
    "position": [0.05, 0, -0.14], "density": 500}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 30, "threads": 1}})";

/// One that follows the last bit of the mass of the body.
const std::string online_and_undamped =
    R"({"bodies": [{"mesh": "builtin:beam?size=1,0.2,0.2&cells=2,2,2", "method": "online",
    "material": {"young": 1e6, "poisson": 0.3, "density": 20}, "fixed": {"where": "x < 0.01"}}], "gravity": [0, 0, 2],
    "solver": {"type": "dynamic", "timestep": 0.001, "steps": 48, "threads": 1}})";

std::vector<NamedScene> scenes() {
  const std::string online = R"("type": "dynamic", "timestep": 0.02, "steps": 60)";
  const std::string keys = R"("keys": [{"time": 0}, {"time": 0.2, "position": [0, 0.05, 0.02]}])";
  const std::string dragged = push + R"(, "constraints": [{"nearest": [1, 0, 0], )" + keys + "}]";
  const std::string wind = R"("wind": {"velocity": [3, 1, 0], "gusts": 0.5})";
  return {
      {"static", bar("full", "neo-hookean", R"("loads": [{"nearest": [1, 0, 0], "force": [0, 0.02, -0.1]}])",
                     R"("type": "static")")},
      {"full", bar("full", "corotational", push, in_time)},
      {"full_by_conjugate_gradients",
       bar("full", "stvk", push, in_time + R"(, "linear_solver": "cg", "newton": {"tolerance": 1e-4})")},
      {"quasistatic", bar("full", "arruda-boyce", R"("constraints": [{"nearest": [1, 0, 0], )" + keys + "}]",
                          R"("type": "quasistatic", "timestep": 0.02, "steps": 8)")},
      {"online", bar("online", "stvk", push, online)},
      {"online_and_undamped", online_and_undamped},
      {"online_with_key_elements",
       bar("online", "neo-hookean", push, online + R"(, "online": {"max_rank": 8})")},
      {"online_quasistatic",
       bar("online", "neo-hookean", R"("constraints": [{"nearest": [1, 0, 0], )" + keys + "}]",
           R"("type": "quasistatic", "timestep": 0.01, "steps": 30)")},
      {"reduced", bar("reduced", "stvk", push + ", " + few_modes, in_time)},
      {"reduced_by_inertia_modes",
       bar("reduced", "stvk",
           push + R"(, "basis": {"kind": "inertia", "condense": "random", "modes": 5, "rank": 8})", in_time)},
      {"reduced_with_cubature",
       bar("reduced", "mooney-rivlin", push + ", " + few_modes + R"(, "forces": {"kind": "cubature"})",
           in_time)},
      {"reduced_with_modal_cubature",
       bar("reduced", "neo-hookean", push + ", " + few_modes + R"(, "forces": {"kind": "modal-cubature"})",
           in_time)},
      {"warped",
       bar("warped", "",
           push + ", " + linear_modes +
               R"(, "constraints": [{"nearest": [1, 0, 0], "hold": "both"}], "support": {)" + keys + "}",
           in_time)},
      {"linear", bar("linear", "", push + ", " + linear_modes, in_time + R"(, "integrator": "exact")")},
      {"domains",
       bar("reduced", "stvk", push + R"(, "domains": {"from": "auto", "count": 3, "rank": 5})", in_time)},
      {"free_domains", free_domains},
      {"free_and_reduced", free_and_reduced},
      {"dropped", dropped},
      {"full_in_wind", bar("full", "stvk", push + ", " + wind, in_time)},
      {"reduced_in_wind", bar("reduced", "stvk", push + ", " + few_modes + ", " + wind, in_time)},
      {"domains_in_wind",
       bar("reduced", "stvk", R"("domains": {"from": "auto", "count": 3, "rank": 5}, )" + wind, in_time)},
      {"full_by_a_handle", bar("full", "corotational", dragged, in_time)},
      {"reduced_by_a_handle", bar("reduced", "stvk", dragged + ", " + few_modes, in_time)},
  };
}

class MotionInShiftedMemory : public testing::TestWithParam<NamedScene> {};

TEST_P(MotionInShiftedMemory, HasTheSameBits) {
  expect_same_bits([] { return motion_of(GetParam().text); });
}

INSTANTIATE_TEST_SUITE_P(Scene, MotionInShiftedMemory, testing::ValuesIn(scenes()),
                         [](const auto& test) { return test.param.name; });

TEST(ShiftedMemory, DoesNotChangeAReducedModel) {
  for (const std::string law : {"stvk", "neo-hookean"}) {
    expect_same_bits([&] {
      const VolumeMesh mesh = make_beam({.size = {1.0, 0.15, 0.1}, .cells = {6, 2, 1}});
      const FullModel full(mesh, {test::material(law)}, test::vertices_below(mesh, 0.01));
      ReduceOptions options;
      options.basis.modes = 5;
      options.basis.rank = 10;
      ReduceReport report;
      return encode_model(make_model(reduce(full, {}, {}, options, report)), "model");
    });
  }
}

TEST(ShiftedMemory, DoesNotChangeATreeOfDomains) {
  expect_same_bits([] {
    const Scene scene = parse_scene(
        bar("reduced", "stvk", R"("domains": {"from": "auto", "count": 3})", in_time), ".", "scene");
    TreeReduceReport report;
    return encode_model(*find_tree(scene.bodies[0], Executor(1), {}, report), "tree");
  });
}

TEST(ShiftedMemory, DoesNotChangeAMesh) {
  expect_same_bits([] {
    const RegionSurface box{boundary_surface(make_beam({.size = {1.0, 0.7, 0.4}, .cells = {3, 2, 1}})),
                            "box"};
    MesherOptions options;
    options.cells = 9;
    options.executor = Executor(1);
    const MeshedSurfaces meshed = mesh_surfaces({&box, 1}, options);
    std::string bytes;
    append(bytes, meshed.mesh.vertices);
    append(bytes, meshed.mesh.elements);
    return bytes;
  });
}

}  // namespace
}  // namespace limber::shifted_memory_test
