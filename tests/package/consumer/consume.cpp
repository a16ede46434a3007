// What a program may do with the package, whatever flags it is compiled with: keeps, copies and moves the
// library's own structs, and says how large it believes them to be. Prints the same text with any flags.

#include "consume.hpp"

#include <limber/body/body.hpp>
#include <limber/body/contact_step.hpp>
#include <limber/body/world.hpp>
#include <limber/io/model_file.hpp>

#include <cstdio>
#include <vector>

using namespace limber;

namespace {

template <class T>
void print_layout(const char* name) {
  std::printf("%s: %zu bytes, aligned to %zu\n", name, sizeof(T), alignof(T));
}

void print_layouts() {
#define LAYOUT(type) print_layout<type>(#type)
  LAYOUT(Handle);
  LAYOUT(Spring);
  LAYOUT(PointForce);
  LAYOUT(BodyLoads);
  LAYOUT(Wind);
  LAYOUT(Pose);
  LAYOUT(TreeState);
  LAYOUT(Pick);
  LAYOUT(FrameMotion);
  LAYOUT(ConstraintReport);
  LAYOUT(ReducedStepOptions);
  LAYOUT(DynamicState);
  LAYOUT(SolveReport);
  LAYOUT(Material);
  LAYOUT(ReducedModel);
  LAYOUT(ReducedRegion);
  LAYOUT(ReducedSurface);
  LAYOUT(SimulationMesh);
  LAYOUT(CubatureRule);
  LAYOUT(WarpData);
  LAYOUT(VolumeMesh);
  LAYOUT(SurfaceMesh);
  LAYOUT(Embedding);
  LAYOUT(Body);
  LAYOUT(Domain);
  LAYOUT(ReducedPart);
  LAYOUT(Model);
  LAYOUT(PartSettings);
  LAYOUT(TreeDynamics);
  LAYOUT(TreeSurface);
  LAYOUT(World);
  LAYOUT(StepReport);
  LAYOUT(RigidBodySetup);
  LAYOUT(RigidBody);
  LAYOUT(RigidGrip);
  LAYOUT(RigidLoad);
  LAYOUT(SamplePoint);
  LAYOUT(HostState);
  LAYOUT(HostPush);
  LAYOUT(HostBody);
  LAYOUT(Obstacle);
  LAYOUT(SolidShape);
  LAYOUT(Box);
  LAYOUT(Capsule);
  LAYOUT(MassProperties);
  LAYOUT(ContactMaterial);
  LAYOUT(ContactOptions);
  LAYOUT(ContactReport);
  LAYOUT(ContactPoint);
  LAYOUT(Touching);
  LAYOUT(TimedLoads);
  LAYOUT(SurfaceLoad);
  LAYOUT(Eigen::Quaterniond);
  LAYOUT(Eigen::Matrix4d);
  LAYOUT(Eigen::Vector2d);
#undef LAYOUT
}

void print_positions(const char* what, const Eigen::Matrix3Xf& x) {
  const Eigen::Vector3f mean = x.rowwise().mean();
  std::printf("%s: %d vertices about (%.4f, %.4f, %.4f)\n", what, int(x.cols()), mean.x(), mean.y(),
              mean.z());
}

int drag(const char* file) {
  Body made(read_model(file));
  const Body copied = made;
  Body body = std::move(made);
  body = copied;
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  body.set_gravity({0.0, 0.0, -9.81});
  for (int i = 0; i < 20; ++i)
    if (!body.step(1e-3).ok()) return 1;
  body.positions(x);
  print_positions("fallen", x);

  body.set_method(Method::warped);
  std::vector<Handle> handles;
  const auto tip = body.pick({10.0, 0.01, 0.01}, {-1.0, 0.0, 0.0});
  if (!tip) return 1;
  for (int i = 0; i < 3; ++i) {  // grows, so that what it holds is copied
    Handle handle;
    handle.point = tip->vertex;
    handle.hold_orientation = true;
    handle.position = body.position(tip->vertex);
    handle.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.1 * i, Vector3::UnitX()));
    handles.push_back(handle);
  }
  const std::vector<Handle> copies = handles;
  body.set_handles({&copies.back(), 1});
  for (int i = 0; i < 20; ++i)
    if (!body.step(1e-3).ok()) return 1;
  body.positions(x);
  print_positions("twisted", x);
  const Eigen::Quaterniond turned = body.orientation(tip->vertex);
  std::printf("turned by (%.4f, %.4f, %.4f, %.4f)\n", turned.w(), turned.x(), turned.y(), turned.z());
  return 0;
}

int shake(const char* file) {
  Model read = read_model(file);
  Model copy = read;
  copy.domains.insert(copy.domains.end(), 3, read.domains.back());  // grows, and shrinks again
  copy.domains.resize(read.domains.size());
  read = Model();
  Body tree(std::move(copy));
  tree.set_gravity({0.0, 0.0, -9.81});
  for (int i = 0; i < 20; ++i)
    if (!tree.step(1e-3).ok()) return 1;
  Eigen::Matrix3Xf x(3, tree.surface().mesh().vertex_count());
  tree.positions(x);
  print_positions("shaken", x);
  return 0;
}

}  // namespace

int consume(const char* model, const char* tree) {
  print_layouts();
  const int status = drag(model) + shake(tree);
  if (status != 0) std::printf("failed\n");
  return status;
}
