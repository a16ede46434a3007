// What an engine does with bodies, step by step: the code of docs/embedding.md.

#include <limber/limber.hpp>

#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

using namespace limber;

/// spoon: a body that is held, flyer: one that nothing holds (limber reduce --free).
int main(int argc, char** argv) {
  if (argc != 3) {
    std::printf("usage: embed_a_body HELD.glb FREE.glb\n");
    return 2;
  }

  // Load.
  const auto model = std::make_shared<const Model>(read_model(argv[1]));
  Body body(model);
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_damping({.mass = 0.5, .stiffness = 1e-4});

  // Share.
  std::vector<Body> crowd(100, body);
  crowd[7].set_gravity({0.0, -9.81, 0.0});

  // Step.
  const double h = 1.0 / 1000.0;
  for (int i = 0; i < 16; ++i) {
    if (!body.step(h).ok()) body.reset();  // the state is still the last good one
  }

  // Draw.
  struct Vertex {
    float position[3], normal[3], uv[2];
  };
  std::vector<Vertex> vertices(static_cast<std::size_t>(body.surface().mesh().vertex_count()));
  const std::span<float> floats(vertices.front().position, vertices.size() * sizeof(Vertex) / sizeof(float));
  body.write_vertices(floats, {.stride = 8, .position = 0, .normal = 3});

  // Pull.
  const Vector3 eye(0.2, 0.0, 1.0), towards(0.0, 0.0, -1.0);
  if (const auto pick = body.pick(eye, towards)) {
    const double soft = std::min(body.stiffness_at(pick->vertex), 1e6);  // infinite where the body is held
    const Spring hand{pick->vertex, body.position(pick->vertex) + Vector3(0.0, 0.0, 0.01), 10.0 * soft};
    body.set_springs({&hand, 1});
    for (int i = 0; i < 16; ++i) (void)body.step(h);
    const Vector3 felt = -body.spring_force(0);  // N, for a haptic device
    body.set_springs({});
    std::printf("the hand felt %.3f N\n", felt.norm());
  }

  // Push at all vertices.
  std::vector<PointForce> wind(vertices.size());
  for (std::size_t v = 0; v < wind.size(); ++v) wind[v] = {static_cast<int>(v), Vector3(1e-4, 0.0, 0.0)};
  body.set_forces(wind);
  (void)body.step(h);
  body.set_forces({});

  // Pressure.
  const SurfaceMesh& skin = body.surface().mesh();
  SurfaceLoad jet{.pressure = 20.0, .from = body.time(), .to = body.time() + 0.01};  // Pa, s
  for (int t = 0; t < skin.triangle_count() / 2; ++t) jet.triangles.push_back(t);
  body.set_surface_loads({jet});
  for (int i = 0; i < 16; ++i) (void)body.step(h);
  body.set_surface_loads({});

  // Jacobians.
  PointRows tip;
  body.point_rows(0, tip);  // any vertex; a mesh_point() as well
  Vector3 moving = Vector3::Zero();
  Vector pushed = Vector::Zero(body.unknowns());  // by a force of 1 N along z
  for (std::size_t i = 0; i < tip.columns.size(); ++i) {
    moving += body.v()(tip.columns[i]) * tip.rows.col(static_cast<Index>(i));  // is body.velocity(0)
    pushed(tip.columns[i]) += tip.rows(2, static_cast<Index>(i));
  }
  if ((moving - body.velocity(0)).norm() > 1e-9 * (1.0 + moving.norm())) return 1;
  std::printf("a push at vertex 0 is felt by %d of %d unknowns\n",
              static_cast<int>((pushed.array() != 0.0).count()), static_cast<int>(body.unknowns()));

  // Ride.
  const double start = body.time();
  body.set_support([start](double t) {
    const double angle = 0.2 * std::sin(3.0 * (t - start));
    return Pose{Vector3(0.1 * angle, 0.0, 0.0),
                Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3::UnitZ()))};
  });
  for (int i = 0; i < 100; ++i) (void)body.step(h);

  // Throw.
  Body flyer(read_model(argv[2]));
  flyer.set_velocity({2.0, 0.0, 3.0}, {0.0, 5.0, 1.0});  // m/s, and rad/s about its centre of mass
  flyer.set_gravity({0.0, 0.0, -9.81});
  for (int i = 0; i < 500; ++i) (void)flyer.step(h);
  const TreeMomentum flight = flyer.momentum();  // mass, centre of mass, linear and angular momentum
  const FrameState frame = flyer.state().root;   // position, rotation and velocities of its frame
  std::printf("flew to x = %.3f m, spins with %.3f rad/s\n", flight.center.x(),
              frame.angular_velocity.norm());

  // Save and load a game.
  StateWriter saved;
  flyer.save(saved);
  const std::string bytes = saved.bytes();
  Body loaded(flyer.shared_model());
  loaded.set_gravity({0.0, 0.0, -9.81});  // loads and settings are the game's own
  StateReader reader(bytes, "the saved game");
  loaded.restore(reader);
  (void)flyer.step(h);
  (void)loaded.step(h);
  if (loaded.q() != flyer.q() || loaded.time() != flyer.time()) return 1;  // they go on with the same bits

  // Far away: fewer coordinates.
  body.set_rank(body.rank() / 2);
  (void)body.step(h);

  // Threads.
  const auto advance = [&crowd, h](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) (void)crowd[i].step(h);
  };
  std::thread half(advance, 0, crowd.size() / 2);
  advance(crowd.size() / 2, crowd.size());
  half.join();
  return 0;
}
