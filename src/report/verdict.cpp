#include "report/verdict.h"

namespace verbund {

const char* grade_name(Grade finding) {
  switch (finding) {
    case Grade::kGood:
      return "good";
    case Grade::kNeutral:
      return "neutral";
    case Grade::kBad:
      return "bad";
    case Grade::kCannotTell:
      return "cannot tell";
  }
  return "";
}

}  // namespace verbund
