// SPDX-License-Identifier: Apache-2.0
// A verified note identifies the files of a dataset on this host, as they were when their contents were verified. A
// worker tells launch the note; after a restart of the same job it gets it back, and need not read unchanged files
// again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/dataset.h"

namespace verbund {

// The variable by which launch passes the notes of all hosts, separated by commas, to the workers of a restart.
constexpr const char* kVerifiedVariable = "VERBUND_VERIFIED";

// Sixteen hexadecimal digits, made of path, size, times and inode of every file, and the boot of the host: a note is
// worth nothing once a file was written or replaced, or the host has rebooted. "" if a file cannot be examined.
std::string verified_note(const Dataset& dataset);

bool is_noted(std::string_view notes, const std::string& note);

// Tells launch, if launch reads the output of this process, in a line like those of core/status.h:
//   0x1d {"event":"verified","note":"0123456789abcdef"}
void tell_verified(const std::string& note);
// The note of such a line; nothing for any other line.
std::optional<std::string> parse_verified(std::string_view line);

}  // namespace verbund
