#pragma once

#include <functional>
#include <string_view>

namespace limber {

/// Receives the advance of long work: `fraction` runs from 0 to 1 within the stage named.
/// Called from the thread that started the work. An empty function means nobody watches.
using Progress = std::function<void(std::string_view stage, double fraction)>;

/// Receives one line of text for a person: a warning, or what an algorithm decided.
using LogSink = std::function<void(std::string_view line)>;

inline void report(const Progress& progress, std::string_view stage, double fraction) {
  if (progress) progress(stage, fraction);
}

inline void report(const LogSink& log, std::string_view line) {
  if (log) log(line);
}

}  // namespace limber
