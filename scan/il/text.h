// The text form of the intermediate language, for tests, for the theorem and for looking at what was lowered.
//
//   class Counter locks;                                    # has_lock; also: safe, base Name, guard [pointee] f by [shared] path, optional f
//   slot draw is Circle::draw;                              # a call of the slot may be one of that method
//   slot hook is set_hook with 0;                          # ... or what is passed as formal 0 of set_hook
//   method inc(this: Counter, x: Node) in Counter public {  # attributes below
//     lock this->m;                                         # lock [shared] [try], unlock [shared], assume [shared]
//     this->n := x;                                         # value: path, &path, new, ? (nothing)
//     use x->size;
//     t := call get(x, &this->list);                        # or spawn, join, wait, receive, send, hand f() to g,
//                                                         # dispatch slot(x), invoke formal(formal, x)
//     call each(x) with 1 is f(this);                       # formal 1 is a closure of f that has captured this
//     if * { return t; } else { }
//     while * { }
//     goto A, B;  label A:                                  # any graph; "goto;" returns
//     # print() numbers the blocks instead: label 0: ... goto 1, 2;
//     unlock this->m;
//   }
//
// Attributes of a method: in Class, shown "text", public, protected, private, constructor, destructor, internal,
// thread, startup, requires [shared] path, ignored "reason", at [file]:line:column.
// Roots: a formal by its name, a global as @name, everything else is a local. Steps: ^ (deref), .f, ->f, [], [*].
// Names that are not identifiers are quoted. A statement may end with "at [file]:line:column"; otherwise its place in the
// text is its location.
#pragma once

#include "scan/il/il.h"

#include <string>
#include <string_view>

namespace footrace::scan::il {

struct ParseResult {
  Program program;
  std::string error; // "file:line:column: what"; empty: none
};

// In the order of CallKind.
inline constexpr std::string_view call_words[] = {"call", "spawn", "join",     "wait",  "receive",
                                                  "send", "hand",  "dispatch", "invoke"};

ParseResult parse(std::string_view text, Name file);

// parse(print(p)) is p.
std::string print(const Program& program);
std::string print(const Method& method);
std::string print(const Path& path);
std::string print(const Statement& statement);

} // namespace footrace::scan::il
