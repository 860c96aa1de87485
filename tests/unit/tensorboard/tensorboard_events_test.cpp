// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_events.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/protobuf.h"
#include "support/temporary_folder.h"
#include "tensorboard/event_file.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Plugins = std::map<std::string, std::string>;

Event decoded(const std::string& bytes) {
  Plugins plugins;
  return decode_event(bytes, plugins).value();
}

Event example() {
  Event event;
  event.wall_time = 1763314512.25;
  event.step = 123456789012;
  event.values = {{.tag = "train_loss", .scalar = 2.5, .plugin = kScalarPlugin, .description = "the mean"},
                  {.tag = "eval_loss", .scalar = NAN},
                  {.tag = "samples", .text = {"a", "", "ä", "d"}, .columns = 2, .plugin = kTextPlugin},
                  {.tag = "layout", .plugin = "custom_scalars", .plugin_content = std::string("\0x", 2)}};
  return event;
}

TEST(TensorBoardEvents, ComeBackAsTheyWere) {
  const Event event = decoded(encode(example()));
  EXPECT_EQ(event.wall_time, 1763314512.25);
  EXPECT_EQ(event.step, 123456789012);
  EXPECT_FALSE(event.start);
  EXPECT_EQ(event.file_version, "");
  ASSERT_EQ(event.values.size(), 4u);
  EXPECT_EQ(event.values[0].tag, "train_loss");
  EXPECT_EQ(event.values[0].scalar, 2.5);
  EXPECT_EQ(event.values[0].plugin, "scalars");
  EXPECT_EQ(event.values[0].description, "the mean");
  EXPECT_TRUE(std::isnan(event.values[1].scalar.value()));
  EXPECT_THAT(event.values[2].text, ElementsAre("a", "", "ä", "d"));
  EXPECT_EQ(event.values[2].columns, 2);
  EXPECT_FALSE(event.values[2].scalar);
  EXPECT_EQ(event.values[3].plugin_content, std::string("\0x", 2));
  EXPECT_FALSE(event.values[3].scalar) << "the tensor that stands in for nothing";
}

TEST(TensorBoardEvents, VersionAndStart) {
  Event event;
  event.file_version = kFileVersion;
  EXPECT_EQ(decoded(encode(event)).file_version, "brain.Event:2");
  event = {};
  event.step = -1;
  event.start = true;
  EXPECT_TRUE(decoded(encode(event)).start);
  EXPECT_EQ(decoded(encode(event)).step, -1);
}

// A tensor of one element as TensorFlow and others may write it.
std::string with_tensor(const ProtoMessage& tensor, const std::string& plugin = "") {
  ProtoMessage value;
  value.add_bytes(1, "tag").add(8, tensor);
  if (!plugin.empty()) value.add(9, ProtoMessage().add(1, ProtoMessage().add_bytes(1, plugin)));
  return ProtoMessage().add(5, ProtoMessage().add(1, value)).bytes();
}

std::optional<double> scalar_of(const ProtoMessage& tensor, const std::string& plugin = "") {
  return decoded(with_tensor(tensor, plugin)).values.at(0).scalar;
}

template <typename Number>
std::string raw(std::initializer_list<Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(Number)};
}

TEST(TensorBoardEvents, NumbersInTensors) {
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1).add_float(5, 1.5)), 1.5);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1).add_bytes(5, raw({1.5f}))), 1.5);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1).add_bytes(4, raw({1.5f}))), 1.5);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 2).add_double(6, 0.1)), 0.1);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 2).add_bytes(4, raw({0.1})), "scalars"), 0.1);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1)), 0) << "zero need not be written";
  EXPECT_EQ(scalar_of(ProtoMessage().add_bytes(4, raw({0.1})).add_integer(1, 2)), 0.1) << "in any order";

  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1).add_bytes(5, raw({1.f, 2.f}))), std::nullopt);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 1).add_float(5, 1.5), "histograms"), std::nullopt);
  EXPECT_EQ(scalar_of(ProtoMessage().add_integer(1, 3).add_integer(7, 1)), std::nullopt) << "an integer";
}

