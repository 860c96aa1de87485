// SPDX-License-Identifier: Apache-2.0
// made_subword_model makes the bytes of a SentencePiece model without learning: pieces, and a normaliser with a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/protobuf.h"

namespace verbund {

// The units of a trie that knows the text "A", whose value is `value` (see src/text/subword_model_check.cpp).
inline std::vector<uint32_t> made_trie(uint32_t value) {
  constexpr uint32_t kUnused = 0x8000'0000;  // no byte leads to it
  std::vector<uint32_t> units(0x300, kUnused);
  units[0] = 0x100 << 10;
  units[0x100 ^ 'A'] = (0x100 ^ 'A' ^ 0x200) << 10 | 1 << 8 | 'A';
  units[0x200] = kUnused | value;
  return units;
}

inline std::string made_table(const std::vector<uint32_t>& units, std::string_view strings) {
  std::string table;
  const auto add = [&](uint64_t number) {
    for (int i = 0; i < 32; i += 8) table.push_back(static_cast<char>(number >> i));
  };
  add(units.size() * 4);
  for (const uint32_t unit : units) add(unit);
  return table.append(strings);
}

// `pieces`: text and type after <pad>, </s>, <s> and <unk>. `normalizer`: the number of the field of the table's
// message (3; that of the denormalizer is 5).
inline std::string made_subword_model(const std::vector<std::pair<std::string, int64_t>>& pieces,
                                      std::string_view table = {}, uint32_t normalizer = 3) {
  ProtoMessage model;
  const auto add = [&](const std::string& text, int64_t type) {
    ProtoMessage piece;
    piece.add_bytes(1, text).add_float(2, -1.0f).add_integer(3, type);
    model.add(1, piece);
  };
  add("<pad>", 3);
  add("</s>", 3);
  add("<s>", 3);
  add("<unk>", 2);
  for (const auto& [text, type] : pieces) add(text, type);
  ProtoMessage trainer;
  for (const auto& [field, id] : {std::pair(40u, 3), std::pair(41u, 2), std::pair(42u, 1), std::pair(43u, 0)}) {
    trainer.add_integer(field, id);
  }
  model.add(2, trainer);
  ProtoMessage settings;
  settings.add_bytes(2, table);
  model.add(normalizer, settings);
  return model.bytes();
}

}  // namespace verbund
