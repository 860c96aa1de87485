// A subword model: text <-> token ids. Ids 0-3 are fixed in every model Verbund uses.
// This and the trainer beside it are the only users of the SentencePiece library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

using TokenId = int32_t;

inline constexpr TokenId kPad = 0;
inline constexpr TokenId kEndOfSentence = 1;
inline constexpr TokenId kStartOfSentence = 2;
inline constexpr TokenId kUnknown = 3;

inline constexpr std::string_view kWordStart = "\u2581";  // what a piece that begins a word begins with

class Subwords {
 public:
  // Refuses a file that is not a SentencePiece model or numbers the special pieces differently.
  explicit Subwords(const std::filesystem::path& path);
  ~Subwords();
  Subwords(Subwords&&) noexcept;
  Subwords& operator=(Subwords&&) noexcept;

  size_t size() const;
  const char* type() const;  // "bpe", "unigram", "word", "char"
  std::string piece(TokenId id) const;
  float score(TokenId id) const;
  bool is_ordinary(TokenId id) const { return ordinary_[static_cast<size_t>(id)]; }  // made of text, by learning

  // Safe to call from several threads. Special pieces are never part of the result.
  std::vector<TokenId> encode(std::string_view text) const;
  std::string decode(const std::vector<TokenId>& ids) const;

  // The pieces as text; a run of unknown characters stays as it is written.
  std::vector<std::string> encode_pieces(std::string_view text) const;
  std::string decode_pieces(const std::vector<std::string>& pieces) const;  // unknown ones as they are written

  // True if a sentence is encoded as its words are, one after the other.
  bool encodes_by_word() const { return encodes_by_word_; }

 private:
  bool decide_by_word() const;

  struct Model;
  std::unique_ptr<Model> model_;
  bool encodes_by_word_ = false;
  std::vector<bool> ordinary_;
};

}  // namespace verbund
