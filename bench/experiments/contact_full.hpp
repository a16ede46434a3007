#pragma once

namespace limber::bench {

/// A ball between two plates: the force of bodies with every vertex and in a subspace, against Hertz.
void hertz();

/// A heart that is dropped and a block that a ball is pressed into: bodies in a subspace, with and without
/// contact responses, against the body with every vertex in the same world.
void compare_with_full();

}  // namespace limber::bench
