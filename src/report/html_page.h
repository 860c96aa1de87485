// A page as one HTML file: no script, no network, nothing beside it. Everything that comes from a run is escaped.
#pragma once

#include <string>

#include "report/page.h"

namespace verbund {

std::string html_page(const Page& page);

// Its style sheet: light and dark, phone and desktop, print.
std::string_view page_style();

}  // namespace verbund
