// The peer that `limber mesh` is compared with: CGAL's Mesh_3 on the same surface, to about the same number
// of tetrahedra, with the criteria of its manual and its default optimisation (perturbation and exudation).
//
//   cgal_mesh_3 SURFACE.off TARGET_ELEMENTS
//
// Prints one line of JSON; the seconds are those of the last run, without the search for the cell size.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Mesh_complex_3_in_triangulation_3.h>
#include <CGAL/Mesh_criteria_3.h>
#include <CGAL/Mesh_triangulation_3.h>
#include <CGAL/Polyhedral_mesh_domain_3.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/make_mesh_3.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
using Domain = CGAL::Polyhedral_mesh_domain_3<Surface, Kernel>;
using Triangulation = CGAL::Mesh_triangulation_3<Domain>::type;
using Complex = CGAL::Mesh_complex_3_in_triangulation_3<Triangulation>;
using Criteria = CGAL::Mesh_criteria_3<Triangulation>;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Surface surface;
  std::ifstream file(argv[1]);
  if (!(file >> surface)) return 2;
  const double target = std::atof(argv[2]);
  const Domain domain(surface);
  const CGAL::Bbox_3 box = domain.bbox();
  double size =
      std::cbrt((box.xmax() - box.xmin()) * (box.ymax() - box.ymin()) * (box.zmax() - box.zmin()) / target);

  Complex mesh;
  double seconds = 0.0;
  for (int trial = 0; trial < 6; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    using namespace CGAL::parameters;
    const Criteria criteria(facet_angle = 25, facet_size = size, facet_distance = 0.1 * size,
                            cell_radius_edge_ratio = 2, cell_size = size);
    mesh = CGAL::make_mesh_3<Complex>(domain, criteria);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double count = static_cast<double>(mesh.number_of_cells_in_complex());
    if (std::abs(count / target - 1.0) < 0.03) break;
    size *= std::cbrt(count / target);
  }

  double smallest = 180.0, largest = 0.0, volume = 0.0;
  for (auto cell = mesh.cells_in_complex_begin(); cell != mesh.cells_in_complex_end(); ++cell) {
    std::array<Kernel::Point_3, 4> p;
    for (int i = 0; i < 4; ++i) p[static_cast<std::size_t>(i)] = cell->vertex(i)->point().point();
    volume += std::abs(CGAL::volume(p[0], p[1], p[2], p[3]));
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        std::array<std::size_t, 2> rest{};
        std::size_t next = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          if (k != i && k != j) rest[next++] = k;
        }
        const double angle = std::abs(CGAL::approximate_dihedral_angle(p[i], p[j], p[rest[0]], p[rest[1]]));
        smallest = std::min(smallest, angle);
        largest = std::max(largest, angle);
      }
    }
  }
  std::printf(
      R"({"elements": %zu, "seconds": %.3f, "smallest_dihedral_degrees": %.2f, "largest_dihedral_degrees": %.2f, )"
      R"("volume": %.9g})"
      "\n",
      static_cast<std::size_t>(mesh.number_of_cells_in_complex()), seconds, smallest, largest, volume);
}
