// SPDX-License-Identifier: Apache-2.0
// Chosen sentences of the demo grammar: agreement, case, word order, tense and negation.
#include <gtest/gtest.h>

#include <algorithm>

#include "demo/derivation.h"

namespace verbund::demo {
namespace {

// The grammar with no other nouns, verbs, names and adjectives than those whose English is listed.
Grammar grammar_with(const std::set<std::string>& words) {
  Grammar grammar = read_grammar(builtin_demo_files());
  for (auto& [name, rules] : grammar.categories) {
    std::erase_if(rules, [&](const GrammarRule& rule) {
      return rule.once && std::none_of(rule.fields.begin(), rule.fields.end(), [&](const auto& field) {
               return !field.second.pieces.empty() && words.contains(field.second.pieces[0].text);
             });
    });
  }
  return grammar;
}

void expect_translation(const std::set<std::string>& words, const std::string& english, const std::string& german) {
  const Grammar grammar = grammar_with(words);
  Random random(1, 0);
  for (int i = 0; i < 300000; ++i) {
    const auto sentence = derive(grammar, "Sentence", random);
    if (!sentence || write_sentence(grammar, *sentence, "en") != english) continue;
    EXPECT_EQ(write_sentence(grammar, *sentence, "de"), german);
    return;
  }
  ADD_FAILURE() << "no such sentence: " << english;
}

TEST(DemoTranslation, cases_and_endings) {
  expect_translation({"Anna", "boy", "book", "old", "give"}, "Anna gives the boy an old book.",
                     "Anna gibt dem Jungen ein altes Buch.");
  expect_translation({"Anna", "child", "help"}, "The children help Anna.", "Die Kinder helfen Anna.");
  expect_translation({"Anna", "child", "help"}, "Anna helps the children.", "Anna hilft den Kindern.");
  expect_translation({"I", "tram", "wait", "new"}, "I wait for the new tram.", "Ich warte auf die neue Straßenbahn.");
  expect_translation({"you", "drink", "wine", "cold"}, "You drink cold wine.", "Du trinkst kalten Wein.");
  expect_translation({"Peter", "man", "coat", "wear"}, "Peter wears the coat of the man.",
                     "Peter trägt den Mantel des Mannes.");
  expect_translation({"Anna", "they", "sell", "car", "Peter"}, "They sell Peter's car.", "Sie verkaufen Peters Auto.");
}

TEST(DemoTranslation, possessives_agree_with_owner_and_thing) {
  expect_translation({"Anna", "sell", "table"}, "Anna sells her table.", "Anna verkauft ihren Tisch.");
  expect_translation({"Peter", "sell", "table"}, "Peter sells his table.", "Peter verkauft seinen Tisch.");
  expect_translation({"woman", "sell", "bed"}, "The women sell their bed.", "Die Frauen verkaufen ihr Bett.");
}

TEST(DemoTranslation, places_and_directions) {
  expect_translation({"Anna", "go", "city"}, "Anna goes to the city.", "Anna geht in die Stadt.");
  expect_translation({"Anna", "live", "city"}, "Anna lives in the city.", "Anna wohnt in der Stadt.");
  expect_translation({"Anna", "go", "station"}, "Anna goes to the station.", "Anna geht zum Bahnhof.");
  expect_translation({"Anna", "play", "garden"}, "Anna plays in the garden.", "Anna spielt im Garten.");
  expect_translation({"key", "be", "table"}, "The key is under the table.", "Der Schlüssel ist unter dem Tisch.");
}

TEST(DemoTranslation, tenses_and_verb_second) {
  const std::set<std::string> words = {"Anna", "call", "boy"};
  expect_translation(words, "Anna calls the boy.", "Anna ruft den Jungen an.");
  expect_translation(words, "Anna called the boy yesterday.", "Anna hat gestern den Jungen angerufen.");
  expect_translation(words, "Yesterday, Anna called the boy.", "Gestern hat Anna den Jungen angerufen.");
  expect_translation(words, "Tomorrow, Anna will call the boy.", "Morgen wird Anna den Jungen anrufen.");
  expect_translation(words, "Anna is calling the boy.", "Anna ruft gerade den Jungen an.");
  expect_translation(words, "Anna has already called the boy.", "Anna hat schon den Jungen angerufen.");
  expect_translation(words, "Anna has to call the boy.", "Anna muss den Jungen anrufen.");
  expect_translation({"we", "arrive"}, "We arrived last week.", "Wir sind letzte Woche angekommen.");
  expect_translation({"I", "be", "tired"}, "I was tired.", "Ich war müde.");
}

TEST(DemoTranslation, negation) {
  expect_translation({"Anna", "open", "door"}, "Anna does not open the door.", "Anna öffnet die Tür nicht.");
  expect_translation({"Anna", "have", "cat"}, "Anna does not have a cat.", "Anna hat keine Katze.");
  expect_translation({"Anna", "go", "park"}, "Anna did not go to the park.", "Anna ist nicht in den Park gegangen.");
  expect_translation({"Anna", "see", "cat", "dog"}, "Anna did not see a cat but a dog.",
                     "Anna hat keine Katze gesehen, sondern einen Hund.");
}

// "kein" negates, so a counted object cannot stand in a negated sentence.
TEST(DemoTranslation, no_negation_is_lost) {
  const Grammar grammar = read_grammar(builtin_demo_files());
  Random random(2, 0);
  for (int i = 0; i < 5000; ++i) {
    const auto sentence = derive(grammar, "Sentence", random);
    const std::string english = write_sentence(grammar, *sentence, "en"),
                      german = write_sentence(grammar, *sentence, "de");
    const bool negated = english.find("not ") != std::string::npos;
    if (negated) {
      EXPECT_TRUE(german.find("nicht") != std::string::npos || german.find("kein") != std::string::npos) << english;
    }
  }
}

TEST(DemoTranslation, pronouns_come_early) {
  expect_translation({"Anna", "he", "book", "show"}, "Anna showed him a book yesterday.",
                     "Anna hat ihm gestern ein Buch gezeigt.");
}

TEST(DemoTranslation, questions_and_commands) {
  expect_translation({"Anna", "sleep"}, "Does Anna sleep?", "Schläft Anna?");
  expect_translation({"Anna", "visit", "woman"}, "Who visited Anna's woman?", "Wer hat Annas Frau besucht?");
  expect_translation({"you", "buy", "car"}, "Which car did you buy?", "Welches Auto hast du gekauft?");
  expect_translation({"Anna", "thank"}, "Whom did Anna thank?", "Wem hat Anna gedankt?");
  expect_translation({"turn", "lamp"}, "Please turn on the lamp!", "Schalten Sie bitte die Lampe ein!");
  expect_translation({"Anna", "swim"}, "Do you know why Anna is swimming?", "Weißt du, warum Anna gerade schwimmt?");
}

TEST(DemoTranslation, subordinate_clauses_end_with_the_verb) {
  expect_translation({"Anna", "Peter", "say", "get"}, "Anna said that Peter gets up.",
                     "Anna hat gesagt, dass Peter aufsteht.");
  expect_translation({"Anna", "Peter", "laugh", "arrive"}, "Because Peter arrived, Anna laughed.",
                     "Weil Peter angekommen ist, hat Anna gelacht.");
  expect_translation({"Anna", "Peter", "laugh", "arrive"}, "After Peter had arrived, Anna laughed.",
                     "Nachdem Peter angekommen war, hat Anna gelacht.");
  expect_translation({"Anna", "table", "buy", "cheap"}, "Anna bought the table because it was cheap.",
                     "Anna hat den Tisch gekauft, weil er billig war.");
  expect_translation({"Anna", "try", "call", "boy"}, "Anna tried to call the boy.",
                     "Anna hat versucht, den Jungen anzurufen.");
  expect_translation({"Anna", "go", "city", "buy", "bread"}, "Anna goes to the city in order to buy bread.",
                     "Anna geht in die Stadt, um Brot zu kaufen.");
}

TEST(DemoTranslation, relative_clauses) {
  expect_translation({"man", "sleep", "laugh"}, "The men who laugh sleep.", "Die Männer, die lachen, schlafen.");
  expect_translation({"Anna", "book", "write", "be", "good"}, "The book that Anna wrote was good.",
                     "Das Buch, das Anna geschrieben hat, war gut.");
  expect_translation({"Anna", "train", "be", "wait", "fast"}, "The train that Anna waits for is fast.",
                     "Der Zug, auf den Anna wartet, ist schnell.");
}

TEST(DemoTranslation, passive_and_coordination) {
  expect_translation({"car", "repair"}, "The cars were repaired yesterday.", "Die Autos wurden gestern repariert.");
  expect_translation({"Anna", "Peter", "sing", "work"}, "Anna sings, but Peter works.",
                     "Anna singt, aber Peter arbeitet.");
  expect_translation({"Anna", "open", "door", "laugh"}, "Anna opened the door and laughed.",
                     "Anna hat die Tür geöffnet und hat gelacht.");
}

}  // namespace
}  // namespace verbund::demo
