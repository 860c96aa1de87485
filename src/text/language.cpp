// SPDX-License-Identifier: Apache-2.0
#include "text/language.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <bit>
#include <sstream>
#include <unordered_map>

#include "core/utf8.h"

namespace verbund {
namespace {

constexpr uint64_t kFewestWords = 200;     // of a text, for a guess
constexpr double kShareOfLanguage = 0.12;  // least share of frequent words in a text of the language
constexpr double kTimesAsMany = 2;         // frequent words of the guess, compared with the expected language

struct Profile {
  const char* code;
  const char* name;
  const char* words;
};

constexpr Profile kProfiles[] = {
    {"en", "English",
     "the of and to in a is that for it on was with as be this by are at from we which have not an has i you will "
     "they or but his were their he been its our there would can all who more if"},
    {"de", "German",
     "der die und das in ist zu den nicht mit von es für auf ein eine dem im des sich auch an als daß dass wir werden "
     "wird sind hat ich aus sie bei haben einer einem einen über so nach um zum zur wie war oder"},
    {"fr", "French",
     "de la le et les des en à du que un une est dans pour l d qui au il sur pas par nous ce ne plus sont avec se aux "
     "je cette ont mais vous son ou été être ces elle leur sa"},
    {"es", "Spanish",
     "de la que el en y a los se del las un por con una no para es su al lo como más o ha pero sus este son esta entre "
     "cuando muy sin sobre ser también hay está"},
    {"it", "Italian",
     "di e il che la in per un è non una del della le i si con da sono dei al alla nel come più anche lo gli ha ma o "
     "questo delle essere questa degli dell nella ci"},
    {"pt", "Portuguese",
     "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou "
     "ser quando muito há nos já está também são pela"},
    {"nl", "Dutch",
     "de het een van en in is dat op te voor met niet zijn die aan er om ook als maar wij we door worden heeft deze "
     "bij "
     "naar dit ik hebben uit wordt kan over tot meer zich"},
    {"sv", "Swedish",
     "och att i en det som är av för på den med har inte till de ett om vi var kan från så vid men också jag eller "
     "skall detta han denna när efter"},
    {"da", "Danish",
     "og at i en det er som af for på den med har ikke til de et om vi var kan fra så ved men også jeg eller skal "
     "dette han denne når efter blev"},
    {"pl", "Polish",
     "w i na z nie się do że jest to o jak od po przez dla za tym są ale co oraz przy tego który która które być ich "
     "ze jego także był może przed tylko"},
    {"cs", "Czech",
     "a v na se že je to s z o do i k pro jsou by jako za ale po které jeho od který ve jsem která tak však podle má "
     "být bude nebo při jen"},
    {"ro", "Romanian",
     "de și în a la cu pe nu o că din un este pentru care mai sunt să se au ca al sau ale ai prin dar lui această "
     "acest fi fost fost-a după"},
    {"hu", "Hungarian",
     "a az és hogy nem is egy ez meg van azt de ha csak már el volt még ezt mint vagy kell lehet ki minden aki amely "
     "után"},
    {"fi", "Finnish",
     "ja on ei se että oli hän ovat joka mutta olen myös kun tai niin sen ole tämä jos ne kuin voi mitä siitä jotka "
     "vain sitä nyt sekä"},
    {"ru", "Russian",
     "и в не на что с он по это как а но к из у за от так для же все было бы мы вы я о только при если или его ее их "
     "быть"},
    {"uk", "Ukrainian",
     "і в не на що з він за це як а але до із у та від так для ж усе було би ми ви я про тільки при якщо або його її "
     "їх бути є й"},
    {"tr", "Turkish",
     "ve bir bu da de için ile olarak çok daha en olan gibi var ne kadar sonra ise o ama değil mi her ki şey ben "
     "tarafından ancak"},
    {"el", "Greek",
     "και το να η του την της ο τα που με στο για από είναι των σε τη οι δεν τους θα τον στην μας ότι ένα μια αυτό"},
    {"zh", "Chinese",
     "的 一 是 不 了 在 有 我 他 这 这 个 们 中 来 上 大 为 和 国 到 以 们 说 时 要 就 出 会 可 也 对 年 人"},
    {"ja", "Japanese", "の に は を た が で て と し れ さ る い も な す か ら ま っ り こ う あ く き"},
};
static_assert(std::size(kProfiles) == kLanguages);

// Maps a frequent word to its languages, one bit each.
const std::unordered_map<std::string, uint32_t>& frequent_words() {
  static const auto words = [] {
    std::unordered_map<std::string, uint32_t> result;
    for (size_t i = 0; i < kLanguages; ++i) {
      std::istringstream list(kProfiles[i].words);
      for (std::string word; list >> word;) result[word] |= uint32_t{1} << i;
    }
    return result;
  }();
  return words;
}

std::optional<size_t> index_of(std::string_view code) {
  const std::string_view language = code.substr(0, code.find_first_of("-_"));
  for (size_t i = 0; i < kLanguages; ++i) {
    if (language == kProfiles[i].code) return i;
  }
  return std::nullopt;
}

// Scripts written without spaces, in which a character counts as a word.
bool is_word_by_itself(char32_t c) { return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF); }

}  // namespace

void LanguageGuess::add(std::string_view line) {
  if (!is_utf8(line)) return;
  const auto count = [this](std::string& word) {
    if (word.empty()) return;
    ++words_;
    if (const auto found = frequent_words().find(word); found != frequent_words().end()) {
      for (size_t i = 0; i < kLanguages; ++i) hits_[i] += (found->second >> i & 1) * 1.0 / std::popcount(found->second);
    }
    word.clear();
  };
  std::string word;
  for (size_t i = 0; i < line.size();) {
    const char32_t c = next_code_point(line, i);
    const bool alone = is_word_by_itself(c);
    const bool letter = u_isalpha(static_cast<UChar32>(c)) != 0;
    if (alone || !letter) count(word);
    if (letter) append_code_point(word, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
    if (alone) count(word);
  }
  count(word);
}

double LanguageGuess::share(std::string_view code) const {
  const std::optional<size_t> index = index_of(code);
  return !index || words_ == 0 ? 0 : hits_[*index] / static_cast<double>(words_);
}

std::optional<std::string> LanguageGuess::instead_of(std::string_view code) const {
  if (words_ < kFewestWords || !index_of(code)) return std::nullopt;
  const auto best = static_cast<size_t>(std::max_element(hits_.begin(), hits_.end()) - hits_.begin());
  const std::string likely = kProfiles[best].code;
  if (share(likely) < kShareOfLanguage || share(likely) < kTimesAsMany * share(code)) return std::nullopt;
  return likely;
}

bool is_language(std::string_view word) {
  return index_of(word) || std::any_of(std::begin(kProfiles), std::end(kProfiles),
                                       [&](const auto& profile) { return word == profile.name; });
}

std::string language_name(std::string_view code) {
  const std::optional<size_t> index = index_of(code);
  return index ? kProfiles[*index].name : std::string(code);
}

std::string language_code(std::string_view text) {
  std::string code(text);
  for (char& c : code) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return code;
}

bool languages_fit(std::string_view found, std::string_view wanted) {
  const auto begins = [](std::string_view longer, std::string_view shorter) {
    return longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '-');
  };
  return !found.empty() && !wanted.empty() && (begins(found, wanted) || begins(wanted, found));
}

}  // namespace verbund
