#include "scan/il/dispatch.h"
#include "scan/il/text.h"

#include <gtest/gtest.h>

namespace footrace::scan::il {
namespace {

Program parsed(std::string_view text) {
  ParseResult result = parse(text, "test.il");
  EXPECT_EQ(result.error, "");
  return result.program;
}

Path path_of(std::string_view text) {
  Program program = parsed("method m(this, x) { use " + std::string(text) + "; }");
  return std::get<Use>(program.methods.at(0).blocks.at(0).statements.at(0).what).path;
}

TEST(Path, Definition61_PrefixesAreComparedStepByStep) {
  EXPECT_TRUE(is_prefix(path_of("x->f"), path_of("x->f")));
  EXPECT_TRUE(is_proper_prefix(path_of("x"), path_of("x->f->g")));
  EXPECT_TRUE(is_proper_prefix(path_of("x->f"), path_of("x->f->g")));
  EXPECT_FALSE(is_proper_prefix(path_of("x->f"), path_of("x->f")));
  EXPECT_FALSE(is_prefix(path_of("x->g"), path_of("x->f->g")));
  EXPECT_FALSE(is_prefix(path_of("y->f"), path_of("x->f")));
}

TEST(Path, PartsOfOneObjectOverlap_WhatAPointerLeadsToDoesNot) {
  EXPECT_TRUE(must_overlap(path_of("this->s"), path_of("this->s.x")));
  EXPECT_TRUE(must_overlap(path_of("this->s.x"), path_of("this->s")));
  EXPECT_FALSE(must_overlap(path_of("this->s.x"), path_of("this->s.y")));
  EXPECT_FALSE(must_overlap(path_of("this->p"), path_of("this->p->x")));
}

TEST(Path, SharedMemoryIsGlobalOrBehindAPointer) {
  EXPECT_TRUE(may_be_shared(path_of("this->f")));
  EXPECT_TRUE(may_be_shared(path_of("x^")));
  EXPECT_TRUE(may_be_shared(path_of("@g")));
  EXPECT_FALSE(may_be_shared(path_of("x.f")));
  EXPECT_FALSE(may_be_shared(path_of("t->f")));
}

TEST(Path, DescribedAsAPersonWritesIt) {
  EXPECT_EQ(describe(path_of("this->a.b->c")), "this->a.b->c");
  EXPECT_EQ(describe(path_of("x^")), "*x");
  EXPECT_EQ(describe(path_of("x^[*]")), "(*x)[*]");
  EXPECT_EQ(describe(path_of("x^^.f")), "(*x)->f");
  EXPECT_EQ(describe(path_of("this->v[]")), "this->v[]");
}

TEST(Text, FormalsOfDifferentMethodsAreEqualByPosition) {
  Program program = parsed("method a(x) { use x->f; } method b(y) { use y->f; }");
  auto first = [&](unsigned m) {
    return std::get<Use>(program.methods[m].blocks[0].statements[0].what).path;
  };
  EXPECT_EQ(first(0), first(1));
}

TEST(Text, IfHasTwoSuccessorsThatJoin) {
  Program program = parsed("method m() { if * { use @a; } else { use @b; } use @c; }");
  const std::vector<Block>& blocks = program.methods[0].blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].successors, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(blocks[1].successors, std::vector<unsigned>{3});
  EXPECT_EQ(blocks[2].successors, std::vector<unsigned>{3});
}

TEST(Text, WhileIsACycle) {
  Program program = parsed("method m() { while * { use @a; } use @c; }");
  const std::vector<Block>& blocks = program.methods[0].blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[1].successors, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(blocks[2].successors, std::vector<unsigned>{1});
}

constexpr std::string_view everything = R"il(
class "std::list<int, A>" base Base locks safe guard n by shared this->m guard pointee p by this->m optional m
    ignored "old code";
class Base;
slot "Base::draw" is "Circle::draw";
slot hook is "m(int, \"x\")" with 1;
method "m(int, \"x\")"(this: Base, x: Node, i) in Base shown "Base::m" private constructor thread startup
    internal requires shared this->m requires @g.m ignored "why" {
  lock shared try this->m;
  this->n.k->l := x;
  x->f[] := ?;
  x->f[*] := new at "file name.h":12:3;
  x := &this->n;
  t := call get(x, &this->list, ?, new);
  spawn run(this);
  call run(this) anew;
  dispatch "Base::draw"(this) with 1 is f() with 2 is "a lambda"(this, &x);
  invoke i(i, x);
  join run();
  assume @g.m;
  if * { return t; } else { goto A; }
  while * { unlock shared this->m; }
  goto A, B;
label A:
  use x^^;
label B:
  return;
}
method d(this: Base) destructor protected { goto; }
)il";

