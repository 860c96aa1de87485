// SPDX-License-Identifier: Apache-2.0
// made_subword_model makes the bytes of a SentencePiece model without learning: pieces, and a normaliser with a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/wire_format.h"

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
inline std::string made_subword_model(const std::vector<std::pair<std::string, uint64_t>>& pieces,
                                      std::string_view table = {}, uint64_t normalizer = 3) {
  WireWriter model;
  const auto add = [&](const std::string& text, uint64_t type) {
    WireWriter piece;
    piece.add(1, std::string_view(text));
    piece.add(2, -1.0f);
    piece.add(3, type);
    model.add(1, piece.message());
  };
  add("<pad>", 3);
  add("</s>", 3);
  add("<s>", 3);
  add("<unk>", 2);
  for (const auto& [text, type] : pieces) add(text, type);
  WireWriter trainer;
  for (const auto& [field, id] : {std::pair(40, 3), std::pair(41, 2), std::pair(42, 1), std::pair(43, 0)}) {
    trainer.add(static_cast<uint64_t>(field), static_cast<uint64_t>(id));
  }
  model.add(2, trainer.message());
  WireWriter settings;
  settings.add(2, table);
  model.add(normalizer, settings.message());
  return model.message();
}

}  // namespace verbund
