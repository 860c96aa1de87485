// SPDX-License-Identifier: Apache-2.0
#include "serve/translation_queue.h"

#include <gtest/gtest.h>

#include <future>

#include "support/made_translator.h"

namespace verbund {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> numbered(const std::string& name, size_t count) {
  std::vector<std::string> sentences;
  for (size_t i = 0; i < count; ++i) sentences.push_back(name + std::to_string(i));
  return sentences;
}

TEST(TranslationQueue, GivesEachRequestItsOwnTranslations) {
  const auto translator = std::make_shared<MadeTranslator>();
  TranslationQueue queue({.max_together = 5});
  std::vector<std::future<TranslationQueue::Results>> asked;
  for (int i = 0; i < 20; ++i) {
    asked.push_back(std::async(std::launch::async, [&, i] {
      return queue.translate({translator, {1 + i % 2, false}, numbered("r" + std::to_string(i) + ".", 7)});
    }));
  }
  for (int i = 0; i < 20; ++i) {
    const auto results = asked[static_cast<size_t>(i)].get();
    ASSERT_EQ(results.size(), 7U);
    for (size_t j = 0; j < 7; ++j) {
      EXPECT_EQ(results[j].size(), static_cast<size_t>(1 + i % 2));
      EXPECT_EQ(results[j][0].text, "R" + std::to_string(i) + "." + std::to_string(j));
    }
  }
  EXPECT_LE(translator->max_together(), 5U);
  const QueueCounts counts = queue.counts();
  EXPECT_EQ(counts.sentences, 140U);
  EXPECT_EQ(counts.waiting, 0U);
  EXPECT_EQ(counts.tokens, 280U) << "one piece and </s> of each";
}

TEST(TranslationQueue, TranslatesTogetherWhatComesTogether) {
  const auto translator = std::make_shared<MadeTranslator>(true);
  TranslationQueue queue({.max_together = 100});
  std::vector<std::shared_ptr<TranslationQueue::Ticket>> tickets;
  tickets.push_back(queue.submit({translator, {}, {"first"}}));
  translator->await_batch();
  for (int i = 0; i < 30; ++i) tickets.push_back(queue.submit({translator, {}, {"one"}}));
  tickets.push_back(queue.submit({translator, {4, true}, {"of another kind"}}));
  translator->release();
  for (const auto& ticket : tickets) EXPECT_EQ(queue.await(*ticket).size(), 1U);
  EXPECT_EQ(translator->batches(), (std::vector<size_t>{1, 31}));
}

// A short sentence need not wait until a long one is done, nor the next one until both are.
TEST(TranslationQueue, SentencesJoinAndLeaveOnTheWay) {
  const auto translator = std::make_shared<MadeTranslator>();
  TranslationQueue queue({});
  const auto slow = queue.submit({translator, {}, {"endless"}});
  translator->await_batch();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(queue.translate({translator, {}, {"short"}})[0][0].text, "SHORT");
  }
  const QueueCounts counts = queue.counts();
  EXPECT_EQ(counts.sentences, 20U) << "the slow one goes on";
  EXPECT_EQ(counts.sentence_steps, counts.steps + 20) << "with both for one step each time";
}

// Each translator goes on by one token in turn.
TEST(TranslationQueue, TranslatorsTakeTurns) {
  const auto slow = std::make_shared<MadeTranslator>(), quick = std::make_shared<MadeTranslator>();
  TranslationQueue queue({});
  const auto ticket = queue.submit({slow, {}, {"endless"}});
  slow->await_batch();
  EXPECT_EQ(queue.translate({quick, {}, {"two words"}})[0][0].text, "TWO WORDS");
  EXPECT_EQ(queue.counts().sentences, 1U) << "the slow one goes on";
}

// A translator whose last holder is the queue may call it when it ends, as a model does that was replaced.
TEST(TranslationQueue, LetsGoOfTranslatorsThatPost) {
  TranslationQueue queue({});
  std::promise<void> ended;
  std::shared_ptr<MadeTranslator> translator(new MadeTranslator(true), [&](const MadeTranslator* made) {
    queue.post([made, &ended] {
      delete made;
      ended.set_value();
    });
  });
  MadeTranslator* held = translator.get();
  auto ticket = queue.submit({std::move(translator), {}, {"left alone"}});
  held->await_batch();
  ticket.reset();
  held->release();
  ended.get_future().get();
}