TEST(Text, PrintedProgramIsReadBackEqual) {
  Program program = parsed(everything);
  ASSERT_EQ(program.methods.size(), 2u);
  ParseResult again = parse(print(program), "printed.il");
  ASSERT_EQ(again.error, "") << print(program);
  EXPECT_TRUE(again.program == program) << print(program) << print(again.program);
}

TEST(Text, VariablesNamedAsWordsOfTheLanguageAreReadBackEqual) {
  for (const char* word :
       {"lock", "unlock", "use", "return", "call", "new", "shared", "try", "if", "label", "at"}) {
    const std::string name = std::string("\"") + word + "\"";
    Program program = parsed("method m(" + name + ") { " + name + "->f := new; lock " + name + "->m; use " +
                             name + "->f; return " + name + "; }");
    ParseResult again = parse(print(program), "printed.il");
    ASSERT_EQ(again.error, "") << print(program);
    EXPECT_TRUE(again.program == program) << print(program);
  }
}

TEST(Dispatch, OneTarget_IsThatCall) {
  Program program = parsed("slot s is f; method f(x) { } method m(x) { dispatch s(x); use x->n; }");
  resolve_dispatch(program);
  const auto& call = std::get<Call>(program.methods[1].blocks[0].statements[0].what);
  EXPECT_EQ(call.kind, CallKind::Plain);
  EXPECT_EQ(call.callee, Name("f"));
  EXPECT_EQ(program.methods[1].blocks.size(), 1u);
}

TEST(Dispatch, SeveralTargets_AreBranchesThatMeetAgain) {
  Program program = parsed("slot s is f; slot s is g; method f(x) { } method g(x) { } method s(x) { } "
                           "method m(x) { use x->a; dispatch s(x); use x->b; dispatch s(x); }");
  resolve_dispatch(program);
  const std::vector<Block>& blocks = program.methods[3].blocks;
  EXPECT_EQ(blocks[0].statements.size(), 1u);
  ASSERT_EQ(blocks[0].successors.size(), 3u); // a method that is not pure is a target too
  unsigned after = blocks[blocks[0].successors[0]].successors.at(0);
  for (unsigned way : blocks[0].successors) EXPECT_EQ(blocks[way].successors, std::vector{after});
  EXPECT_EQ(blocks[after].statements.size(), 1u);
  EXPECT_EQ(blocks[after].successors.size(), 3u);
}

TEST(Dispatch, WhatIsPassedToBeStored_IsNoTarget) {
  Program program = parsed("slot s is keep with 0; method keep(hook) { } method f(x) { } "
                           "method m(x) { call keep(?) with 0 is f(); dispatch s(x); }");
  resolve_dispatch(program);
  const auto& call = std::get<Call>(program.methods[2].blocks[0].statements[1].what);
  EXPECT_EQ(call.callee, Name("s")); // unknown code, under the name of the slot
  EXPECT_EQ(program.slots.size(), 1u);
}

TEST(Dispatch, NoneOrTooMany_IsUnknownCode) {
  std::string text = "method m(x) { dispatch s(x); dispatch other(x); }";
  for (unsigned i = 0; i <= max_targets; ++i)
    text += " slot s is f" + std::to_string(i) + "; method f" + std::to_string(i) + "(x) { }";
  Program program = parsed(text);
  resolve_dispatch(program);
  ASSERT_EQ(program.methods[0].blocks.size(), 1u);
  for (const Statement& statement : program.methods[0].blocks[0].statements)
    EXPECT_EQ(std::get<Call>(statement.what).kind, CallKind::Plain);
}

TEST(Text, LocationIsThePlaceInTheText_UnlessStated) {
  Program program = parsed("method m() {\n  use @a;\n  use @b at \"x.cpp\":7:9;\n}");
  const auto& statements = program.methods[0].blocks[0].statements;
  EXPECT_EQ(statements[0].at, (Location{"test.il", 2, 3}));
  EXPECT_EQ(statements[1].at, (Location{"x.cpp", 7, 9}));
}

TEST(Text, ErrorsSayWhere) {
  EXPECT_EQ(parse("method m() {\n  x = y;\n}", "e.il").error, "e.il:2:5: expected ':='");
  EXPECT_EQ(parse("klass A;", "e.il").error, "e.il:1:1: expected 'class', 'slot' or 'method'");
  EXPECT_NE(parse("method m() { goto A; }", "e.il").error, "");
  EXPECT_NE(parse("method m() { label A: label A: }", "e.il").error, "");
  EXPECT_NE(parse("method m() { use @a;", "e.il").error, "");
}

} // namespace
} // namespace footrace::scan::il
