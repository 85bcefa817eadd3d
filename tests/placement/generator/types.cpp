#include "tests/placement/generator/units.h"

namespace footrace::placement_fuzz {
namespace {

void write_node(const Program& program, Random& random, Text& text) {
  text.line("struct ", program.prefix, "Node {");
  // The order and the padding differ from program to program.
  std::vector<std::string> fields = {"u32 a;",
                                     "u16 b;",
                                     "u8 c[5];",
                                     "u64 d;",
                                     "double x;",
                                     "u32 i, k;",
                                     "union { u32 word; u16 half[2]; u8 byte[4]; } u;"};
  for (size_t i = fields.size(); i > 1; i--) std::swap(fields[i - 1], fields[random.below(i)]);
  for (const std::string& field : fields) text.line(field);
  text.line("struct ", program.prefix, "Node *next;");
  text.line("};");
}

void write_shapes(const Program& program, Text& text) {
  const std::string shape = program.prefix + "Shape", node = cat("struct ", program.prefix, "Node");
  text.line("struct ", shape, " {");
  text.line("virtual u32 visit(", node, " *p, u32 k) { p->a += k; return p->i; }");
  text.line("virtual ~", shape, "() {}");
  text.line("};");
  text.line("struct ", program.prefix, "Square : ", shape, " {");
  text.line("u32 visit(", node, " *p, u32 k) override { p->k = k; p->i += p->k; return p->a; }");
  text.line("};");
}

void write_environment(const Program& program, Text& text) {
  const std::string node = cat("struct ", program.prefix, "Node");
  text.line("struct ", program.prefix, "Environment {");
  text.line("u32 *ints, *all_ints, *inter, *mat;");
  text.line("u16 *shorts;");
  text.line("u64 *longs;");
  text.line("u8 *bytes;");
  text.line("double *reals;");
  text.line(node, " *nodes, *list;");
  if (program.language == Language::Cxx) text.line(program.prefix, "Shape *shape;");
  text.line("long n, nb, rows, cols, nn;");
  text.line("u32 me, threads, sink;");
  text.line("jmp_buf *jump;");
  text.line("};");
}

void write_shared(const Program& program, Text& text) {
  const std::string& p = program.prefix;
  text.line("struct ", p, "Guarded {");
  text.line("u32 a[16];");
  text.line("u32 x, y;");
  text.line("u64 z;");
  text.line("};");
  text.line("struct ", p, "Guarded ", p, "g[2], ", p, "w, ", p, "h;");
  // What nobody outside the file can know, one set for each of the two locks: Body::together.
  for (int i = 0; i < 2; i++) {
    text.line("static u32 ", p, "one", i, ", ", p, "two", i, ";");
    text.line("static struct { u64 x, gap, y; u16 z; } ", p, "set", i, ";");
    text.line("static u32 ", p, "row", i, "[40];");
  }
  text.line("pthread_mutex_t ", p, "m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};");
  text.line("pthread_rwlock_t ", p, "rw = PTHREAD_RWLOCK_INITIALIZER;");
  text.line("pthread_cond_t ", p, "ready = PTHREAD_COND_INITIALIZER;");
  text.line("pthread_barrier_t ", p, "barrier;");
  text.line("pthread_once_t ", p, "once = PTHREAD_ONCE_INIT;");
  text.line("u32 ", p, "ro[32], ", p, "late[4], ", p, "at[4], ", p, "flag, ", p, "is_ready;");
  text.line("void (*", p, "sees)(void *);");
  text.line("u32 (*", p, "table[2])(struct ", p, "Node *, u32);");
  text.line("static void ", p, "look(void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }");
  text.line("static u32 ", p, "leaf0(struct ", p, "Node *p, u32 k) { p->i = k; return p->a + p->i; }");
  text.line("static u32 ", p, "leaf1(struct ", p,
            "Node *p, u32 k) { p->c[2] = (u8)k; p->b++; return p->b; }");
  text.line("static void ", p, "initialise(void) { for (int i = 0; i < 4; i++) ", p, "late[i] = (u32)i; }");
}

} // namespace

void write_types(const Program& program, Random& random, Text& text) {
  write_node(program, random, text);
  if (program.language == Language::Cxx) write_shapes(program, text);
  write_environment(program, text);
  write_shared(program, text);
}

std::string function_head(const Program& program, const std::string& name, Parameters parameters,
                          bool out_of_line) {
  const std::string head = cat(out_of_line ? "__attribute__((noinline)) " : "static ", "u32 ", name);
  switch (parameters) {
  case Parameters::Environment:
    return cat(head, "(struct ", program.prefix, "Environment *e, u32 depth)");
  case Parameters::Ints:
    return head + "(u32 *a, long n, u32 k)";
  case Parameters::Bytes:
    return head + "(u8 *a, long n, u32 k)";
  case Parameters::Node:
    return cat(head, "(struct ", program.prefix, "Node *p, u32 k)");
  }
  return "";
}

void add_environment(Body& body, Random& random, Text& text, const std::string& node) {
  const std::pair<const char*, const char*> arrays[] = {
      {"ints", "u32"}, {"shorts", "u16"}, {"longs", "u64"}, {"bytes", "u8"}, {"reals", "double"}};
  std::string n = "e->n", nb = "e->nb";
  if (random.chance(0.5)) {
    text.line("const long n = e->n, nb = e->nb;");
    n = "n";
    nb = "nb";
  }
  for (const auto& [name, type] : arrays) {
    const std::string length = std::string(name) == "bytes" ? nb : n;
    if (random.chance(0.5)) {
      text.line(type, " *const ", name, " = e->", name, ";");
      body.views.push_back({name, type, length, "", ""});
    } else {
      body.views.push_back({cat("e->", name), type, length, "", ""});
    }
  }
  body.views.push_back({"e->inter", "u32", n, "e->threads", "e->me"});
  if (random.chance(0.5)) {
    text.line(node, " *const first = e->nodes;");
    body.nodes = {"first", "(first + 1)", "e->list"};
  } else {
    body.nodes = {"e->nodes", "(e->nodes + v1 % (u32)e->nn)", "e->list->next"};
  }
}

} // namespace footrace::placement_fuzz
