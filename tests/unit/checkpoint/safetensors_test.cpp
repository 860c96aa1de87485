// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string with_length(const std::string& header, const std::string& data = "") {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + data;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  TemporaryFolder folder;
  std::vector<float> matrix(6);
  std::iota(matrix.begin(), matrix.end(), 0.5f);
  const std::vector<int64_t> numbers = {-1, INT64_MAX};
  const std::vector<uint8_t> scalar = {7};
  const std::array<std::byte, 6> halves = {};
  const std::vector<TensorView> tensors = {
      view_tensor<float>("z", {2, 3}, matrix),
      view_tensor<uint8_t>("a \"quoted\" name, Straße", {}, scalar),
      view_tensor<int64_t>("numbers", {2}, numbers),
      view_tensor<float>("nothing", {0, 5}, {}),
      {"half", {3}, Dtype::kF16, halves},
      {"brain", {1, 3, 1}, Dtype::kBF16, halves},
  };
  const FileSummary summary = write_safetensors(folder / "a", tensors, {{"step", "3"}, {"ä", "\n"}});
  EXPECT_EQ(summary.size, fs::file_size(folder / "a"));
  EXPECT_EQ(summary.checksum, file_checksum(folder / "a"));

  const SafetensorsFile file(folder / "a");
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView& tensor = file.tensors()[i];
    EXPECT_EQ(tensor.name, tensors[i].name);
    EXPECT_EQ(tensor.shape, tensors[i].shape);
    EXPECT_EQ(tensor.dtype, tensors[i].dtype);
    EXPECT_EQ(text_of(tensor.bytes), text_of(tensors[i].bytes));
    EXPECT_EQ(file.find(tensor.name), &tensor);
  }
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("step", "3"), Pair("ä", "\n")));

  std::vector<float> copied(6);
  copy_tensor<float>(file.at("z"), copied);
  EXPECT_EQ(copied, matrix);
  EXPECT_ERROR(copy_tensor<float>(file.at("numbers"), copied), Error, ContainsRegex("numbers .*I64 \\[2\\].*6 .*F32"));
  EXPECT_EQ(file.find("none"), nullptr);
  EXPECT_ERROR(file.at("none"), Error, HasSubstr("none"));
}

TEST(Safetensors, EveryDtypeHasItsNameAndSize) {
  TemporaryFolder folder;
  const std::array<std::byte, 16> bytes = {};
  std::vector<TensorView> tensors;
  for (int i = 0; i <= static_cast<int>(Dtype::kU64); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(find_dtype(dtype_name(dtype)), dtype);
    tensors.push_back({std::string(dtype_name(dtype)), {2}, dtype, std::span(bytes).first(2 * dtype_size(dtype))});
  }
  write_safetensors(folder / "a", tensors);
  const SafetensorsFile file(folder / "a");
  for (const TensorView& tensor : file.tensors()) EXPECT_EQ(tensor.name, dtype_name(tensor.dtype));
  EXPECT_EQ(file.tensors().size(), 15u);
  EXPECT_EQ(find_dtype("f32"), std::nullopt);
}

TEST(Safetensors, TheFormatByteForByte) {
  TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  write_safetensors(folder / "a", std::vector{view_tensor<float>("w", {2, 1}, values)}, {{"k", "v"}});
  std::string header = R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  header.resize(120, ' ');  // 8 + 120 is a multiple of 64
  EXPECT_EQ(slurp(folder / "a"), with_length(header, text_of(std::as_bytes(std::span(values)))));

  write_safetensors(folder / "empty", {});
  EXPECT_EQ(slurp(folder / "empty"), with_length("{}" + std::string(54, ' ')));
  EXPECT_THAT(SafetensorsFile(folder / "empty").tensors(), IsEmpty());
}

// Made by Python's safetensors 0.8.0.
TEST(Safetensors, AFileFromPython) {
  TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"Straße":"ä \"x\""},"bias":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
      R"("w":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
      R"("n":{"dtype":"U8","shape":[],"data_offsets":[40,41]}}  )";
  using namespace std::string_literals;
  const std::string data =
      "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x01\x00\x00"
      "\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x00\x00\xc0@\x07"s;
  ASSERT_EQ(header.size(), 0xd0u);
  const SafetensorsFile file(folder.write("a", with_length(header, data)));
  std::vector<int64_t> bias(2);
  copy_tensor<int64_t>(file.at("bias"), bias);
  EXPECT_THAT(bias, ElementsAre(-1, int64_t{1} << 40));
  std::vector<float> weights(6);
  copy_tensor<float>(file.at("w"), weights);
  EXPECT_THAT(weights, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(file.at("n").shape, IsEmpty());
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("Straße", "ä \"x\"")));
}

