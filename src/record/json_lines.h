// SPDX-License-Identifier: Apache-2.0
// Reader of files with one JSON object per line, such as history.jsonl and exchange.jsonl, in any state: their writer
// may have been killed in the middle of a line, or may still be writing.
#pragma once

#include <filesystem>
#include <functional>

#include "core/json.h"

namespace verbund {

// Calls `use` for each line that is an object, in order. Returns the number of damaged lines: those that are not
// objects, or that `use` refuses with a JSON exception. A last line without a newline is used if it is complete, and
// else ignored. A missing file has no lines.
size_t read_json_lines(const std::filesystem::path& path, const std::function<void(const Json& line)>& use);

}  // namespace verbund
