#pragma once

#include "limber/online/online_settings.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber::app {

/// What online model reduction did for one body. The timeline is a list of runs of equal steps: their kind,
/// how many, the rank and, where the first of them changed the basis, how.
nlohmann::ordered_json online_json(const OnlineReport& report);

/// What the characters of a timeline are made of.
enum class TextSet { unicode, ascii };

/// What the terminal can show, by the environment (LC_ALL, LC_CTYPE, LANG): unicode where it is UTF-8.
TextSet terminal_text_set();

/// A timeline in characters: a line of blocks, dark where steps were full and light where they were reduced,
/// and below it, where the basis changed at all, a line of marks. A character stands for one step or, in a
/// longer run, for as many as make `columns` of them. Both lines end with a newline. Empty for a run without
/// steps. Throws Error where columns < 1.
std::string timeline_text(const Timeline& timeline, int columns, TextSet set = TextSet::unicode);

/// The same report in a few lines for people, with its timeline. accepted_error: relative, what the user
/// asked for.
std::string online_text(const std::string& body, const OnlineReport& report, double accepted_error,
                        TextSet set = TextSet::unicode);

}  // namespace limber::app
