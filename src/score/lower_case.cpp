#include "score/lower_case.h"

#include <unicode/ucasemap.h>

#include "core/error.h"
#include "core/utf8.h"

namespace verbund {
namespace {

std::string lower_case_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& byte : lowered) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return lowered;
}

const UCaseMap* root_case_map() {
  static const UCaseMap* const case_map = [] {
    UErrorCode status = U_ZERO_ERROR;
    const UCaseMap* opened = ucasemap_open("", 0, &status);
    if (U_FAILURE(status)) fail("ICU cannot lower-case text: {}", u_errorName(status));
    return opened;
  }();
  return case_map;
}

}  // namespace

std::string lower_case(std::string_view text) {
  if (is_ascii(text)) return lower_case_ascii(text);
  std::string lowered(text.size(), '\0');
  for (;;) {
    UErrorCode status = U_ZERO_ERROR;
    const int32_t needed = ucasemap_utf8ToLower(root_case_map(), lowered.data(), static_cast<int32_t>(lowered.size()),
                                                text.data(), static_cast<int32_t>(text.size()), &status);
    if (status != U_BUFFER_OVERFLOW_ERROR && U_FAILURE(status)) {
      fail("ICU cannot lower-case a line of {} bytes: {}", text.size(), u_errorName(status));
    }
    lowered.resize(static_cast<size_t>(needed));
    if (status != U_BUFFER_OVERFLOW_ERROR) return lowered;
  }
}

}  // namespace verbund
