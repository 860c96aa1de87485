// One attempt to bring the missing bytes of a download. The only user of libcurl.
#pragma once

#include <string>

#include "fetch/download.h"
#include "fetch/partial_file.h"

namespace verbund {

// How an attempt ended if not by an error that no further attempt can mend.
struct Outcome {
  bool done = false;
  std::string reason;
  double wait = 0;  // seconds that the server asked for
};

// Appends to `partial` what the server has behind it, or starts it anew if the server's
// file is not the one that it is the beginning of.
Outcome transfer(const DownloadRequest& request, const DownloadOptions& options, PartialFile& partial);

}  // namespace verbund
