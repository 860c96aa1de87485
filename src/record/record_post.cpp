#include "record/record_post.h"

#include "collectives/workers.h"

namespace verbund {

RecordPost record_post(Workers& workers, uint32_t start) {
  return {.self = workers.self(),
          .start = start,
          .send = [&workers](std::vector<std::byte> message) { workers.post(std::move(message)); },
          .now = [&workers] { return workers.run_clock(); },
          .clock = [&workers] { return workers.clock(); }};
}

}  // namespace verbund
