// The statements of one function. Every member that makes a statement writes it to the text and adds what it costs to run.
#pragma once

#include "tests/placement/generator/program.h"
#include "tests/placement/generator/text.h"
#include "tests/property/random.h"

namespace footrace::placement_fuzz {

using property::Random;

// Memory that the statement may use as it likes: `n` elements. n >= kLeast always.
struct View {
  std::string base, type, n;
  std::string scale, shift; // element i is base[i * scale + shift], if there are any
};
constexpr int kLeast = 8;    // elements of a view
constexpr int kNominal = 12; // for estimates of the cost

// A variable that is a valid index: name - below .. name + above are in [0, n).
struct Index {
  std::string name, n;
  int below, above;
};

enum class Parameters { Environment, Ints, Bytes, Node };

struct Function {
  std::string name;
  Parameters parameters;
  bool synchronises; // may not be called with a lock held
  bool escapes;      // may throw or longjmp past its caller
  double cost;       // statements that a call runs, about
};

// What all functions of one program share.
struct Program {
  Language language;
  std::string prefix; // of all its names
  unsigned threads;
  std::vector<Function> functions;
  bool may_exit = false;    // the last program of the unit may end the process
  bool splits_sets = false; // variables that are accessed together are also accessed alone
};

class Body {
public:
  Body(Program& program, Random& random, Text& text) : program_(program), random_(random), text_(text) {}

  std::vector<View> views;
  std::vector<std::string> nodes;  // expressions that point to a Node of this thread's own
  std::vector<std::string> values; // readable and writable u32 locals
  bool has_environment = false;    // `e` is there: locks, atomics, escapes and lists are too
  bool may_synchronise = false;
  bool may_escape = false; // throw or longjmp out of the function
  std::string recursion;   // "name(e, depth - 1)", if the function may call itself or its partner
  bool returns_value = true;

  void statements(unsigned count);
  void section_of_sets(); // a critical section for variables that are accessed together

  double cost() const { return cost_; }
  bool synchronises() const { return synchronises_; }
  bool escapes() const { return escapes_; }

  // An expression of type u32, without effects but reads.
  std::string value(int depth = 2);

private:
  void statement();
  // simple statements (body.cpp)
  void assign_element();
  void assign_local();
  void fields();
  void union_access();
  void copy_object();
  void memory_function();
  void branch();
  void choice();
  // loops (loops.cpp)
  void loop();
  void counted_loop(const View& view);
  void strided_loop(const View& view);
  void downward_loop(const View& view);
  void pointer_loop(const View& view);
  void search_loop(const View& view);
  void halves_loop(const View& view);
  void window_loop(const View& view);
  void neighbours_loop(const View& view);
  void meeting_loop(const View& view);
  void sweeps(const View& view);
  void copying_loop(const View& view);
  void do_while_loop(const View& view);
  void matrix_loop();
  void list_loop();
  void short_loop();
  void loop_body(const Index& index, const View& view);
  void exits(); // break, continue, return or goto under a condition
  // calls and ways out (calls.cpp)
  void call();
  void indirect_call();
  void virtual_call();
  void recursive_call();
  void local_array();
  void heap_block();
  void early_return();
  void escape();
  void protect(); // try and catch, or setjmp
  void protect_with_try();
  void protect_with_setjmp();
  // synchronisation (sync.cpp)
  void lock_section();
  void guarded(const std::string& object, bool by_hand);
  void together(u64 which);
  void whole_row(u64 which);
  void mutex_section();
  void nested_section();
  void shared_section();
  void try_section();
  void once();
  void atomic();

  bool cxx() const { return program_.language == Language::Cxx; }
  bool affordable(double factor) const { return weight_ * factor < 400; }
  std::string fresh(const char* stem) { return cat(stem, ++names_); }
  std::string number(u64 below) { return cat(random_.below(below)); }
  std::string condition();
  std::string index_of(const View& view);
  std::string element(const View& view, const std::string& index) const;
  std::string read(const View& view);
  void write(const View& view, const std::string& index);
  void store(const std::string& place, const std::string& type);
  const View& any_view() { return random_.pick(views); }
  const View* plain_view();        // one without a scale
  void block(unsigned statements); // between braces
  std::string prefixed(const char* name) const { return program_.prefix + name; }
  std::string call_of(const Function& function);
  std::string return_statement();

  Program& program_;
  Random& random_;
  Text& text_;
  std::vector<Index> indices_;
  std::string loop_exit_; // a label after the outermost loop
  bool used_exit_ = false;
  int loops_ = 0, blocks_ = 0;
  double weight_ = 1; // how often the current place runs, about
  double cost_ = 0;
  bool locked_ = false;   // by hand: no way out of the section
  bool pinned_ = false;   // no return or goto out of the block
  bool guarded_ = false;  // some lock is held
  bool shielded_ = false; // inside try or setjmp
  bool synchronises_ = false, escapes_ = false;
  unsigned names_ = 0;
};

} // namespace footrace::placement_fuzz
