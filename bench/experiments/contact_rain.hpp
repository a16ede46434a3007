#pragma once

#include <filesystem>

namespace limber::bench {

/// Random drops of ten different bodies into a pen, each alone or all together, those with the numbers first
/// to last - 1 of an endless row of drops. Prints what each one that failed did, and a table. Returns whether
/// none did.
bool rain(const std::filesystem::path& folder, bool together, int first, int last);

}  // namespace limber::bench