TEST(TranslationQueue, LongTextsDoNotHoldUpShortOnes) {
  const auto translator = std::make_shared<MadeTranslator>(true);
  TranslationQueue queue({.max_waiting = 2000, .max_together = 10});
  const auto first = queue.submit({translator, {}, {"first"}});
  translator->await_batch();
  const auto longer = queue.submit({translator, {}, numbered("l", 1000)});
  const auto shorter = queue.submit({translator, {}, {"short"}});
  translator->release();
  queue.await(*shorter);
  EXPECT_EQ(translator->batch_of("short"), 1U) << "in the first batch of both";
  EXPECT_EQ(queue.await(*longer).back()[0].text, "L999");
}

TEST(TranslationQueue, RefusesWhatIsTooMuch) {
  const auto translator = std::make_shared<MadeTranslator>(true);
  TranslationQueue queue({.max_waiting = 10, .max_together = 100});
  const auto first = queue.submit({translator, {}, {"first"}});
  translator->await_batch();                                              // it waits no more
  const auto second = queue.submit({translator, {}, numbered("s", 50)});  // an empty queue takes any request
  EXPECT_THROW(queue.submit({translator, {}, {"one more"}}), QueueFull);
  EXPECT_EQ(queue.counts().refused, 1U);
  translator->release();
  EXPECT_EQ(queue.await(*second).size(), 50U);
  EXPECT_EQ(queue.translate({translator, {}, {"later"}})[0][0].text, "LATER");
}

TEST(TranslationQueue, GivesUpAtTheDeadline) {
  const auto translator = std::make_shared<MadeTranslator>(true);
  TranslationQueue queue({});
  const auto first = queue.submit({translator, {}, {"first"}});
  translator->await_batch();
  const auto late = queue.submit({translator, {}, {"late"}, std::chrono::steady_clock::now() + 50ms});
  EXPECT_THROW(queue.await(*late), NotInTime);
  EXPECT_EQ(queue.counts().late, 1U);
  translator->release();
  EXPECT_EQ(queue.await(*first)[0][0].text, "FIRST");
}

TEST(TranslationQueue, ForgetsARequestWhoseTicketIsGone) {
  const auto translator = std::make_shared<MadeTranslator>(true);
  TranslationQueue queue({.max_together = 100});
  const auto first = queue.submit({translator, {}, {"first"}});
  translator->await_batch();
  queue.submit({translator, {}, numbered("gone", 30)});
  EXPECT_EQ(queue.counts().waiting, 0U);
  translator->release();
  queue.await(*first);
  EXPECT_EQ(translator->batches(), std::vector<size_t>{1});
}

TEST(TranslationQueue, TellsResultsInOrderAsTheyAreDone) {
  const auto translator = std::make_shared<MadeTranslator>();
  TranslationQueue queue({.max_together = 3});
  std::vector<size_t> told;
  const auto ticket = queue.submit({translator, {}, numbered("s", 10)});
  queue.await(*ticket, [&](size_t i, const std::vector<Translation>& translations) {
    EXPECT_EQ(translations[0].text, "S" + std::to_string(i));
    told.push_back(i);
    return i < 6;  // then the reader leaves
  });
  EXPECT_EQ(told, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(TranslationQueue, FailsAsTheTranslatorDoesAndGoesOn) {
  const auto translator = std::make_shared<MadeTranslator>();
  TranslationQueue queue({});
  EXPECT_THROW(queue.translate({translator, {}, {"fail"}}), Error);
  EXPECT_EQ(queue.translate({translator, {}, {"go on"}})[0][0].text, "GO ON");
}

TEST(TranslationQueue, RunsCallsInItsThread) {
  TranslationQueue queue({});
  std::thread::id first, second;
  queue.call([&] { first = std::this_thread::get_id(); });
  queue.call([&] { second = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
  EXPECT_THROW(queue.call([] { fail("no"); }), Error);
}

TEST(TranslationQueue, DoesWhatWasPostedBeforeItEnds) {
  int done = 0;
  {
    TranslationQueue queue({});
    for (int i = 0; i < 100; ++i) queue.post([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace verbund
