// A page as Markdown, for terminals, e-mail and repositories: the same but for the drawings. Text of others is escaped.
#pragma once

#include <string>

#include "report/page.h"

namespace verbund {

std::string markdown_page(const Page& page);

}  // namespace verbund
