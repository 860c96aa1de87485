#include "score/segments.h"

#include "core/error.h"

namespace verbund {

void check_parallel(const Segments& hypotheses, const References& references) {
  if (hypotheses.empty()) fail("there is nothing to score: the hypothesis has no segments");
  if (references.empty()) fail("there is no reference to score {} segments against", hypotheses.size());
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() == hypotheses.size()) continue;
    fail("the hypothesis has {} segments but reference {} has {}: they must be parallel", hypotheses.size(), i + 1,
         references[i].size());
  }
}

References references_of_one(const Segments& references) {
  References each;
  for (const std::string& reference : references) each.push_back({reference});
  return each;
}

}  // namespace verbund
