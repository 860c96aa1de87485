// SPDX-License-Identifier: Apache-2.0
// Command is an entry of main's table of commands. Each command has one file in this folder that reads its flags,
// builds the parts and calls them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct Page;
struct RunData;

using Arguments = std::vector<std::string>;  // after the name of the command

struct Command {
  std::string_view name;
  std::string_view summary;
  void (*run)(const Arguments& arguments);
};

void run_average(const Arguments& arguments);
void run_board(const Arguments& arguments);
void run_config(const Arguments& arguments);
void run_doctor(const Arguments& arguments);
void run_export(const Arguments& arguments);
void run_evaluate(const Arguments& arguments);
void run_import(const Arguments& arguments);
void run_inspect(const Arguments& arguments);
void run_launch(const Arguments& arguments);
void run_plan(const Arguments& arguments);
void run_prepare(const Arguments& arguments);
void run_report(const Arguments& arguments);
void run_score(const Arguments& arguments);
void run_score_pairs(const Arguments& arguments);
void run_serve(const Arguments& arguments);
void run_train(const Arguments& arguments);
void run_translate(const Arguments& arguments);

std::string version_text();

// The program that has made a file: "verbund 0.1.0 (commit 0123456789)".
std::string program_version();

// The page of one run, with the section on scaling that `plan` predicts from its record.
Page make_run_report(const RunData& run);

}  // namespace verbund
