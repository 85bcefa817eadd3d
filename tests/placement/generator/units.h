// The parts of a program around its functions.
#pragma once

#include "tests/placement/generator/body.h"

namespace footrace::placement_fuzz {

// types.cpp: the Environment, Node, and what all threads share
void write_types(const Program& program, Random& random, Text& text);
std::string function_head(const Program& program, const std::string& name, Parameters parameters,
                          bool out_of_line);
// Gives the body what `e` leads to: through `e` each time, or through locals.
void add_environment(Body& body, Random& random, Text& text, const std::string& node);

// threads.cpp: what each thread does, and the function that starts them. With `racy`, races are planted and their variables added.
void write_threads(Program& program, Random& random, Text& text, std::vector<std::string>* racy);

// races.cpp: accesses of the first two threads before anything orders them
void write_race_variables(const Program& program, Random& random, Text& text, std::vector<std::string>& racy);

} // namespace footrace::placement_fuzz
