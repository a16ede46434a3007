// The full model against CalculiX, an independent finite-element program (Debian package calculix-ccx).
//
// With NLGEOM, the *ELASTIC law of CalculiX is Hooke's law between second Piola stress and Green strain, that
// is St. Venant-Kirchhoff; C3D4 is the linear tetrahedron. Skipped where ccx is not installed.

#include "limber/base/file.hpp"
#include "limber/full/statics.hpp"
#include "limber/linalg/eigensolver.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace limber::calculix_test {
namespace {

constexpr double young = 2e6, poisson = 0.35, density = 1100.0;

class CalculiX : public testing::Test {
 protected:
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(24, 3, 3)});
  std::vector<int> fixed = test::vertices_below(mesh, 1e-6);
  FullModel model{mesh, {test::material("stvk", young, poisson, density)}, fixed};
  std::filesystem::path folder;

  void SetUp() override {
    if (std::system("command -v ccx > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "ccx is not installed (calculix-ccx)";
    std::string pattern = (std::filesystem::temp_directory_path() / "limber-ccx-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    if (!folder.empty()) std::filesystem::remove_all(folder);
  }

  /// Runs ccx on the body with the given steps; returns the text of its .dat file.
  std::string run(const std::string& steps) const {
    std::ostringstream deck;
    deck.precision(17);
    deck << "*NODE, NSET=ALL\n";
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
      deck << v + 1 << ", " << mesh.vertices(0, v) << ", " << mesh.vertices(1, v) << ", "
           << mesh.vertices(2, v) << "\n";
    }
    deck << "*ELEMENT, TYPE=C3D4, ELSET=BODY\n";
    for (Index e = 0; e < mesh.element_count(); ++e) {
      deck << e + 1;
      for (const int v : mesh.elements.col(e)) deck << ", " << v + 1;
      deck << "\n";
    }
    deck << "*MATERIAL, NAME=RUBBER\n*ELASTIC\n"
         << young << ", " << poisson << "\n*DENSITY\n"
         << density << "\n";
    deck << "*SOLID SECTION, ELSET=BODY, MATERIAL=RUBBER\n*BOUNDARY\n";
    for (const int v : fixed) deck << v + 1 << ", 1, 3\n";
    deck << steps;
    write_file(folder / "body.inp", deck.str());
    const std::string command = "cd " + folder.string() + " && OMP_NUM_THREADS=1 ccx -i body > ccx.log 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder / "ccx.log");
    return read_file(folder / "body.dat");
  }
};

TEST_F(CalculiX, BendsACantileverByMoreThanHalfItsLengthToTheSameShape) {
  std::vector<int> tip;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) > 1.0 - 1e-9) tip.push_back(v);
  }
  const Vector3 force(0.0, 0.8, -8.0);
  std::ostringstream steps;
  steps << "*STEP, NLGEOM, INC=1000\n*STATIC\n0.1, 1., 1e-5, 0.1\n*CONTROLS, PARAMETERS=FIELD\n1e-8, "
           "1e-6\n*CLOAD\n";
  for (const int v : tip) {
    for (int axis = 1; axis < 3; ++axis) steps << v + 1 << ", " << axis + 1 << ", " << force(axis) << "\n";
  }
  steps << "*NODE PRINT, NSET=ALL, FREQUENCY=1000\nU\n*END STEP\n";

  // Lines "node ux uy uz" after the last header.
  const std::string output = run(steps.str());
  std::istringstream lines(output.substr(output.rfind("displacements")));
  Matrix3X reference = Matrix3X::Zero(3, mesh.vertex_count());
  std::string line;
  std::getline(lines, line);
  Index read = 0;
  for (int node = 0; lines >> node; ++read)
    lines >> reference(0, node - 1) >> reference(1, node - 1) >> reference(2, node - 1);
  ASSERT_EQ(read, mesh.vertex_count());

  Vector load = Vector::Zero(model.dof_count()), u = load;
  for (const int v : tip) load.segment<3>(3 * Index{model.dofs().free_index(v)}) = force;
  ASSERT_TRUE(solve_static(model, load, u, {.tolerance = 1e-10}).ok());
  const Matrix3X displacement = model.dofs().expand(u);
  EXPECT_LT(displacement.row(2).minCoeff(), -0.5)
      << "the load should bend the beam by more than half its length";
  const double error =
      (displacement - reference).colwise().norm().maxCoeff() / reference.colwise().norm().maxCoeff();
  RecordProperty("relative_error", std::to_string(error));
  std::cout << "largest difference relative to the largest displacement: " << error << "\n";
  EXPECT_LT(error, 1e-3);
}

TEST_F(CalculiX, HasTheSameNaturalFrequencies) {
  const std::string output = run("*STEP\n*FREQUENCY\n10\n*END STEP\n");
  std::istringstream lines(output.substr(output.find("E I G E N V A L U E   O U T P U T")));
  std::vector<double> reference;
  for (std::string line; std::getline(lines, line) && reference.size() < 10;) {
    std::istringstream fields(line);
    int number = 0;
    double value = 0.0;
    if (fields >> number >> value) reference.push_back(value);
  }
  ASSERT_EQ(reference.size(), 10u);

  // CalculiX integrates the mass of C3D4 at one point: N_a = 1/4 there, so every pair of vertices gets 1/16
  // of the mass.
  SparseMatrix mass = model.pattern();
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double share = density * element_volume(mesh, e) / 16.0;
    for (const int a : mesh.elements.col(e)) {
      for (const int b : mesh.elements.col(e)) {
        const Index row = model.dofs().free_index(a), column = model.dofs().free_index(b);
        if (row < 0 || column < 0) continue;
        for (int i = 0; i < 3; ++i) mass.coeffRef(3 * row + i, 3 * column + i) += share;
      }
    }
  }
  const auto solver = make_sparse_solver();
  ASSERT_TRUE(solver->factor(model.stiffness(Vector::Zero(model.dof_count()))).ok());
  const EigenResult found = lowest_eigenpairs(*solver, mass, 10, 0.0, Matrix(mass.rows(), 0));
  ASSERT_TRUE(found.report.ok());
  double worst = 0.0;
  for (Index i = 0; i < 10; ++i) {
    worst = std::max(worst, std::abs(found.values(i) / reference[static_cast<std::size_t>(i)] - 1.0));
  }
  std::cout << "largest relative difference of ten eigenvalues: " << worst << "\n";
  EXPECT_LT(worst, 1e-5);
}

}  // namespace
}  // namespace limber::calculix_test
