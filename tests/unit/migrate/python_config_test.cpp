#include "migrate/python_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;
using ::testing::HasSubstr;

PythonFile parse(const std::string& text) { return parse_python(text, "my.py"); }

PythonValue value(const std::string& expression) { return *parse("x = " + expression + "\n").variables.find("x"); }

TEST(PythonConfig, NumbersTextsAndNames) {
  EXPECT_EQ(value("512").number, 512);
  EXPECT_TRUE(value("512").whole);
  EXPECT_EQ(value("1e-9").number, 1e-9);
  EXPECT_FALSE(value("2.0").whole);
  EXPECT_EQ(value("1_000").number, 1000);
  EXPECT_EQ(value("0x10").number, 16);
  EXPECT_EQ(value("-.5").number, -0.5);
  EXPECT_TRUE(value("True").truth);
  EXPECT_EQ(value("None").kind, Kind::kNone);
  EXPECT_EQ(value(R"('a\'b' "c")").text, "a'bc");
  EXPECT_EQ(value(R"(r"\d+")").text, R"(\d+)");
  EXPECT_EQ(value("\"\"\"two\nlines\"\"\"").text, "two\nlines");
  EXPECT_EQ(value("tf.train.AdamOptimizer").kind, Kind::kSymbol);
  EXPECT_EQ(value("tf.train.AdamOptimizer").text, "tf.train.AdamOptimizer");
}

TEST(PythonConfig, Arithmetic) {
  EXPECT_EQ(value("8*1024").number, 8192);
  EXPECT_TRUE(value("8*1024").whole);
  EXPECT_EQ(value("2.0/4").number, 0.5);
  EXPECT_EQ(value("7//2 + 7%4").number, 6);
  EXPECT_EQ(value("2 + 3*(4 - 1)").number, 11);
  EXPECT_EQ(value("-2**2").number, -4);
  EXPECT_EQ(value("512**-0.5").number, std::pow(512, -0.5));
  EXPECT_EQ(value("1/0").kind, Kind::kOpaque);
  EXPECT_EQ(value("10**400").kind, Kind::kOpaque);
  EXPECT_EQ(value("'a'*3").kind, Kind::kOpaque);
}

TEST(PythonConfig, ContainersAndNamesAssignedBefore) {
  const PythonFile file = parse(R"(
"""What it is for."""
from __future__ import print_function
import tensorflow as tf, os
from x import (a,
               b)
root = "/data/"
d = 512; heads = 8     # two in a line
base_params = {
  "file": root + "train.tok",
  'joined': os.path.join(root, "a", "b"),
  "encoder_params": dict(hidden_size=d, sizes=[d, 4 * d,],),
  "pair": (1, 2), "one": (3), "none": (),
  "long": 1 + \
          2,
}
base_params["extra"] = {"deep": 1}
base_params["extra"]["more"] = base_params["one"]
a = b = 7
)");
  const PythonValue& base = *file.variables.find("base_params");
  EXPECT_EQ(base.find("file")->text, "/data/train.tok");
  EXPECT_EQ(base.find("joined")->text, "/data/a/b");
  EXPECT_EQ(base.find("encoder_params")->find("hidden_size")->number, 512);
  EXPECT_EQ(base.find("encoder_params")->find("sizes")->items.at(1).number, 2048);
  EXPECT_EQ(base.find("pair")->items.size(), 2u);
  EXPECT_EQ(base.find("one")->number, 3);
  EXPECT_EQ(base.find("none")->items.size(), 0u);
  EXPECT_EQ(base.find("long")->number, 3);
  EXPECT_EQ(base.find("extra")->find("more")->number, 3);
  EXPECT_EQ(base.find("joined")->line, 11u);
  EXPECT_EQ(file.variables.find("b")->number, 7);
  EXPECT_TRUE(file.unread.empty());
}

// Whatever would have to be executed stays text, with its place.
TEST(PythonConfig, NothingIsExecuted) {
  const TemporaryFolder folder;
  const std::string touch = "os.system('touch " + (folder / "owned").string() + "')";
  const PythonFile file =
      parse("import os\n" + touch + "\n__import__('os').system('true')\neval(\"" + touch + "\")\n@decorated\ndef f(x=" +
            touch + "):\n  " + touch + "\n\n  return 1\nclass C(object):\n  x = " + touch + "\nif " + touch +
            ": pass\nfor i in [1]:\n    " + touch + "\na, b = " + touch + ", 1\nbase_params = {\n  'a': " + touch +
            ",\n  'b': [" + touch + " for _ in (1, 2)],\n  'c': lambda x, y=1: " + touch + ",\n  'd': f\"{" +
            touch.substr(0, 9) + "}\",\n  'e': 1 if " + touch + " else 2,\n  'f': not " + touch +
            ",\n  **dict(x=" + touch + "),\n  " + touch + ": 3,\n  'g': (" + touch + ").real,\n  'h': 5,\n}\n");
  EXPECT_FALSE(fs::exists(folder / "owned"));
  const PythonValue& base = *file.variables.find("base_params");
  for (const char* key : {"a", "c", "d", "e", "f", "g"}) EXPECT_EQ(base.find(key)->kind, Kind::kOpaque) << key;
  EXPECT_EQ(base.find("a")->text, touch);
  EXPECT_EQ(base.find("b")->items.at(0).kind, Kind::kOpaque);
  EXPECT_EQ(base.find("h")->number, 5);
  ASSERT_EQ(file.unread.size(), 9u);
  EXPECT_EQ(file.unread[0].line, 2u);
  EXPECT_EQ(file.unread[0].text, touch);
  EXPECT_EQ(file.unread[4].line, 6u);
  EXPECT_THAT(file.unread[4].text, ::testing::StartsWith("def f("));
}

