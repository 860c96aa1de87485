// SPDX-License-Identifier: Apache-2.0
// download() fetches one URL into one file, which is complete or absent. Bytes that have arrived are kept beside it
// (PATH.download), so that the next attempt, or the next run of the program, resumes where the last one stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace verbund {

struct DownloadRequest {
  std::string url;  // http, https or file
  std::filesystem::path path;
  uint64_t size = 0;      // bytes; 0 if unknown
  std::string listed_in;  // where the user can change the URL, for messages
};

struct DownloadOptions {
  int attempts = 6;           // attempts in a row without a new byte before giving up
  double first_delay = 1;     // seconds before the second attempt; doubled for each further one
  double longest_delay = 30;  // seconds
  int connect_timeout = 30;   // seconds
  int stall_timeout = 30;     // seconds below `stall_speed` after which the transfer counts as broken
  int stall_speed = 500;      // bytes a second
};

void download(const DownloadRequest& request, const DownloadOptions& options = {});

}  // namespace verbund
