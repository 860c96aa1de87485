// SPDX-License-Identifier: Apache-2.0
#include "migrate/python_config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

PythonFile parse(const std::string& text) { return parse_python(text, "my.py"); }

PythonValue value(const std::string& expression) { return *parse("x = " + expression + "\n").variables.find("x"); }

TEST(PythonConfig, NumbersTextsAndNames) {
  EXPECT_EQ(value("512").number, 512);
  EXPECT_EQ(value("1e-9").number, 1e-9);
  EXPECT_EQ(value("2.0").number, 2);
  EXPECT_EQ(value("1_000").number, 1000);
  EXPECT_EQ(value("0x10").number, 16);
  EXPECT_EQ(value("-.5").number, -0.5);
  EXPECT_TRUE(value("True").truth);
  EXPECT_EQ(value("None").kind, Kind::kNone);
  EXPECT_EQ(value(R"('a\'b' "c")").text, "a'bc");
  EXPECT_EQ(value(R"(r"\d+")").text, R"(\d+)");
  EXPECT_EQ(value("\"\"\"two\nlines\"\"\"").text, "two\nlines");
  EXPECT_EQ(value(R"('\x1b\ud800\101')").text, "\x1b?A");
  EXPECT_EQ(value("tf.train.AdamOptimizer").kind, Kind::kSymbol);
  EXPECT_EQ(value("tf.train.AdamOptimizer").text, "tf.train.AdamOptimizer");
}

TEST(PythonConfig, Arithmetic) {
  EXPECT_EQ(value("8*1024").number, 8192);
  EXPECT_EQ(value("2.0/4").number, 0.5);
  EXPECT_EQ(value("7//2 + 7%4").number, 6);
  EXPECT_EQ(value("2 + 3*(4 - 1)").number, 11);
  EXPECT_EQ(value("-2**2").number, -4);
  EXPECT_EQ(value("512**-0.5").number, std::pow(512, -0.5));
  EXPECT_EQ(value("1/0").kind, Kind::kOpaque);
  EXPECT_EQ(value("10**400").kind, Kind::kOpaque);
  EXPECT_EQ(value("'a'*3").kind, Kind::kOpaque);
  EXPECT_EQ(value("9**9**9**9").kind, Kind::kOpaque);
  EXPECT_EQ(value("(-8)**0.5").kind, Kind::kOpaque);
  EXPECT_EQ(value("1e999").kind, Kind::kOpaque);
  EXPECT_EQ(value("0x1" + std::string(400, '0')).kind, Kind::kOpaque);
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
c["\ud800"] = 8
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
  EXPECT_EQ(file.variables.find("c")->find("?")->number, 8);
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
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) EXPECT_EQ(base.find(key)->kind, Kind::kOpaque) << key;
  EXPECT_EQ(base.find("a")->text, touch);
  EXPECT_EQ(base.find("h")->number, 5);
  ASSERT_EQ(file.unread.size(), 9u);
  EXPECT_EQ(file.unread[0].line, 2u);
  EXPECT_EQ(file.unread[0].text, touch);
  EXPECT_EQ(file.unread[4].line, 6u);
  EXPECT_THAT(file.unread[4].text, ::testing::StartsWith("def f("));
}