TEST(Safetensors, TheWriterRefusesWhatNobodyCouldRead) {
  TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  const auto write = [&](std::vector<TensorView> tensors, const SafetensorsMetadata& metadata = {}) {
    write_safetensors(folder / "a", tensors, metadata);
  };
  const TensorView tensor = view_tensor<float>("w", {2}, values);
  EXPECT_ERROR(write({tensor, tensor}), Error, HasSubstr("\"w\""));
  EXPECT_ERROR(write({view_tensor<float>("w", {3}, values)}), Error, ContainsRegex(" w .*8 .*F32 \\[3\\] .*12"));
  EXPECT_ERROR(write({view_tensor<float>("w", {-2, -1}, values)}), Error, HasSubstr("[-2, -1]"));
  EXPECT_ERROR(write({view_tensor<float>("__metadata__", {2}, values)}), Error, HasSubstr("__metadata__"));
  EXPECT_ERROR(write({view_tensor<float>("\xff", {2}, values)}), Error, HasSubstr("not UTF-8"));
  EXPECT_ERROR(write({tensor}, {{"k", "\xff"}}), Error, HasSubstr("not UTF-8"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Each header claims something about 8 bytes of data that is not so.
TEST(Safetensors, HeadersThatLie) {
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return fmt::format(R"({{"w":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
  };
  const auto two = [](const std::string& first, const std::string& second) {
    return fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                       first, second);
  };
  const std::string f32 = "\"F32\"";
  struct Case {
    std::string header;
    std::string values;  // that the message has, as a regular expression
  };
  using namespace std::string_literals;
  const std::vector<Case> cases = {
      {tensor(f32, "[3]", "[0,8]"), " w .*8 .*F32 \\[3\\] .*12"},
      {tensor(f32, "[2]", "[0,12]"), " w .*12 .*F32 \\[2\\] .*8"},
      {tensor(f32, "[3]", "[0,12]"), " w .*12 .*8"},
      {tensor(f32, "[1]", "[0,4]"), "4 bytes.* 8"},
      {tensor(f32, "[1]", "[4,8]"), " w .*4 .*0"},
      {tensor(f32, "[2]", "[8,0]"), "data_offsets.* w .*\\[8,0\\]"},
      {tensor(f32, "[2]", "[0]"), "data_offsets.* w .*\\[0\\]"},
      {tensor(f32, "[2]", "[0,8,8]"), "data_offsets.* w .*\\[0,8,8\\]"},
      {tensor(f32, "[2]", "[0,-8]"), "data_offsets.* w .*-8"},
      {tensor(f32, "[2]", "[0,8.0]"), "data_offsets.* w .*8\\.0"},
      {tensor(f32, "[2]", "[0,\"8\"]"), "data_offsets.* w .*\"8\""},
      {tensor(f32, "[2]", "[0,99999999999999999999999]"), "data_offsets.* w .*e\\+2"},
      {tensor(f32, "[2]", "[18446744073709551608,18446744073709551615]"), "data_offsets.* w .*18446744073709551608"},
      {tensor(f32, "[2]", "[9223372036854775800,9223372036854775807]"), " w .*7 bytes"},
      {tensor(f32, "[2]", "{}"), "data_offsets.* w "},
      {tensor(f32, "[-2]", "[0,8]"), "shape.* w .*-2"},
      {tensor(f32, "[2.0]", "[0,8]"), "shape.* w .*2\\.0"},
      {tensor(f32, "[null]", "[0,8]"), "shape.* w .*null"},
      {tensor(f32, "2", "[0,8]"), "shape.* w "},
      // 2^62 x 4 bytes is 0 modulo 2^64; so are 2^32 x 2^32.
      {tensor(f32, "[4611686018427387904]", "[0,0]"), " w .*\\[4611686018427387904\\]"},
      {tensor("\"U8\"", "[4294967296,4294967296]", "[0,0]"), " w .*\\[4294967296, 4294967296\\]"},
      {tensor("\"U8\"", "[4294967296,4294967296,2]", "[0,8]"), " w .*4294967296, 2\\]"},
      {tensor("\"F31\"", "[2]", "[0,8]"), " w .*F31"},
      {tensor("32", "[2]", "[0,8]"), "dtype.* w "},
      {two("[0,4]", "[0,4]"), " b .*0 .*4"},
      {two("[0,4]", "[2,6]"), " b .*2 .*4"},
      {two("[0,4]", "[5,9]"), " b .*5 .*4"},
      {R"({"w":{"dtype":"U8","shape":[8]}})", " w .*data_offsets"},
      {R"({"w":{"dtype":"U8","data_offsets":[0,8]}})", " w .*shape"},
      {R"({"w":{"shape":[8],"data_offsets":[0,8]}})", " w .*dtype"},
      {R"({"w":[1]})", " w .*dtype"},
      {R"({"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       " w .*twice"},
      {R"({"w":{"dtype":"U8","shape":[8],"shape":[8],"data_offsets":[0,8]}})", " shape .*twice"},
      {R"({"__metadata__":{"k":1},"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", "k of __metadata__"},
      {R"({"__metadata__":"k"})", "__metadata__"},
      {"{}", "0 bytes.* 8"},
      {"", "JSON"},
      {"[]", "JSON"},
      {" {}", "JSON"},
      {"{} {}", "JSON"},
      {"{}\0{}"s, "JSON"},
      {"{", "JSON"},
      {R"({"w":)", "JSON"},
      {"{\"\xff\":1}", "JSON"},
      {tensor(f32, std::string(1'000'000, '['), "[0,8]"), "nested.* 8 "},
      {R"({"w":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}", "nested.* 8 "},
  };
  TemporaryFolder folder;
  for (const auto& [header, values] : cases) {
    SCOPED_TRACE(header.substr(0, 200));
    const fs::path path = folder.write("a", with_length(header, "12345678"));
    EXPECT_ERROR(SafetensorsFile{path}, Error, HasSubstr(path.string()), ContainsRegex(values));
  }
}

TEST(Safetensors, LengthsThatLie) {
  TemporaryFolder folder;
  const auto expect_refused = [&](const std::string& content, const std::string& values) {
    const fs::path path = folder.write("a", content);
    EXPECT_ERROR(SafetensorsFile{path}, Error, HasSubstr("damaged"), ContainsRegex(values));
  };
  expect_refused("", "it has 0 bytes");
  expect_refused("1234567", "it has 7 bytes");
  for (const uint64_t size : {uint64_t{3}, uint64_t{1} << 32, uint64_t{INT64_MAX}, UINT64_MAX, UINT64_MAX - 7}) {
    std::string content = with_length("{}");
    std::memcpy(content.data(), &size, sizeof(size));
    expect_refused(content, fmt::format("{} bytes.* 2 ", size));
  }
  // Larger than allowed: a file with a hole, which takes no space.
  const fs::path path = folder.write("large", with_length("{}"));
  const uint64_t size = kSafetensorsLargestHeader + 1;
  std::fstream(path, std::ios::in | std::ios::out).write(reinterpret_cast<const char*>(&size), sizeof(size));
  fs::resize_file(path, sizeof(size) + size);
  EXPECT_ERROR(SafetensorsFile{path}, Error, HasSubstr("100000001"), HasSubstr("100000000 "));
}

// Cut anywhere, it is refused; with any bit of the header changed, it is refused or its
// tensors still lie within the file.
TEST(Safetensors, NoDamageLeadsOutsideTheFile) {
  TemporaryFolder folder;
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<uint8_t> more = {1, 2, 3};
  write_safetensors(folder / "whole",
                    std::vector{view_tensor<float>("w", {2, 2}, values), view_tensor<uint8_t>("b", {3}, more)},
                    {{"key", "value"}});
  const std::string whole = slurp(folder / "whole");
  const size_t data = whole.size() - 19;
  for (size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = folder.write("cut", whole.substr(0, size));
    EXPECT_ERROR(SafetensorsFile{path}, Error, HasSubstr("damaged"));
  }
  int refused = 0;
  int sum = 0;
  for (size_t bit = 0; bit < data * 8; ++bit) {
    flip_bit(folder / "whole", bit);
    try {
      const SafetensorsFile file(folder / "whole");
      for (const TensorView& tensor : file.tensors()) {
        for (const std::byte byte : tensor.bytes) sum += std::to_integer<int>(byte);
      }
    } catch (const Error&) {
      ++refused;
    }
    flip_bit(folder / "whole", bit);
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace verbund
