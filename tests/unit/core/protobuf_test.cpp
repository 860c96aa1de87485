// SPDX-License-Identifier: Apache-2.0
#include "core/protobuf.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

ProtoMessage example() {
  ProtoMessage message;
  message.add_integer(1, -1).add_float(2, 1.5f).add_double(3, 0.1).add_bytes(4, std::string_view("a\0", 2));
  return message.add(1000, ProtoMessage().add_integer(1, 300));
}

TEST(Protobuf, FieldsComeBackInTheirOrder) {
  const ProtoMessage message = example();
  ProtoReader reader(message.bytes());
  EXPECT_EQ(reader.next()->integer(), -1);
  EXPECT_EQ(reader.next()->float_value(), 1.5f);
  EXPECT_EQ(reader.next()->double_value(), 0.1);
  EXPECT_EQ(reader.next()->bytes(), std::string_view("a\0", 2));
  const auto inner = reader.next();
  EXPECT_EQ(inner->number, 1000u);
  EXPECT_EQ(inner->integer(), 0) << "it is of another type";
  EXPECT_EQ(ProtoReader(inner->bytes()).next()->integer(), 300);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.damaged());
}

TEST(Protobuf, DamageEndsTheFields) {
  const std::string bytes = example().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ProtoReader reader(std::string_view(bytes).substr(0, size));
    int fields = 0;
    while (reader.next()) ++fields;
    EXPECT_LT(fields, 5);
  }
  ProtoReader group("\x0b");
  EXPECT_FALSE(group.next());
  EXPECT_TRUE(group.damaged());
}

}  // namespace
}  // namespace verbund
