// SPDX-License-Identifier: Apache-2.0
// Readers for the curves of a run in TensorBoard: its event files, and the CSV files that its web page offers for
// download.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

// First line of a CSV file.
inline constexpr const char* kScalarCsvHeader = "Wall time,Step,Value";

// One curve.
struct ScalarCsv {
  std::string file;  // name
  std::string text;  // the whole file
};

// The CSV files of a folder or archive, or a single one; may be empty. Other files are skipped.
std::vector<ScalarCsv> find_scalar_csv(const std::filesystem::path& source);

ImportedRun read_scalar_csv(const std::vector<ScalarCsv>& files);

// Files in the order in which TensorBoard reads them.
ImportedRun read_event_files(const std::vector<std::filesystem::path>& files);

// True for the first bytes of a tar or zip file.
bool is_archive(std::string_view head);

}  // namespace verbund