TEST(PythonConfig, MistakesAreRefusedWithTheirLine) {
  EXPECT_ERROR(parse("a = {\n  'x': 1\n  'y': 2,\n}\n"), UsageError, ContainsRegex("my.py:[23]: "), HasSubstr("^"));
  EXPECT_ERROR(parse("a = {\n  'x': 'text'\n  'y': 2,\n}\n"), UsageError, HasSubstr("my.py:3: "),
               HasSubstr("\n      'y': 2,\n         ^"));
  EXPECT_ERROR(parse("a = 1\nb = {\n  'x': [1, 2,\n"), UsageError, HasSubstr("my.py:3: "), HasSubstr("'['"));
  EXPECT_ERROR(parse("a = [1, 2}\n"), UsageError, HasSubstr("my.py:1: "), HasSubstr("'}'"));
  EXPECT_ERROR(parse("a = 1)\n"), UsageError, HasSubstr("my.py:1: "), HasSubstr("')'"));
  EXPECT_ERROR(parse("\na = 'text\n"), UsageError, HasSubstr("my.py:2: "));
  EXPECT_ERROR(parse("a = '''text\n\n"), UsageError, HasSubstr("my.py:1: "));
  EXPECT_ERROR(parse("a = 'x\\"), UsageError, HasSubstr("my.py:1: "));
  EXPECT_ERROR(parse("a = 1\n\tb = 2\n"), UsageError, HasSubstr("my.py:2: "));
  EXPECT_ERROR(parse("if x:\nb = 2\n"), UsageError, HasSubstr("my.py:2: "));
  for (const char* text : {"a =\n", "a = {'x': , }\n", "a = {'x' = 1}\n", "a = {'x': 1 'y': 2}\n", "base params = {}\n",
                           "a = 12abc\n", "a = $x\n", "a = 1 \\ \nb = 2", "a = (lambda)\n", "a = [lambda x]\n"}) {
    EXPECT_ERROR(parse(text), UsageError, HasSubstr("my.py:1: ")) << text;
  }
  EXPECT_ERROR(parse("a = 1\nb = '\x1b[2J' c\n"), UsageError, HasSubstr("my.py:2: "), Not(HasSubstr("\x1b")));
}

TEST(PythonConfig, BytesThatAreNotPythonAreRefused) {
  EXPECT_ERROR(parse("a = '\xff'\n"), UsageError, HasSubstr("my.py"), HasSubstr("UTF-8"));
  EXPECT_ERROR(parse(std::string("a = 1\nb = '\0'\n", 14)), UsageError, HasSubstr("my.py:2: "), HasSubstr("NUL"));
}

TEST(PythonConfig, AByteOrderMarkAndLineEndsOfWindowsAreRead) {
  const PythonFile file = parse("\xef\xbb\xbfx = 1\r\nb = f('\xc3\xa4',\r\n  2)\r\n");
  EXPECT_EQ(file.variables.find("x")->number, 1);
  EXPECT_EQ(file.variables.find("b")->line, 2u);
  EXPECT_EQ(file.variables.find("b")->text, "f('\xc3\xa4',\n  2)");
}

// Its own PATH until the end of the test.
class PythonInPath : public ::testing::Test {
 protected:
  PythonInPath() { ::setenv("PATH", folder_.path().c_str(), 1); }
  ~PythonInPath() override { ::setenv("PATH", before_.c_str(), 1); }

  void install(const std::string& script) const {
    fs::permissions(folder_.write("python3", "#!/bin/sh\n" + script + "\n"), fs::perms::owner_all);
  }

 private:
  const std::string before_ = std::getenv("PATH");
  const TemporaryFolder folder_;
};

TEST_F(PythonInPath, MayBeMissing) {
  EXPECT_ERROR(parse("a = 1\n"), Error, HasSubstr("my.py"), HasSubstr("apt install python3"));
}

TEST_F(PythonInPath, MayBeBroken) {
  install("echo broken");
  EXPECT_ERROR(parse("a = 1\n"), Error, HasSubstr("my.py"), HasSubstr("broken"));
  install("echo without ast; exit 1");
  EXPECT_ERROR(parse("a = 1\n"), Error, HasSubstr("my.py"), HasSubstr("without ast"));
}

TEST_F(PythonInPath, MayOverflowItsStack) {
  install("kill -SEGV $$");
  EXPECT_ERROR(parse("a = 1\n"), UsageError, HasSubstr("my.py"), HasSubstr("signal 11"));
}

TEST_F(PythonInPath, HasACleanEnvironment) {
  ::setenv("VERBUND_TEST_VARIABLE", "here", 1);
  install("/usr/bin/env; exit 1");
  EXPECT_ERROR(parse("a = 1\n"), Error, HasSubstr("PATH="), Not(HasSubstr("VERBUND_TEST_VARIABLE")));
  ::unsetenv("VERBUND_TEST_VARIABLE");
}

// Variables of the environment could make Python load files of the user's.
TEST(PythonConfig, TheEnvironmentDoesNotReachPython) {
  const TemporaryFolder folder;
  folder.write("json.py", "raise SystemExit('not this one')\n");
  ::setenv("PYTHONPATH", folder.path().c_str(), 1);
  const double number = value("1").number;
  ::unsetenv("PYTHONPATH");
  EXPECT_EQ(number, 1);
}