TEST(TensorBoardEvents, ThePluginOfATagHolds) {
  Plugins plugins;
  const ProtoMessage tensor = ProtoMessage().add_integer(1, 1).add_float(5, 1.5);
  EXPECT_FALSE(decode_event(with_tensor(tensor, "hparams"), plugins)->values.at(0).scalar);
  EXPECT_FALSE(decode_event(with_tensor(tensor), plugins)->values.at(0).scalar) << "it is told the first time only";
}

TEST(TensorBoardEvents, BytesThatAreNoEventDoNoHarm) {
  const std::string bytes = encode(example());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Plugins plugins;
    (void)decode_event(std::string_view(bytes).substr(0, size), plugins);
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    Plugins plugins;
    (void)decode_event(damaged, plugins);
  }
  Plugins plugins;
  EXPECT_FALSE(decode_event("\x0b", plugins)) << "a group";
  EXPECT_FALSE(decode_event("\x2a\x7fx", plugins)) << "longer than what is there";
  EXPECT_FALSE(decode_event(std::string(11, '\xff'), plugins)) << "a number without end";
}

TEST(TensorBoardEvents, AFileIsReadUpToItsDamage) {
  const TemporaryFolder folder;
  const std::string whole = framed_record(encode(example()));
  const auto path = folder.write("events.out.tfevents.1.a", whole + whole + "rest");
  Plugins plugins;
  int count = 0;
  const std::string note = read_events(path, plugins, [&](const Event& event, std::string_view record) {
    EXPECT_EQ(event.values.size(), 4u);
    EXPECT_EQ(framed_record(record), whole);
    ++count;
  });
  EXPECT_EQ(count, 2);
  EXPECT_THAT(note, HasSubstr(fmt::format("at byte {}", 2 * whole.size())));
}

// Files that TensorFlow 1, TensorFlow 2 and PyTorch have written. Skipped where they are not.
class OthersEvents : public testing::Test {
 protected:
  struct Curve {
    int64_t first_step = -1, last_step = -1;
    size_t count = 0;
    double last = 0;
  };

  void read(const std::string& name) {
    const fs::path path = fs::path(VERBUND_SOURCE_DIR) / "../shared/data/tfevents" / name;
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
    Plugins plugins;
    note_ = read_events(path, plugins, [&](const Event& event, std::string_view) {
      if (!event.file_version.empty()) version_ = event.file_version;
      for (const EventValue& value : event.values) {
        if (!value.scalar) continue;
        Curve& curve = curves_[value.tag];
        if (curve.count++ == 0) curve.first_step = event.step;
        curve.last_step = event.step;
        curve.last = *value.scalar;
      }
    });
  }

  std::string note_, version_;
  std::map<std::string, Curve> curves_;
};

TEST_F(OthersEvents, TensorFlow1) {
  read("tf1_2018_mnist_train.events.out.tfevents.1515280092.tayo-glaptop");
  if (IsSkipped()) return;
  EXPECT_EQ(note_, "");
  EXPECT_EQ(version_, "brain.Event:2");
  EXPECT_EQ(curves_.size(), 19u) << "images and histograms are not scalars";
  const Curve& loss = curves_["cross_entropy_1"];
  EXPECT_EQ(loss.count, 9u);
  EXPECT_EQ(loss.first_step, 1);
  EXPECT_EQ(loss.last_step, 9);
  EXPECT_EQ(loss.last, 1.180079698562622);
}

TEST_F(OthersEvents, TensorFlow2) {
  read("tf2_scalar100.events.out.tfevents.1585499054.v2");
  if (IsSkipped()) return;
  EXPECT_EQ(note_, "");
  ASSERT_EQ(curves_.size(), 1u);
  EXPECT_EQ(curves_["my_metric"].count, 100u);
  EXPECT_EQ(curves_["my_metric"].last_step, 99);
  EXPECT_EQ(curves_["my_metric"].last, 49.5);
}

TEST_F(OthersEvents, PyTorch) {
  read("torchtitan.events.out.tfevents.1732658391");
  if (IsSkipped()) return;
  EXPECT_EQ(note_, "");
  EXPECT_EQ(curves_.size(), 13u);
  EXPECT_EQ(curves_["loss_metrics/global_avg_loss"].count, 10u);
  EXPECT_EQ(curves_["loss_metrics/global_avg_loss"].last, 7.137195110321045);
}

}  // namespace
}  // namespace verbund
