#include "exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <emscripten.h>

namespace limber::bindings {

void set_message(const char* text) {
  const std::size_t size = std::min(std::strlen(text), message.size() - 1);
  std::memcpy(message.data(), text, size);
  message[size] = '\0';
}

}  // namespace limber::bindings

using namespace limber::bindings;

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* limber_message() { return message.data(); }
EMSCRIPTEN_KEEPALIVE const double* limber_results() { return results.data(); }

EMSCRIPTEN_KEEPALIVE void* limber_allocate(std::size_t bytes) {
  return std::malloc(bytes);
}  ///< null: no room
EMSCRIPTEN_KEEPALIVE void limber_free(void* data) { std::free(data); }

}  // extern "C"