TEST(PythonConfig, DepthAndSizeAreBounded) {
  const auto brackets = [](size_t depth) { return "a = " + std::string(depth, '[') + "1" + std::string(depth, ']'); };
  const auto signs = [](size_t depth) { return "a = " + std::string(depth, '-') + "1"; };
  EXPECT_EQ(parse(brackets(90)).variables.find("a")->items.size(), 1u);
  EXPECT_EQ(parse(signs(90)).variables.find("a")->number, 1);
  EXPECT_ERROR(parse(brackets(150)), UsageError, HasSubstr("my.py:1: "), HasSubstr("100"));
  EXPECT_ERROR(parse(signs(150)), UsageError, HasSubstr("my.py:1: "), HasSubstr("100"));
  for (const size_t depth : {2000, 20000, 200000}) {
    EXPECT_ERROR(parse(brackets(depth)), UsageError, HasSubstr("my.py:1: "), HasSubstr("nested"));
    EXPECT_ERROR(parse(signs(depth)), UsageError, HasSubstr("my.py"), HasSubstr("nested"));
  }
  std::string powers = "a = 2", keys = "a";
  for (int i = 0; i < 20000; ++i) powers += "**2";
  EXPECT_ERROR(parse(powers), UsageError, HasSubstr("my.py"), HasSubstr("nested"));
  for (int i = 0; i < 2000; ++i) keys += "['x']";
  EXPECT_ERROR(parse(keys + " = 1"), UsageError, HasSubstr("my.py"), HasSubstr("nested"));
  EXPECT_ERROR(parse(std::string(2 << 20, '\n')), UsageError, HasSubstr("my.py"), HasSubstr("1048576"));

  std::string laughs = "a = ['ha', 'ha']\n";  // each line twice the one before
  for (int i = 0; i < 60; ++i) laughs += "a = [a, a]\n";
  EXPECT_ERROR(parse(laughs), UsageError, HasSubstr("20000"));
  std::string doubled = "a = 'haha'\n";
  for (int i = 0; i < 60; ++i) doubled += "a = a + a\n";
  EXPECT_ERROR(parse(doubled), UsageError, HasSubstr("20000"));
  std::string deeper = "a = []\n";
  for (int i = 0; i < 50000; ++i) deeper += "a = [a]\n";
  EXPECT_ERROR(parse(deeper), UsageError, HasSubstr("20000"));
  std::string targets;
  for (int i = 0; i < 500; ++i) targets += "a" + std::to_string(i) + " = ";
  EXPECT_ERROR(parse(targets + "'" + std::string(5000, 'x') + "'"), UsageError, HasSubstr("20000"));
  std::string many = "a = {";
  for (int i = 0; i < 50000; ++i) many += std::to_string(i) + ":0,";
  EXPECT_ERROR(parse(many + "}"), UsageError, HasSubstr("20000"));
}

// A prefix and a file with one character changed is read or refused, and nothing worse.
TEST(PythonConfig, DamagedFilesAreReadOrRefused) {
  const std::string good =
      "import os\nx = {'a': [1, 2.5, -3], 'b': os.path.join('c', \"d\"),\n  'e': dict(f=1), 'g': h.i(j)}\n"
      "if x:\n  y = '''z'''\nx['k'] = (1,) + (2,) # l\n";
  ASSERT_NO_THROW(parse(good));
  const auto check = [](const std::string& text) {
    try {
      parse(text);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("my.py"));
    }
  };
  const std::string damage("\0{}[]()'\"\\:,=\n\t .*x0", 20);
  for (size_t i = 0; i < good.size(); i += 7) {
    std::string damaged = good;
    damaged[i] = damage[i % damage.size()];
    check(damaged);
    check(good.substr(0, i));
  }
}

// As editors on Windows write it.
TEST(PythonConfig, AByteOrderMarkIsSkipped) {
  const PythonFile file = parse_python(
      "\xEF\xBB\xBF"
      "base_params = {'num_gpus': 2}\n",
      "config.py");
  ASSERT_NE(file.variables.find("base_params"), nullptr);
  EXPECT_EQ(file.variables.find("base_params")->find("num_gpus")->number, 2);
  EXPECT_EQ(file.variables.find("base_params")->line, 1u);
}

}  // namespace
}  // namespace verbund
