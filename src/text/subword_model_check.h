// SPDX-License-Identifier: Apache-2.0
// check_subword_model_file refuses a SentencePiece model whose content would lead the library outside of its tables: it
// follows them without looking at their sizes, and models come from strangers.
#pragma once

#include <filesystem>
#include <string_view>

namespace verbund {

// `bytes`: the content of the file `path`, before the library gets it.
void check_subword_model_file(std::string_view bytes, const std::filesystem::path& path);

}  // namespace verbund
