// What a checkpoint folder holds: its files with what each is for, the model's parameters by part, and how its size
// comes about. For `verbund inspect`, and for the report's questions 8 and 9.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace verbund {

struct CheckpointContents {
  struct File {
    std::string name;
    std::string purpose;  // "unknown: ..." if no checkpoint has such a file
    uint64_t size = 0;
    std::string checksum;  // as in manifest.json; "" if it is not named there
    std::string damage;    // what is wrong with it: missing, its size, its checksum; "": nothing was found
  };
  struct Part {
    std::string name;  // "embeddings", "encoder attention", ...
    uint64_t parameters = 0;
    uint64_t bytes = 0;
  };
  struct Share {
    std::string what;
    int64_t bytes = 0;
  };

  std::filesystem::path folder;    // the real one, if a link such as `best` was given
  std::vector<std::string> links;  // beside it that point to it: best, last
  int64_t step = 0;
  bool verified = false;  // every byte was compared with its checksum

  std::string run, run_folder, program, time;  // who made it, when; "" if it is older than such notes
  std::string average_of;                      // of an average: "the mean of steps 3000, 4000"; else ""

  std::vector<File> files;    // in the order of names; those that should be there and are not, too
  uint64_t file_bytes = 0;    // of all files
  uint64_t folder_bytes = 0;  // with the folder's own entry, as `du -b` counts

  // From here on nothing is known if weights.safetensors cannot be read.
  std::vector<Part> parts;
  uint64_t parameters = 0;
  std::vector<Part> moments;  // the optimiser's state: "adam.m", "adam.v"
  bool averaged = false;      // averaged weights are kept

  // 4 bytes x parameters x (1 + moments + average); and what the rest of `file_bytes` is.
  uint64_t expected_bytes = 0;
  std::vector<Share> remainder;

  bool damaged() const;
};

// `verify`: compare every byte with its checksum, not only sizes. A folder without a manifest that can be read is an
// error; any other damage is told in its file.
CheckpointContents read_checkpoint_contents(const std::filesystem::path& folder, bool verify);

std::string show_checkpoint_contents(const CheckpointContents& contents);
nlohmann::ordered_json to_json(const CheckpointContents& contents);

}  // namespace verbund
