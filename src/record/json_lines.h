// A file of one JSON object a line, as history.jsonl and exchange.jsonl are, read whatever state it is in: the program
// that wrote it may have been killed in the middle of a line, or may still be writing.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

namespace verbund {

// Hands on each line that is an object, in order; one that `use` refuses with a JSON exception is damaged, too.
// Returns how many lines are damaged. A last line without an end is still being written, or was cut by a kill: it is
// used if it is whole, and else counts for nothing. Without a file there are no lines.
size_t read_json_lines(const std::filesystem::path& path,
                       const std::function<void(const nlohmann::ordered_json& line)>& use);

}  // namespace verbund
