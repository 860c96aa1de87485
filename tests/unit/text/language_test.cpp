// SPDX-License-Identifier: Apache-2.0
#include "text/language.h"

#include <gtest/gtest.h>

#include <map>

namespace verbund {
namespace {

// The beginning of one text in several languages, our own translation.
const std::map<std::string, std::string> kTexts = {
    {"en",
     "The old man went to the market with his dog, and there he met a woman who had lost her way. She said that she "
     "had been looking for the station for more than an hour, but that nobody would tell her where it was. He told her "
     "that it is not far from here, and that they could go there together if she would wait for him."},
    {"de",
     "Der alte Mann ging mit seinem Hund auf den Markt, und dort traf er eine Frau, die sich verlaufen hatte. Sie "
     "sagte, dass sie den Bahnhof seit mehr als einer Stunde sucht, aber dass ihr niemand sagen wollte, wo er ist. Er "
     "sagte ihr, dass es nicht weit von hier ist und dass sie zusammen dorthin gehen können, wenn sie auf ihn wartet."},
    {"fr",
     "Le vieil homme est allé au marché avec son chien, et il y a rencontré une femme qui s'était perdue. Elle a dit "
     "qu'elle cherchait la gare depuis plus d'une heure, mais que personne ne voulait lui dire où elle était. Il lui a "
     "dit que ce n'est pas loin d'ici et qu'ils pouvaient y aller ensemble si elle voulait l'attendre dans la rue."},
    {"es",
     "El viejo fue al mercado con su perro, y allí se encontró con una mujer que se había perdido. Ella dijo que "
     "buscaba la estación desde hacía más de una hora, pero que nadie le quería decir dónde estaba. Él le dijo que no "
     "está lejos de aquí y que los dos podían ir juntos si ella lo esperaba en la calle."},
    {"it",
     "Il vecchio è andato al mercato con il suo cane, e lì ha incontrato una donna che si era persa. Lei ha detto che "
     "cercava la stazione da più di un'ora, ma che non le volevano dire dove fosse. Lui le ha detto che non è lontano "
     "da qui e che ci potevano andare insieme se lei lo aspettava nella strada."},
    {"nl",
     "De oude man ging met zijn hond naar de markt, en daar ontmoette hij een vrouw die de weg kwijt was. Zij zei dat "
     "ze al meer dan een uur naar het station zocht, maar dat niemand haar wilde zeggen waar het is. Hij zei dat het "
     "niet ver van hier is en dat ze er samen naar toe kunnen gaan als zij op hem wil wachten."},
    {"pl",
     "Stary człowiek poszedł na targ z psem i spotkał tam kobietę, która się zgubiła. Powiedziała, że od ponad godziny "
     "szuka dworca, ale że nie ma nikogo, kto by jej to powiedział. On jej na to, że to nie jest daleko i że może tam "
     "z nim pójść, jak tylko na niego poczeka. To jest co prawda za rogiem, ale nie od razu się to widzi."},
    {"ru",
     "Старик пошел на рынок с собакой, и там он встретил женщину, которая заблудилась. Она сказала, что ищет вокзал "
     "уже больше часа, но что никто не хотел ей сказать, как к нему пройти. Он ей сказал, что это не так далеко и что "
     "они могут пойти туда вместе, если она его подождет. Но это было не все, что он хотел сказать."},
};

LanguageGuess guess_of(const std::string& text, int times) {
  LanguageGuess guess;
  for (int i = 0; i < times; ++i) guess.add(text);
  return guess;
}

TEST(Language, EachTextIsTakenForItsOwn) {
  for (const auto& [code, text] : kTexts) {
    const LanguageGuess guess = guess_of(text, 5);
    EXPECT_EQ(guess.instead_of(code), std::nullopt) << code << " " << guess.share(code);
    for (const auto& [other, _] : kTexts) {
      if (other == code) continue;
      EXPECT_EQ(guess.instead_of(other), code) << "as " << other << " " << guess.share(code);
    }
  }
}

TEST(Language, NothingIsSaidWithLittleEvidence) {
  EXPECT_EQ(guess_of(kTexts.at("de"), 1).instead_of("en"), std::nullopt);
  EXPECT_EQ(guess_of("17 3 99 4 ( 12 )", 1000).instead_of("en"), std::nullopt);
  EXPECT_EQ(guess_of("kalu mefo badi runo tesi", 1000).instead_of("en"), std::nullopt);
  EXPECT_EQ(guess_of("\xff\xfe", 1000).instead_of("en"), std::nullopt);
}

TEST(Language, NothingIsSaidOfLanguagesThatAreNotKnown) {
  EXPECT_EQ(guess_of(kTexts.at("de"), 5).instead_of("xx"), std::nullopt);
  EXPECT_EQ(guess_of(kTexts.at("de"), 5).instead_of(""), std::nullopt);
  EXPECT_EQ(language_name("xx"), "xx");
}

TEST(Language, CodesMayNameARegion) {
  EXPECT_EQ(guess_of(kTexts.at("de"), 5).instead_of("de-AT"), std::nullopt);
  EXPECT_EQ(guess_of(kTexts.at("de"), 5).instead_of("en_GB"), "de");
  EXPECT_EQ(language_name("de_AT"), "German");
}

TEST(Language, TextWithoutBlanks) {
  EXPECT_EQ(guess_of("我们在这里说的是一个人的大国,他不会来了。", 20).instead_of("en"), "zh");
  EXPECT_EQ(guess_of("これはとてもいい本ですから、読んでください。", 20).instead_of("en"), "ja");
}

TEST(Language, CodesFitByTheirBeginning) {
  const auto fit = [](const char* found, const char* wanted) {
    return languages_fit(language_code(found), language_code(wanted));
  };
  for (const auto& [found, wanted] :
       {std::pair{"en", "en"}, {"en_US", "en"}, {"EN", "en-GB"}, {"zh-Hant-TW", "zh-Hant"}}) {
    EXPECT_TRUE(fit(found, wanted)) << found;
  }
  for (const auto& [found, wanted] :
       {std::pair{"eng", "en"}, {"en-US", "en-GB"}, {"", "en"}, {"en", ""}, {"de", "en"}}) {
    EXPECT_FALSE(fit(found, wanted)) << found;
  }
}

}  // namespace
}  // namespace verbund
