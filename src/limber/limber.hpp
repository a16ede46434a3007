#pragma once

// All that a program needs to load bodies and let them move: what limber::runtime holds.

#include "limber/base/error.hpp"
#include "limber/body/body.hpp"
#include "limber/body/world.hpp"
#include "limber/io/model_file.hpp"
