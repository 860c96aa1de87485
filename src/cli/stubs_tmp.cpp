#include "cli/command.h"
namespace verbund { void run_config(const Arguments&){} void run_inspect(const Arguments&){} void run_prepare(const Arguments&){} 
void run_score(const Arguments&){} }
