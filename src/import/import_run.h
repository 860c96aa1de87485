// A run of another program -> a run folder, which `verbund report` and the rest read like their own. docs/import.md is
// the page for people. A new kind of source: one reader that makes an ImportedRun, its name in kSourceKinds, a line in
// recognise_source and one in import_run.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace verbund {

// `kind`: one of kSourceKinds, or "" to tell it by the content. Returns the "imported" section of run.json.
nlohmann::ordered_json import_run(const std::filesystem::path& source, const std::string& kind,
                                  const std::filesystem::path& run_folder);

}  // namespace verbund
