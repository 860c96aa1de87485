// SPDX-License-Identifier: Apache-2.0
// CheckpointContents describes a checkpoint folder: its files and their purposes, the parameters of the model by part,
// and the composition of its size. For `verbund inspect`, and for questions 11 and 12 of the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

struct CheckpointContents {
  struct File {
    std::string name;
    std::string purpose;  // "unknown: ..." if no checkpoint has such a file
    uint64_t size = 0;
    std::string checksum;  // as in manifest.json; "" if it is not listed there
    std::string damage;    // missing, wrong size or wrong checksum; "": none found
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

  std::filesystem::path folder;    // the target, if a link such as `best` was given
  std::vector<std::string> links;  // that point to it: best, last
  int64_t step = 0;
  bool verified = false;  // every byte was compared with its checksum

  std::string run, run_folder, program, time;  // "": not recorded by older programs
  std::string average_of;                      // of an average of checkpoints: "the mean of steps 3000, 4000"; else ""

  std::vector<File> files;    // by name; missing ones included
  uint64_t file_bytes = 0;    // of all files
  uint64_t folder_bytes = 0;  // with the folder's own entry, as `du -b` counts

  // The rest is empty if weights.safetensors cannot be read.
  std::vector<Part> parts;
  uint64_t parameters = 0;
  std::vector<Part> moments;  // the optimiser's state: "adam.m", "adam.v"
  bool averaged = false;      // averaged weights are saved

  // 4 bytes x parameters x (1 + moments + average), and the rest of `file_bytes`.
  uint64_t expected_bytes = 0;
  std::vector<Share> remainder;

  bool damaged() const;
};

// `verify`: compares the checksums of all files, not only their sizes. A folder without a readable manifest is an
// error; any other damage is noted at its file.
CheckpointContents read_checkpoint_contents(const std::filesystem::path& folder, bool verify);

}  // namespace verbund
