# SPDX-License-Identifier: Apache-2.0
# Reads the Python file on stdin, without executing it, and prints as JSON what it assigns.
#
#   {"variables": {NAME: VALUE, ...}, "unread": [[LINE, TEXT], ...]}    or    {"refused": WHY, "line": LINE}
#
# A VALUE is [KIND, LINE, CONTENT]: literals, sums of such and names assigned before are computed; a name that the file
# does not assign is a symbol (tf.float32); whatever else there is, calls above all, is opaque: its source.
import ast
import json
import math
import operator
import posixpath
import sys

DEEPEST = 100  # values in values
MOST = 20000  # values, names counted as what they stand for: guards against files that make much out of little
TEXT_OF_ONE_VALUE = 100  # characters
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}


class Refused(Exception):
    pass


def weight(value):
    kind, _, content = value
    if kind == "list":
        return 1 + sum(map(weight, content))
    if kind == "dict":
        return 1 + sum(weight(member) + len(key) // TEXT_OF_ONE_VALUE for key, member in content.items())
    return 1 + (len(content) // TEXT_OF_ONE_VALUE if isinstance(content, str) else 0)


def combined(operation, left, right):
    """The kind and content of `left operation right`, or None."""
    if left[0] != right[0]:
        return None
    if left[0] == "number" and type(operation) in OPERATORS:
        try:
            result = OPERATORS[type(operation)](left[2], right[2])
        except ArithmeticError:
            return None
        return ("number", result) if isinstance(result, float) and math.isfinite(result) else None
    if left[0] in ("text", "list") and isinstance(operation, ast.Add):
        return left[0], left[2] + right[2]
    return None


class Reader:
    def __init__(self, source):
        self.lines = [line.encode() for line in source.split("\n")]  # the columns of nodes are bytes of UTF-8
        self.variables = {}
        self.unread = []
        self.count = 0
        self.depth = 0

    def read(self, module):
        for statement in module.body:
            if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
                continue
            if isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str):
                continue  # a text about the file
            paths = [self.path(target) for target in getattr(statement, "targets", [])]
            if isinstance(statement, ast.Assign) and all(paths):
                value = self.value(statement.value)
                self.add(weight(value) * (len(paths) - 1), statement)  # a = b = value
                self.assign(paths, value)
                continue
            for decorator in getattr(statement, "decorator_list", []):
                self.leave(decorator, "@" + self.source(decorator))
            self.leave(statement, self.source(statement))

    def leave(self, node, text):
        self.add(1, node)
        self.unread.append((node.lineno, text))

    def path(self, target):
        """NAME["key"]["key"] as a list of texts, or None for other targets."""
        keys = []
        while isinstance(target, ast.Subscript):
            key = target.slice
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                return None
            keys.insert(0, key.value)
            target = target.value
        return [target.id, *keys] if isinstance(target, ast.Name) else None

    def assign(self, paths, value):
        def updated(old, keys):
            if not keys:
                return value
            members = dict(old[2]) if old is not None and old[0] == "dict" else {}
            members[keys[0]] = updated(members.get(keys[0]), keys[1:])
            return "dict", value[1], members

        for name, *keys in paths:
            self.variables[name] = updated(self.variables.get(name), keys)

    def source(self, node):
        lines = self.lines[node.lineno - 1:node.end_lineno]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        return b"\n".join(lines).decode()

    def add(self, count, node):
        self.count += count
        if self.count > MOST:
            raise Refused(node.lineno, f"the file has more than {MOST} values or long texts")

    def value(self, node):
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused(node.lineno, f"values are nested more than {DEEPEST} deep")
        read = getattr(self, "read_" + type(node).__name__, lambda _: None)
        kind, content = read(node) or ("opaque", self.source(node))
        value = kind, node.lineno, content
        self.add(weight(value), node)
        self.depth -= 1
        return value

    # Each returns the kind and content of a node, or None where it would have to be executed.

    def read_Constant(self, node):
        constant = node.value
        if constant is None:
            return "none", None
        if isinstance(constant, bool):
            return "bool", constant
        if isinstance(constant, bytes):
            return "text", constant.decode(errors="backslashreplace")
        if isinstance(constant, str):
            return "text", constant
        if isinstance(constant, (int, float)) and abs(constant) <= sys.float_info.max:
            return "number", float(constant)
        return None

    def read_Name(self, node):
        kind, _, content = self.variables.get(node.id, ("symbol", 0, node.id))
        return kind, content

    def read_Attribute(self, node):
        kind, _, content = self.value(node.value)
        return (kind, f"{content}.{node.attr}") if kind == "symbol" else None

    def read_Subscript(self, node):
        kind, _, content = self.value(node.value)
        key = getattr(node.slice, "value", None)
        if kind != "dict" or not isinstance(key, str) or key not in content:
            return None
        return content[key][0], content[key][2]

    def read_List(self, node):
        return "list", [self.value(item) for item in node.elts]

    read_Tuple = read_List

    def read_Dict(self, node):
        members = {}
        for key, node_of_value in zip(node.keys, node.values):
            if key is None:
                text = "**" + self.source(node_of_value)
                members[text] = "opaque", node_of_value.lineno, text
                continue
            kind, line, name = self.value(key)
            kind_of_value, _, content = self.value(node_of_value)
            members[name if kind == "text" else self.source(key)] = kind_of_value, line, content
        return "dict", members

    def read_UnaryOp(self, node):
        kind, _, content = self.value(node.operand)
        if kind != "number" or not isinstance(node.op, (ast.USub, ast.UAdd)):
            return None
        return kind, -content if isinstance(node.op, ast.USub) else content

    def read_BinOp(self, node):
        return combined(node.op, self.value(node.left), self.value(node.right))

    # Only what puts values together is computed: dict(a=1) and os.path.join("a", "b").
    def read_Call(self, node):
        kind, _, function = self.value(node.func)
        names = [keyword.arg for keyword in node.keywords]
        if (kind, function) == ("symbol", "dict") and not node.args and None not in names:
            return "dict", {keyword.arg: self.value(keyword.value) for keyword in node.keywords}
        if (kind, function) == ("symbol", "os.path.join") and not names:
            parts = [self.value(part) for part in node.args]
            if parts and all(part[0] == "text" for part in parts):
                return "text", posixpath.join(*[part[2] for part in parts])
        return None


def with_caret(error):
    """Python's own message, the line that it is about, and a caret below the place."""
    if not error.text:
        return error.msg
    begin = max(0, (error.offset or 1) - 1 - 60)
    line = error.text.rstrip("\n")[begin:begin + 100]
    shown = "".join(c if c.isprintable() else " " for c in line)
    return f"{error.msg}\n    {shown}\n    {' ' * ((error.offset or 1) - 1 - begin)}^"


def main():
    source = sys.stdin.buffer.read().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    try:
        reader = Reader(source)
        reader.read(ast.parse(source))
        result = json.dumps({"variables": reader.variables, "unread": reader.unread}, ensure_ascii=False)
    except SyntaxError as error:
        result = json.dumps({"refused": with_caret(error), "line": error.lineno or 1})
    except Refused as refused:
        result = json.dumps({"refused": refused.args[1], "line": refused.args[0]})
    except (RecursionError, MemoryError):
        result = json.dumps({"refused": "the file is nested too deeply, or is too large for Python to parse"})
    sys.stdout.buffer.write(result.encode(errors="replace"))  # "\ud800" is a text in Python, but not in UTF-8


main()
