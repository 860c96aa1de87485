// SPDX-License-Identifier: Apache-2.0
#include "data/verified_note.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/json.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/output.h"

namespace verbund {
namespace {

constexpr const char* kVerifiedEvent = "verified";

}  // namespace

std::string verified_note(const Dataset& dataset) {
  const fs::path folder = fs::absolute(dataset.folder());
  std::string facts = boot_id() + folder.string();
  for (const auto& [name, record] : dataset.manifest().files) {
    struct stat seen = {};
    if (::stat((folder / name).c_str(), &seen) != 0) return "";
    facts += fmt::format("\n{} {} {} {}.{} {}.{} {} {}", name, record.checksum, seen.st_size, seen.st_mtim.tv_sec,
                         seen.st_mtim.tv_nsec, seen.st_ctim.tv_sec, seen.st_ctim.tv_nsec, seen.st_dev, seen.st_ino);
  }
  return fmt::format("{:016x}", hash64(facts));
}

bool is_noted(std::string_view notes, const std::string& note) {
  return !note.empty() && notes.find(note) != std::string_view::npos;
}

void tell_verified(const std::string& note) {
  if (!terminal().takes_records || note.empty()) return;
  const Json object = {{"event", kVerifiedEvent}, {"note", note}};
  write_or_drop(STDERR_FILENO, kRecordMark + dump_json(object) + "\n");
}

std::optional<std::string> parse_verified(std::string_view line) {
  if (line.empty() || line.front() != kRecordMark) return std::nullopt;
  const Json object = try_parse_json(line.substr(1));
  if (!object.is_object() || object.value("event", Json()) != kVerifiedEvent) return std::nullopt;
  const Json note = object.value("note", Json());
  if (!note.is_string() || note.get<std::string>().find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  return note.get<std::string>();
}

}  // namespace verbund
