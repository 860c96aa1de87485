// SPDX-License-Identifier: Apache-2.0
#include "fetch/download.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "fetch/transfer.h"

namespace verbund {
namespace {

void wait_for(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(50, static_cast<int>(seconds * 1000) + 1)));
  }
}

// "1.5 MB of 20 MB"
std::string arrived(const PartialFile& partial) {
  return human_bytes(partial.size()) + (partial.total() > 0 ? " of " + human_bytes(partial.total()) : "");
}

void transfer_all(const DownloadRequest& request, const DownloadOptions& options, PartialFile& partial) {
  uint64_t most = partial.size();
  int fruitless = 0;  // attempts in a row without new bytes
  while (!partial.complete()) {
    const Outcome outcome = transfer(request, options, partial);
    if (outcome.done) return;
    fruitless = partial.size() > most ? 1 : fruitless + 1;
    most = std::max(most, partial.size());
    if (fruitless >= options.attempts) {
      fail(
          "cannot download {}: {} ({} attempts failed).\nStart again later{}, or download the file by other "
          "means and put it at {}",
          request.url, outcome.reason, fruitless,
          partial.can_resume() ? fmt::format(" to resume at {}", arrived(partial)) : "", request.path.string());
    }
    const double delay = std::max(options.first_delay * std::exp2(fruitless - 1), outcome.wait);
    const double seconds = std::min(delay, options.longest_delay);
    warn("{}: {}. {} downloaded so far; attempt {} of {} follows in {}", request.url, outcome.reason, arrived(partial),
         fruitless + 1, options.attempts, human_duration(seconds));
    wait_for(seconds);
  }
}

}  // namespace

void download(const DownloadRequest& request, const DownloadOptions& options) {
  PartialFile partial(request.path, request.url);
  try {
    transfer_all(request, options, partial);
  } catch (const Interrupted&) {
    if (partial.can_resume()) log("{} are kept: the next run resumes there", arrived(partial));
    throw;
  }
  const uint64_t size = partial.size();
  if (request.size > 0 && size != request.size) {
    const fs::path bad = request.path.string() + ".bad";
    partial.finish(bad);
    fail(
        "{} has {} bytes but should have {}. It was renamed to {}.\nStart again to download it again, or "
        "correct its size in {}",
        request.url, size, request.size, bad.string(), request.listed_in);
  }
  partial.finish(request.path);
}

}  // namespace verbund
