// SPDX-License-Identifier: Apache-2.0
#include "text/subword_model_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/protobuf.h"

namespace verbund {
namespace {

// The library has room for 32 rules that match the same text, and for 64 user-defined pieces.
constexpr uint64_t kMaxMatches = 32;
constexpr size_t kMaxNestedPieces = 64;
// Its trie is built by a recursion over the bytes of a piece. Learned pieces have at most some hundred.
constexpr size_t kMaxPieceBytes = 4096;

// CharacterMap is the table of a normaliser (precompiled_charsmap): the size of a trie in 4 bytes, the trie, and the
// strings that replace what it finds, each with a zero at its end. The trie is a double array (darts-clone): from the
// unit at `base ^ byte`, if its label is that byte, a search goes on with the base `place ^ offset`; where a unit has a
// leaf, the unit at that base holds the value, which is the beginning of a string.
class CharacterMap {
 public:
  // "" if all that a text can lead to is inside the table.
  static std::string damage(std::string_view table) {
    if (table.empty()) return "";  // nothing is replaced
    if (table.size() < 4) return "has no size";
    const uint64_t size = number(table, 0);
    if (size > table.size() - 4) return "is smaller than it says";
    if (size % 4 != 0) return "has a trie of no whole number of units";
    return CharacterMap(table.substr(4, size), table.substr(4 + size)).find_damage();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  enum State : uint8_t { kOpen = 254, kUnknownState = 255 };  // below: the most matches from a base on

  struct Unit {
    uint32_t bits;
    bool has_leaf() const { return (bits >> 8 & 1) != 0; }
    uint32_t label() const { return bits & 0x8000'00FF; }  // a value has none of a byte
    uint64_t offset() const { return bits >> 10 << ((bits & 1u << 9) >> 6); }
    uint64_t value() const { return bits & 0x7FFF'FFFF; }
  };
  struct Visit {
    uint64_t base;
    uint32_t child;
    uint64_t matches = 0;
  };

  CharacterMap(std::string_view trie, std::string_view strings) : trie_(trie), strings_(strings) {}

  static uint32_t number(std::string_view bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }
  size_t units() const { return trie_.size() / 4; }
  Unit unit(uint64_t place) const { return {number(trie_, place * 4)}; }

  // Every unit belongs to one base: these are the lists of the units of each.
  void list_children() {
    first_.assign(units(), kNone);
    next_.assign(units(), kNone);
    for (uint32_t place = 0; place < units(); ++place) {
      const uint32_t label = unit(place).label();
      if (label > 0xFF || (place ^ label) >= units()) continue;
      next_[place] = first_[place ^ label];
      first_[place ^ label] = place;
    }
  }

  // The search may look at all bytes from there.
  bool is_inside(uint64_t base) const { return (base | 0xFF) < units(); }

  std::string find_damage() {
    constexpr const char* kOutside = "leads outside of itself";
    if (units() == 0 || !is_inside(unit(0).offset())) return kOutside;
    if (!strings_.ends_with('\0')) return "has a string without an end";
    list_children();
    std::vector<uint8_t> states(units(), kUnknownState);
    std::vector<Visit> path = {{unit(0).offset(), first_[unit(0).offset()]}};
    states[path.front().base] = kOpen;
    while (!path.empty()) {
      Visit& at = path.back();
      if (at.child == kNone) {
        states[at.base] = static_cast<uint8_t>(at.matches);
        path.pop_back();
        continue;
      }
      const Unit child = unit(at.child);
      const uint64_t base = at.child ^ child.offset();
      if (!is_inside(base)) return kOutside;
      if (states[base] == kOpen) return "has a loop";
      if (states[base] == kUnknownState) {
        states[base] = kOpen;
        path.push_back({base, first_[base]});
        continue;  // and returns to this child
      }
      if (child.has_leaf() && unit(base).value() >= strings_.size()) return kOutside;
      at.matches = std::max(at.matches, states[base] + uint64_t{child.has_leaf()});
      if (at.matches > kMaxMatches) return fmt::format("has more than {} rules for one text", kMaxMatches);
      at.child = next_[at.child];
    }
    return "";
  }

  std::string_view trie_, strings_;
  std::vector<uint32_t> first_, next_;
};

// "" if the user-defined pieces are such that the library has room for all that match one text.
std::string damage_of_pieces(std::vector<std::string_view> pieces) {
  std::sort(pieces.begin(), pieces.end());
  std::vector<std::string_view> nested;  // each the beginning of the next
  for (const std::string_view piece : pieces) {
    while (!nested.empty() && !piece.starts_with(nested.back())) nested.pop_back();
    nested.push_back(piece);
    if (nested.size() > kMaxNestedPieces) return fmt::format("more than {} pieces begin alike", kMaxNestedPieces);
  }
  return "";
}

}  // namespace

void check_subword_model_file(std::string_view bytes, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    fail("{} is not a SentencePiece model, or a damaged one: {}", path.string(), why);
  };
  enum { kPiece = 1, kNormalizerSettings = 3, kDenormalizerSettings = 5 };
  std::vector<std::string_view> user_defined;
  const auto check_piece = [&](std::string_view message) {
    std::string_view text;
    int64_t type = 0;
    ProtoReader piece(message);
    while (const auto field = piece.next()) {
      if (field->number == 1) text = field->bytes();
      if (field->number == 3) type = field->integer();
    }
    if (piece.damaged()) refuse("a piece of it is cut off");
    if (text.size() > kMaxPieceBytes) refuse(fmt::format("a piece has {} bytes", text.size()));
    if (type == 4) user_defined.push_back(text);
  };
  const auto check_settings = [&](std::string_view message) {
    ProtoReader settings(message);
    while (const auto field = settings.next()) {
      const std::string damage = field->number == 2 ? CharacterMap::damage(field->bytes()) : "";
      if (!damage.empty()) refuse("the table of its normalizer " + damage);
    }
    if (settings.damaged()) refuse("its normalizer is cut off");
  };
  ProtoReader model(bytes);
  while (const auto field = model.next()) {
    if (field->number == kPiece) check_piece(field->bytes());
    if (field->number == kNormalizerSettings || field->number == kDenormalizerSettings) check_settings(field->bytes());
  }
  if (model.damaged()) refuse("it is no sequence of its fields");
  if (const std::string damage = damage_of_pieces(std::move(user_defined)); !damage.empty()) refuse(damage);
}

}  // namespace verbund
