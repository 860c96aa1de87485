// SPDX-License-Identifier: Apache-2.0
#include "fetch/sgm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// The layout of newstest2014-deen-src.en.sgm and of newstest2013-src.de.sgm.
TEST(Sgm, ReadsTheLayoutsOfTheNewsTests) {
  EXPECT_THAT(sgm_segments("<srcset setid=\"newstest2014\" srclang=\"any\">\n"
                           "<doc sysid=\"ref\" docid=\"1\" genre=\"news\" origlang=\"de\">\n"
                           "<p>\n<seg id=\"1\">Gutach: Increased safety</seg>\n</p>\n"
                           "<p>\n<seg id=\"2\">They are not even 100 metres apart.</seg>\n"
                           "<seg id=\"3\">Yes!</seg>\n</p>\n</doc>\n</srcset>\n",
                           "x"),
              ElementsAre("Gutach: Increased safety", "They are not even 100 metres apart.", "Yes!"));
  EXPECT_THAT(sgm_segments("<DOC><hl><SEG id='1'> Überschrift </SEG></hl></DOC>", "x"), ElementsAre("Überschrift"));
}

TEST(Sgm, TakesAttributesInAnyOrderAndForm) {
  EXPECT_THAT(sgm_segments("<seg>a</seg><seg lang=\"a > b\" id=1>b</seg ><seg\n id='2'\n>c</seg>", "x"),
              ElementsAre("a", "b", "c"));
}

TEST(Sgm, DecodesEntitiesOnce) {
  EXPECT_THAT(sgm_segments("<seg>&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos; &#228;&#xE4;&#X1F600;</seg>", "x"),
              ElementsAre("<a> & \"b\" 'c' ää😀"));
  EXPECT_THAT(sgm_segments("<seg>&amp;lt;</seg>", "x"), ElementsAre("&lt;"));
}

TEST(Sgm, KeepsWhatIsNoEntity) {
  EXPECT_THAT(sgm_segments("<seg>Standard & Poor's; R&D; &nbsp; &#xD800; &#9999999999; &#; 1 < 2 <segment></seg>", "x"),
              ElementsAre("Standard & Poor's; R&D; &nbsp; &#xD800; &#9999999999; &#; 1 < 2 <segment>"));
}

TEST(Sgm, MakesASegmentOneLine) {
  EXPECT_THAT(sgm_segments("<seg>\n  one\r\n\ttwo &#10; three\u00a0four </seg><seg></seg><seg> \n</seg>", "x"),
              ElementsAre("one two three\u00a0four", "", ""));
}

TEST(Sgm, SaysWhereASegmentDoesNotEnd) {
  EXPECT_THAT([] { sgm_segments("<doc>\n<seg>a</seg>\n<seg>b\n<seg>c</seg>", "test.sgm"); },
              ThrowsMessage<Error>(HasSubstr("test.sgm, line 3")));
  EXPECT_THAT([] { sgm_segments("<doc>\n<seg id=", "test.sgm"); }, ThrowsMessage<Error>(HasSubstr("line 2")));
}

TEST(Sgm, ConvertsFiles) {
  const TemporaryFolder folder;
  write_file(folder / "a.sgm", "<seg id=\"1\">eins &amp; zwei</seg>\n<seg id=\"2\">drei</seg>\n");
  convert_sgm(folder / "a.sgm", folder / "a.txt");
  EXPECT_EQ(read_file(folder / "a.txt"), "eins & zwei\ndrei\n");

  const gzFile packed = gzopen((folder / "b.sgm.gz").c_str(), "wb");
  gzputs(packed, "<seg>vier</seg>");
  gzclose(packed);
  convert_sgm(folder / "b.sgm.gz", folder / "b.txt");
  EXPECT_EQ(read_file(folder / "b.txt"), "vier\n");
}

TEST(Sgm, RefusesAFileWithoutSegments) {
  const TemporaryFolder folder;
  write_file(folder / "a.sgm", "just text\n");
  EXPECT_THAT([&] { convert_sgm(folder / "a.sgm", folder / "a.txt"); }, ThrowsMessage<Error>(HasSubstr("a.sgm")));
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  EXPECT_THAT(sgm_segments("", "x"), IsEmpty());
}

}  // namespace
}  // namespace verbund
