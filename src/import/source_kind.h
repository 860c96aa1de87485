// What a file or folder that is to be imported is, told by its content.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

inline constexpr std::array kSourceKinds = {"openseq2seq-log", "scalar-csv", "tensorboard-events"};

// One of kSourceKinds. Fails with what was looked for and what was found. (A text file is taken for a log, whose
// reader looks closer.)
std::string recognise_source(const std::filesystem::path& source);

}  // namespace verbund
