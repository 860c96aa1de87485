#include "report/verdict.h"

namespace verbund {

const char* finding_name(Finding finding) {
  switch (finding) {
    case Finding::kGood:
      return "good";
    case Finding::kNeutral:
      return "neutral";
    case Finding::kBad:
      return "bad";
    case Finding::kCannotTell:
      return "cannot tell";
  }
  return "";
}

}  // namespace verbund
