#pragma once

#include <string>

namespace limber::app {

/// Opens the address in the person's browser ($BROWSER, else what xdg-open chooses) where there is a screen
/// to show it on. Does not wait for it; it outlives this program, and its output goes nowhere. Returns
/// whether one was started.
bool open_in_browser(const std::string& url);

}  // namespace limber::app
