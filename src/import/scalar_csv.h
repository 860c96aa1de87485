// Curves as TensorBoard lets one download them: a CSV file for each, "Wall time,Step,Value".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

inline constexpr const char* kScalarCsvHeader = "Wall time,Step,Value";

// One curve: the name of its file and all its text.
struct ScalarCsv {
  std::string file;
  std::string text;
};

// Of a CSV file, a folder of such, or an archive of such; other files are left out. None is no error here.
std::vector<ScalarCsv> find_scalar_csv(const std::filesystem::path& source);

ImportedRun read_scalar_csv(const std::vector<ScalarCsv>& files);

}  // namespace verbund
