// SPDX-License-Identifier: Apache-2.0
// Subwords is a SentencePiece model: text <-> token ids. Ids 0 to 3 are the same in every model that Verbund uses. Only
// this file and the trainer use the SentencePiece library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hash.h"

namespace verbund {

using TokenId = int32_t;

inline constexpr TokenId kPad = 0;
inline constexpr TokenId kEndOfSentence = 1;
inline constexpr TokenId kStartOfSentence = 2;
inline constexpr TokenId kUnknown = 3;

inline constexpr std::string_view kWordStart = "\u2581";  // first character of a piece that starts a word

// Refuses a file that is not a SentencePiece model, or has no pieces that text can be cut into.
void check_subword_model(const std::filesystem::path& path);

// ">>fra<<", with which a text names its target language
bool is_language_code(std::string_view piece);

class Subwords {
 public:
  // Refuses what check_subword_model refuses, and a model that numbers the special pieces differently.
  explicit Subwords(const std::filesystem::path& path);
  ~Subwords();
  Subwords(Subwords&&) noexcept;
  Subwords& operator=(Subwords&&) noexcept;

  size_t size() const;
  const char* type() const;  // "bpe", "unigram", "word", "char"
  std::string piece(TokenId id) const;
  float score(TokenId id) const;
  bool is_ordinary(TokenId id) const { return ordinary_[static_cast<size_t>(id)]; }  // learned from text
  // Whether the model protects this text: it is a piece of its own wherever it stands.
  bool is_symbol(std::string_view text) const;

  // Whether this piece is a protected code such as ">>fra<<", with which a text names its target language.
  bool is_code(TokenId id) const;

  // Thread-safe. The result never contains special pieces, nor a lone word start before a code that the text begins
  // with: models with such codes were trained without it.
  std::vector<TokenId> encode(std::string_view text) const;
  std::string decode(const std::vector<TokenId>& ids) const;

  // The pieces as text; unknown characters are kept.
  std::vector<std::string> encode_pieces(std::string_view text) const;
  std::string decode_pieces(const std::vector<std::string>& pieces) const;

  // True if the encoding of a sentence is that of its words, one after the other.
  bool encodes_by_word() const { return encodes_by_word_; }

 private:
  bool decide_by_word() const;

  struct Model;
  std::unique_ptr<Model> model_;
  bool encodes_by_word_ = false;
  std::vector<bool> ordinary_;
};

// WordEncoder encodes sentences much faster than the model alone, because it remembers the ids of each word. For one
// thread. Exact for models that encode by word; for others it calls the model.
class WordEncoder {
 public:
  explicit WordEncoder(const Subwords& subwords) : subwords_(subwords) {}

  // Appends the ids of `text` to `ids`; returns their number.
  size_t encode(std::string_view text, std::vector<TokenId>& ids);

 private:
  struct Known {
    uint32_t begin;  // in ids_
    uint32_t count;
  };

  Known learn(std::string_view word);

  const Subwords& subwords_;
  std::unordered_map<std::string, Known, TextHash, std::equal_to<>> words_;
  std::vector<TokenId> ids_;
};

}  // namespace verbund
