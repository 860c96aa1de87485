#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the manual pages and the completion for bash from what the commands say with --help.

    manual.py PROGRAM FOLDER      FOLDER gets man1/verbund.1.gz, man1/verbund-train.1.gz, ... and completions/verbund
"""

import dataclasses
import gzip
import pathlib
import re
import subprocess
import sys

EXIT_STATUS = """0 done; 1 the work failed; 2 the command line was wrong; 3 a worker was lost, and starting again may help;
128 + n stopped by signal n."""


@dataclasses.dataclass
class Option:
    names: list  # ["-n", "--workers"], or one word for an argument without a dash
    value: str  # what follows it: FOLDER, N=30, or nothing
    about: str

    def takes(self, *kinds):
        return self.value.split("=")[0].split(" ")[0] in kinds


@dataclasses.dataclass
class Help:
    """What --help said, taken apart."""
    description: str
    usage: str
    options: list
    examples: str


def parse(text):
    description, _, rest = text.partition("Usage: ")
    usage, _, rest = rest.partition("\n")
    rest, _, examples = rest.partition("\nExamples:\n")
    options = []
    for line in rest.splitlines():
        entry = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if entry:
            names, _, value = entry[1].partition(" ")
            value = re.sub(r"REQUIRED|Excludes:.*|Needs:.*|\.\.\.", "", value).strip()
            options.append(Option(names.split(","), value, entry[2] or ""))
        elif line.startswith("   ") and options:
            options[-1].about = f"{options[-1].about} {line.strip()}".strip()
    return Help(description.strip(), usage.strip(), options, examples.rstrip())


def roff(text):
    """Text as troff takes it: nothing in it is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def page(name, summary, version, sections):
    lines = [f'.TH {name.upper()} 1 "" "{version}" "Verbund"', ".SH NAME", f"{roff(name)} \\- {roff(summary)}"]
    for title, body in sections:
        lines += [f".SH {title}", body]
    return "\n".join(lines) + "\n"


def verbatim(text):
    return f".nf\n{roff(text)}\n.fi"


def described(items):
    return "\n".join(f".TP\n.B {roff(term)}\n{roff(about)}" for term, about in items)


def command_page(command, summary, version, said):
    options = [(f"{', '.join(o.names)} {o.value}".strip(), o.about) for o in said.options]
    return page(f"verbund-{command}", summary, version, [
        ("SYNOPSIS", f".B {roff(said.usage)}"), ("DESCRIPTION", roff(said.description)), ("OPTIONS", described(options)),
        ("EXAMPLES", verbatim(said.examples)), ("EXIT STATUS", roff(EXIT_STATUS)), ("SEE ALSO", ".BR verbund (1)")])


def overview_page(version, said, commands):
    return page("verbund", "trains neural machine translation models on one machine or many", version, [
        ("SYNOPSIS", f".B {roff(said.usage)}"), ("DESCRIPTION", roff(said.description)),
        ("COMMANDS", described(commands.items())), ("EXIT STATUS", roff(EXIT_STATUS)),
        ("SEE ALSO", ",\n".join(f".BR verbund\\-{roff(name)} (1)" for name in commands))])


COMPLETION = """\
# Completion for bash, made from the commands' own help.
_verbund() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command="" i
  COMPREPLY=()
  # The command is the first word, or for launch the one after --.
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ $i -eq 1 || ${COMP_WORDS[i - 1]} == -- ]]; then command=${COMP_WORDS[i]}; fi
  done
  if [[ -z $command || $previous == -- ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@ --help --version" -- "$current")
    return
  fi
  local words=""
  case "$command $previous" in
    *" --set")
      compopt -o nospace
      words="@KEYS@"
      ;;
    *" --config" | *" --show")
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -W "@PRESETS@" -- "$current"; compgen -f -- "$current")
      return
      ;;
@VALUES@
    *)
      case $command in
@FLAGS@
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _verbund verbund
"""
FOLDER_CASE = """\
    {patterns})
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;"""
FILE_CASE = FOLDER_CASE.replace("compgen -d", "compgen -f")


def configuration_keys(explained):
    """section.key= of each line of `config --explain`."""
    keys, section = [], ""
    for line in explained.splitlines():
        entry = re.match(r"( *)(\w+):(.*)", line)
        if not entry:
            continue
        value = entry[3].split("#")[0].strip()
        if not entry[1]:
            section = "" if value else entry[2] + "."
            if value:
                keys.append(entry[2] + "=")
        elif len(entry[1]) == 2:
            keys.append(f"{section}{entry[2]}=")
    return keys


def completion(commands, helps, keys, presets):
    def patterns(*kinds):
        return " | ".join(f'"{command} {name}"' for command, said in helps.items() for option in said.options
                          for name in option.names if name.startswith("-") and option.takes(*kinds))
    flags = []
    for command, said in helps.items():
        names = [name for option in said.options for name in option.names if name.startswith("--")]
        flags.append(f'        {command}) words="{" ".join(names)}" ;;')
    values = [FOLDER_CASE.format(patterns=patterns("FOLDER")), FILE_CASE.format(patterns=patterns("FILE"))]
    return (COMPLETION.replace("@COMMANDS@", " ".join(commands)).replace("@KEYS@", " ".join(keys))
            .replace("@PRESETS@", " ".join(presets)).replace("@VALUES@", "\n".join(values)).replace("@FLAGS@", "\n".join(flags)))


def main(program, folder):
    def ask(*arguments):
        return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

    folder = pathlib.Path(folder)
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    (folder / "completions").mkdir(exist_ok=True)
    version = " ".join(ask("--version").split()[:2])
    overview = parse(ask("--help"))
    commands = dict(re.findall(r"^  (?!verbund)([a-z-]+) +(\S.*)$", ask("--help"), re.M))
    helps = {command: parse(ask(command, "--help")) for command in commands}
    pages = {"verbund": overview_page(version, overview, commands)}
    for command, said in helps.items():
        pages[f"verbund-{command}"] = command_page(command, commands[command], version, said)
    for name, text in pages.items():
        (folder / "man1" / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    keys = configuration_keys(ask("config", "--explain"))
    presets = [line.split()[0] for line in ask("config", "--list").splitlines()]
    (folder / "completions" / "verbund").write_text(completion(commands, helps, keys, presets))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
