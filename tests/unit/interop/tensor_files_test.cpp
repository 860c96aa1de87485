// SPDX-License-Identifier: Apache-2.0
// Files of tensors from elsewhere: what they hold, and hostile ones, which must end with an error and nothing else.
#include "fetch/archive.h"
#include "interop/pickle.h"
#include "interop/tensor_map.h"
#include "support/expect_error.h"
#include "support/mutate.h"
#include "support/stored_zip.h"
#include "support/temporary_folder.h"

namespace verbund::tensor_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text(const std::string& words) {
  return "X" + std::string{static_cast<char>(words.size()), 0, 0, 0} + words;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string small(int value) { return {'K', static_cast<char>(value)}; }

// A tensor from element `offset` of a storage of 4, as torch.save pickles it.
std::string tensor_of(int offset, int rows, int columns, const std::string& storage = "torch\nFloatStorage\n") {
  const std::string id = "(" + text("storage") + "c" + storage + text("0") + text("cpu") + small(4) + "tQ";
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + id + small(offset) + small(rows) + small(columns) + "\x86" +
         small(columns) + small(1) + "\x86\x89" + "ccollections\nOrderedDict\n)Rt" + "R";
}

const std::string kBegin = std::string("\x80\x02") + "ccollections\nOrderedDict\n)R";

// {"a": such a tensor}
std::string pickle_of(int offset, int rows, int columns, const std::string& storage = "torch\nFloatStorage\n") {
  return kBegin + text("a") + tensor_of(offset, rows, columns, storage) + "s.";
}

std::string torch_file(const std::string& pickle, const std::string& bytes) {
  return stored_zip({{"m/data.pkl", pickle}, {"m/byteorder", "little"}, {"m/data/0", bytes}});
}

std::string npy(const std::string& header, const std::string& bytes) {
  return "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(header.size()) + std::string(1, '\0') + header +
         bytes;
}

const std::string kFloats = floats({1, 2, 3, 4});
const std::string kHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";

class TensorFiles : public ::testing::Test {
 public:
  TensorMap torch(const std::string& content) { return read_torch_tensors(folder_.write("model.bin", content)); }
  TensorMap npz(const std::string& content) { return read_npz_tensors(folder_.write("model.npz", content), texts_); }

