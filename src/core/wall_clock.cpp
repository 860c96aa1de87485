#include "core/wall_clock.h"

#include <sys/stat.h>

#include <ctime>

namespace verbund {

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string time_of_file(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";
  return utc_time(std::chrono::system_clock::from_time_t(status.st_mtime));
}

}  // namespace verbund
