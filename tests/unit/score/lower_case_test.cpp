#include "score/lower_case.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(LowerCase, OfAsciiLeavesTheRestAlone) { EXPECT_EQ(lower_case("ABC xyz [@] 09"), "abc xyz [@] 09"); }

TEST(LowerCase, OfOtherLetters) { EXPECT_EQ(lower_case("ÄÖÜẞ ÉŻ ЖД Ωμ"), "äöüß éż жд ωμ"); }

TEST(LowerCase, SigmaAtTheEndOfAWordHasItsOwnForm) {
  EXPECT_EQ(lower_case("ΟΔΟΣ ΟΔΟΣ."), "οδος οδος.");
  EXPECT_EQ(lower_case("ΣΑΣ"), "σας");
  EXPECT_EQ(lower_case("Σ"), "σ");
}

TEST(LowerCase, MayBecomeLonger) {
  EXPECT_EQ(lower_case("İ"), "i\u0307");
  std::string many, expected;
  for (int i = 0; i < 100; ++i) {
    many += "İ";            // 2 bytes
    expected += "i\u0307";  // 3 bytes
  }
  EXPECT_EQ(lower_case(many), expected);
}

TEST(LowerCase, IsNotTurkish) { EXPECT_EQ(lower_case("I ı İ"), "i ı i\u0307"); }

TEST(LowerCase, OfNothingIsNothing) { EXPECT_EQ(lower_case(""), ""); }

}  // namespace
}  // namespace verbund
