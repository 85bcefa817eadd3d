// Starting other programs.
#pragma once

#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace footrace::driver {

// Starts the command and returns the process; -1, with errno, if it cannot be started.
pid_t start(const std::vector<std::string>& command, const posix_spawnattr_t* attributes = nullptr);
// Of what waitpid gave: 128 + n if signal n killed the process.
int exit_code_of(int status);

// Replaces this process. Returns only on failure, with the exit code, after saying why.
int replace_with(const std::vector<std::string>& command);

// Runs the command and waits. Returns its exit code; 128 + n, with a message, if signal n killed it.
// Interrupts from the keyboard reach the program and not the driver, so that it can still report.
int run_and_wait(const std::vector<std::string>& command);

// What the command writes to standard output; empty if it cannot be started.
std::string output_of(const std::vector<std::string>& command);

// The words joined so that a shell reads the same words.
std::string as_shell_command(const std::vector<std::string>& command);

// Sets an environment variable for the programs started from here on.
void export_variable(const char* name, const std::string& value);

} // namespace footrace::driver
