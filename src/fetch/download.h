// One URL -> one file that is complete or absent. What has arrived is kept beside it
// (PATH.download), so that a broken transfer, or the next run of the program, goes on
// where the last one stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace verbund {

struct DownloadRequest {
  std::string url;  // http, https or file
  std::filesystem::path path;
  uint64_t size = 0;      // bytes; 0 if nobody knows
  std::string listed_in;  // where the user can change the URL, for messages
};

struct DownloadOptions {
  int attempts = 6;           // in a row without a new byte, before it gives up
  double first_delay = 1;     // seconds before the second attempt; doubled for each further one
  double longest_delay = 30;  // seconds
  int connect_timeout = 30;   // seconds
  int stall_timeout = 30;     // seconds below `stall_speed` that count as a broken transfer
  int stall_speed = 500;      // bytes a second
};

void download(const DownloadRequest& request, const DownloadOptions& options = {});

}  // namespace verbund