TEST(PythonConfig, MistakesAreRefusedWithTheirLine) {
  EXPECT_ERROR(parse("a = {\n  'x': 1\n  'y': 2,\n}\n"), UsageError, HasSubstr("my.py:3: 'y'"), HasSubstr("comma"));
  EXPECT_ERROR(parse("a = {\n  'x': 'text'\n  'y': 2,\n}\n"), UsageError, HasSubstr("my.py:3: :"));
  EXPECT_ERROR(parse("a = 1\nb = {\n  'x': [1, 2,\n"), UsageError, HasSubstr("my.py:3: the [ of this line"));
  EXPECT_ERROR(parse("a = [1, 2}\n"), UsageError, HasSubstr("my.py:1: } closes the [ of line 1"));
  EXPECT_ERROR(parse("a = 1)\n"), UsageError, HasSubstr("my.py:1: this ) closes nothing"));
  EXPECT_ERROR(parse("\na = 'text\n"), UsageError, HasSubstr("my.py:2: a text begins here"));
  EXPECT_ERROR(parse("a = '''text\n\n"), UsageError, HasSubstr("my.py:1: a text begins here"));
  EXPECT_ERROR(parse("a = 'x\\"), UsageError, HasSubstr("my.py:1: a text begins here"));
  EXPECT_ERROR(parse("a =\n"), UsageError, HasSubstr("my.py:1: the end of the line stands where a value"));
  EXPECT_ERROR(parse("a = {'x': , }\n"), UsageError, HasSubstr("my.py:1: , stands where a value is needed"));
  EXPECT_ERROR(parse("a = {'x' = 1}\n"), UsageError, HasSubstr("my.py:1: = stands where : is needed"));
  EXPECT_ERROR(parse("a = {'x': 1 'y': 2}\n"), UsageError, HasSubstr("my.py:1"));
  EXPECT_ERROR(parse("a = 1\n\tb = 2\n"), UsageError, HasSubstr("my.py:2: this line is indented"));
  EXPECT_ERROR(parse("if x:\nb = 2\n"), UsageError, HasSubstr("my.py:2: an indented block is missing"));
  EXPECT_ERROR(parse("base params = {}\n"), UsageError, HasSubstr("my.py:1: params is not expected after base"));
  EXPECT_ERROR(parse("a = 12abc\n"), UsageError, HasSubstr("my.py:1: 12abc is not a number"));
  EXPECT_ERROR(parse("a = $x\n"), UsageError, HasSubstr("my.py:1: the character $"));
  EXPECT_ERROR(parse("a = 1 \\ \nb = 2"), UsageError, HasSubstr("my.py:1"));
  EXPECT_ERROR(parse("a = '\xff'\n"), UsageError, HasSubstr("not UTF-8"));
  EXPECT_ERROR(parse("a = (lambda)\n"), UsageError, HasSubstr("my.py:1: ) stands where : is needed"));
  EXPECT_ERROR(parse("a = [lambda x]\n"), UsageError, HasSubstr("my.py:1: ] stands where : is needed"));
}

TEST(PythonConfig, DepthAndSizeAreBounded) {
  EXPECT_ERROR(parse("a = " + std::string(20000, '[') + std::string(20000, ']')), UsageError, HasSubstr("my.py:1"),
               HasSubstr("nested more than 100 deep"));
  EXPECT_ERROR(parse("a = " + std::string(20000, '-') + "1"), UsageError, HasSubstr("nested more than 100 deep"));
  std::string powers = "a = 2";
  for (int i = 0; i < 20000; ++i) powers += "**2";
  EXPECT_ERROR(parse(powers), UsageError, HasSubstr("nested more than 100 deep"));
  EXPECT_ERROR(parse(std::string(2 << 20, '\n')), UsageError, HasSubstr("at most 1048576"));

  std::string laughs = "a = ['ha', 'ha']\n";  // each line twice the one before
  for (int i = 0; i < 60; ++i) laughs += "a = [a, a]\n";
  EXPECT_ERROR(parse(laughs), UsageError, HasSubstr("more than 20000 values"));
  std::string doubled = "a = 'haha'\n";
  for (int i = 0; i < 60; ++i) doubled += "a = a + a\n";
  EXPECT_ERROR(parse(doubled), UsageError, HasSubstr("more than 20000 values"));
  std::string deeper = "a = []\n";
  for (int i = 0; i < 50000; ++i) deeper += "a = [a]\n";
  EXPECT_ERROR(parse(deeper), UsageError, HasSubstr("more than 20000 values"));
  std::string many = "a = {";
  for (int i = 0; i < 50000; ++i) many += std::to_string(i) + ":0,";
  EXPECT_ERROR(parse(many + "}"), UsageError, HasSubstr("more than 20000 values"));
}

// Every prefix and every file with one character changed is read or refused, and nothing worse.
TEST(PythonConfig, DamagedFilesAreReadOrRefused) {
  const std::string good =
      "import os\nx = {'a': [1, 2.5, -3], 'b': os.path.join('c', \"d\"),\n  'e': dict(f=1), 'g': h.i(j)}\n"
      "if x:\n  y = '''z'''\nx['k'] = (1,) + (2,) # l\n";
  ASSERT_NO_THROW(parse(good));
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char c : std::string("\0{}[]()'\"\\:,=\n\t .*x0", 20)) {
      std::string damaged = good;
      damaged[i] = c;
      for (const std::string& text : {damaged, good.substr(0, i)}) {
        try {
          parse(text);
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), HasSubstr("my.py"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace verbund
