#include "demo/line.h"

#include <gtest/gtest.h>

namespace verbund::demo {
namespace {

TEST(DemoLine, joins_words_by_single_spaces) {
  Line line;
  line.add("wir");
  line.add("");
  line.add("spielen Klavier ");
  EXPECT_EQ(line.finish('.'), "Wir spielen Klavier.");
}

TEST(DemoLine, a_comma_is_set_once_and_only_before_a_word) {
  Line line;
  line.comma();
  line.add("weil er schläft");
  line.comma();
  line.comma();
  line.add("lesen wir");
  line.comma();
  EXPECT_EQ(line.finish('.'), "Weil er schläft, lesen wir.");
}

TEST(DemoLine, begins_with_a_capital_even_if_that_is_an_umlaut) {
  Line line;
  line.add("öffne die Tür");
  EXPECT_EQ(line.finish('!'), "Öffne die Tür!");
  Line already;
  already.add("Äpfel sind gesund");
  EXPECT_EQ(already.finish('.'), "Äpfel sind gesund.");
}

}  // namespace
}  // namespace verbund::demo
