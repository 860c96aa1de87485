// SPDX-License-Identifier: Apache-2.0
// made_split() writes a split of given tokens and opens it.
#pragma once

#include <span>
#include <string>

#include "data/dataset.h"

namespace verbund {

// `ids` holds the tokens of all pairs, source then target; `lengths` two numbers per pair.
inline Split made_split(const fs::path& folder, const std::string& name, uint64_t vocabulary,
                        std::span<const TokenId> ids, std::span<const uint32_t> lengths) {
  SplitWriter writer(folder, name, vocabulary);
  FileRecords records;
  writer.add(ids, lengths);
  writer.commit(records);
  return Split(folder, name, vocabulary, vocabulary);
}

}  // namespace verbund
