// SPDX-License-Identifier: Apache-2.0
#include "decode/trained_model.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TagsOfTraining, AreThoseOfTheRecordIfEveryCorpusHadOne) {
  const TemporaryFolder run;
  const auto tags_of = [&](const std::string& corpora) {
    run.write("run.json", R"({"dataset": {"corpora": )" + corpora + "}}");
    return tags_of_training(run.path());
  };
  EXPECT_THAT(tags_of(R"([{"tag": "<2de>"}, {"tag": "<2fr>"}, {"tag": "<2de>"}])"), ElementsAre("<2de>", "<2fr>"));
  EXPECT_THAT(tags_of(R"([{"tag": "<2de>"}, {"tag": ""}])"), IsEmpty());
  EXPECT_THAT(tags_of(R"([{"name": "of an older version"}])"), IsEmpty());
  EXPECT_THAT(tags_of("null"), IsEmpty());
}

TEST(TagsOfTraining, AreNotKnownWithoutARecord) {
  const TemporaryFolder run;
  EXPECT_THAT(tags_of_training(run.path()), IsEmpty());
}

}  // namespace
}  // namespace verbund