 protected:
  TemporaryFolder folder_;
  std::map<std::string, std::string> texts_;
};

TEST_F(TensorFiles, TorchAndNumpy) {
  TensorMap from_torch = torch(torch_file(pickle_of(0, 2, 2), kFloats));
  EXPECT_THAT(from_torch.take("a", {2, 2}), ElementsAre(1, 2, 3, 4));
  from_torch.expect_empty();
  EXPECT_THAT(torch(torch_file(pickle_of(1, 1, 2), kFloats)).take("a", {1, 2}), ElementsAre(2, 3));
  TensorMap from_numpy = npz(
      stored_zip({{"a.npy", npy(kHeader, kFloats)},
                  {"special:model.yml.npy", npy("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "a: ")}}));
  EXPECT_EQ(texts_.at("special:model.yml"), "a: ");
  EXPECT_THAT(from_numpy.take_transposed("a", 2, 2), ElementsAre(1, 3, 2, 4));
}

TEST_F(TensorFiles, HalfPrecision) {
  const std::string halves("\x00\x3c\x00\xc0\x01\x00\xff\x7b", 8);  // 1, -2, the smallest, the largest
  EXPECT_THAT(torch(torch_file(pickle_of(0, 2, 2, "torch\nHalfStorage\n"), halves)).take("a", {2, 2}),
              ElementsAre(1, -2, std::ldexp(1.0f, -24), 65504));
  const std::string bfloats("\x80\x3f\x00\xc0\x00\x00\x40\x40", 8);
  TensorMap from_bfloats = torch(torch_file(pickle_of(0, 2, 2, "torch\nBFloat16Storage\n"), bfloats));
  EXPECT_EQ(from_bfloats.at("a").dtype, Dtype::kBF16);
  EXPECT_THAT(from_bfloats.take("a", {2, 2}), ElementsAre(1, -2, 0, 3));
  EXPECT_EQ(torch(torch_file(pickle_of(0, 2, 2), kFloats)).at("a").dtype, Dtype::kF32);
}

TEST_F(TensorFiles, CodeInAPickleIsNamedAndNotExecuted) {
  const fs::path trace = folder_ / "trace";
  const std::string call = "cos\nsystem\n(" + text("touch " + trace.string()) + "tR.";
  EXPECT_ERROR(torch(torch_file("\x80\x02" + call, kFloats)), Error, HasSubstr("os system"));
  const std::string by_stack = "\x80\x04" + text("posix") + text("system") + "\x93(" + text("touch x") + "tR.";
  EXPECT_ERROR(torch(torch_file(by_stack, kFloats)), Error, HasSubstr("posix system"));
  EXPECT_ERROR(torch(torch_file("\x80\x02(ios\nsystem\n.", kFloats)), Error, HasSubstr("0x69"));
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(TensorFiles, SizesThatLie) {
  EXPECT_ERROR(torch(torch_file(pickle_of(0, 2, 3), kFloats)), Error, HasSubstr("[2, 3]"), HasSubstr("16"));
  EXPECT_ERROR(torch(torch_file(pickle_of(3, 2, 2), kFloats)), Error, HasSubstr("element 3"));
  const std::string large = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }";
  EXPECT_ERROR(npz(stored_zip({{"a.npy", npy(large, kFloats)}})), Error, HasSubstr("4611686018427387904"));
  const std::string whole = torch_file(pickle_of(0, 2, 2), kFloats);
  EXPECT_ERROR(torch(whole.substr(0, whole.size() / 2)), Error, HasSubstr("model.bin"));
  EXPECT_ERROR(torch("\x80\x02}."), Error, HasSubstr("zip"));
}

TEST_F(TensorFiles, TiedTensorsAreReadButThousandsOfViewsRefused) {
  std::string pickle = kBegin;
  const auto add = [&](int number) { pickle += text("t" + std::to_string(number)) + tensor_of(0, 250, 250) + "s"; };
  const std::string storage(250000, '\0');
  for (int i = 0; i < 4; ++i) add(i);
  EXPECT_TRUE(torch(torch_file(pickle + ".", storage)).has("t3"));
  for (int i = 4; i < 50; ++i) add(i);
  EXPECT_ERROR(torch(torch_file(pickle + ".", storage)), Error, HasSubstr("8 times"));
}

TEST_F(TensorFiles, ShapesOfManyDimensionsAreRefused) {
  std::string ones = "(";
  for (int i = 0; i < 1000; ++i) ones += small(1);
  std::string pickle = pickle_of(0, 2, 2);
  for (const std::string& plain : {small(2) + small(2) + "\x86", small(2) + small(1) + "\x86"}) {  // shape, stride
    pickle.replace(pickle.find(plain), plain.size(), ones + "t");
  }
  EXPECT_ERROR(torch(torch_file(pickle, kFloats)), Error, HasSubstr("a is not a tensor"));
}

// A tuple of 10,000 items, which each call or persistent id would copy.
TEST_F(TensorFiles, CopiesOfATupleAreCounted) {
  std::string tuple = "(";
  for (int i = 0; i < 10000; ++i) tuple += small(1);
  std::string calls = "\x80\x02" + tuple + "tq\1", ids = calls;
  for (int i = 0; i < 1100; ++i) {
    calls += "ccollections\nOrderedDict\nh\1R";
    ids += "h\1Q";
  }
  EXPECT_ERROR(read_pickle(calls + ".", "calls", {"collections OrderedDict"}), Error, HasSubstr("10000000"));
  EXPECT_ERROR(read_pickle(ids + ".", "ids", {}), Error, HasSubstr("10000000"));
}

// One byte or two each, but many times as much memory.
TEST_F(TensorFiles, PlacesThatReferToValuesAreCounted) {
  const auto read = [](const std::string& opcode, int count) {
    std::string pickle = std::string("\x80\x04Nq\0", 5);
    for (int i = 0; i < count; ++i) pickle += opcode;
    read_pickle(pickle + ".", "places", {});
  };
  for (const std::string& opcode : {std::string("q\0", 2), std::string("h\0", 2), std::string("(")}) {
    EXPECT_ERROR(read(opcode, 10'100'000), Error, HasSubstr("10000000"));
  }
  read("q\1", 1000);
}

// A zip stores these zeros a thousand times smaller.
TEST_F(TensorFiles, MembersTogetherAreBounded) {
  const fs::path path = folder_ / "bomb.zip";
  const std::string code =
      "import sys, zipfile\n"
      "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:\n"
      "    for i in range(20): archive.writestr(str(i), bytes(900000))";
  ASSERT_EQ(std::system(("python3 -c \"" + code + "\" " + path.string()).c_str()), 0);
  EXPECT_ERROR(read_zip(path), Error, HasSubstr("64 times"));
}

TEST_F(TensorFiles, MissingExtraAndMisshapenTensorsAreNamed) {
  TensorMap tensors = torch(torch_file(pickle_of(0, 2, 2), kFloats));
  EXPECT_ERROR(tensors.take("b", {2, 2}), Error, HasSubstr("b"));
  EXPECT_ERROR(tensors.take("a", {4, 1}), Error, HasSubstr("[2, 2]"), HasSubstr("[4, 1]"));
  EXPECT_ERROR(tensors.expect_empty(), Error, HasSubstr("a [2, 2]"));
}

TEST_F(TensorFiles, MutatedFilesAreReadOrRefused) {
  mutate(torch_file(pickle_of(0, 2, 2), kFloats), [&](const std::string& bytes) { torch(bytes); });
  mutate(stored_zip({{"a.npy", npy(kHeader, kFloats)}}), [&](const std::string& bytes) { npz(bytes); });
  // The checksum of a zip hides most changes of its members: these are changed by themselves.
  mutate(pickle_of(0, 2, 2), [&](const std::string& bytes) { torch(torch_file(bytes, kFloats)); });
  mutate(npy(kHeader, kFloats), [&](const std::string& bytes) { npz(stored_zip({{"a.npy", bytes}})); });
  const std::vector<float> values = {1, 2, 3, 4};
  write_safetensors(folder_ / "whole", std::vector{view_tensor<float>("a", {2, 2}, values)});
  mutate(slurp(folder_ / "whole"),
         [&](const std::string& bytes) { read_safetensors_tensors(folder_.write("model.safetensors", bytes)); });
}

}  // namespace
}  // namespace verbund::tensor_files_test
