// Random C programs for the promise that no access is reported that the source does not make (docs/decisions/023).
//
// A program has cases. In each, one thread runs statements that access shared objects under conditions, and an interpreter runs the same statements here and
// notes which elements they read and write. The other thread, which is not ordered with the first, then writes every element that the first has
// not accessed, and reads those that it has only read. So every report is an access that was invented. With the argument "twin" it also writes one element that
// the first thread has accessed, which must be reported.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kLength = 64, kGuards = 16, kCases = 6, kObjects = 5;

std::mt19937_64 g_random;
int below(int n) { return int(g_random() % std::uint64_t(n)); }
bool one_in(int n) { return below(n) == 0; }

struct Object {
  std::string type;
  bool has_fields = false; // elements are structures of four ints; else scalars
  bool read[kLength * 4] = {}, written[kLength * 4] = {};
  std::string name(int number) const { return "o" + std::to_string(number); }
};

struct Case {
  Object objects[kObjects];
  int guard[kGuards]; // private to the first thread
  int text_length = 0, literal_common = 0;
};

// Where an access goes: element i * stride + offset, and a field of it.
struct Place {
  int object = 0, stride = 0, offset = 0, field = 0;
};

struct Statement {
  enum class Kind { Read, Write, Update, If, Loop, Break, Select, Call } kind = Kind::Read;
  Place place, other;
  int guard = 0;               // guard[i] if `guard_varies`, else guard[guard]
  bool guard_varies = false;   // only inside of a loop
  int count = 0;               // of the loop
  std::vector<Statement> body; // If, Loop
  std::vector<Statement> otherwise;
};

Place random_place(bool in_loop) {
  Place place;
  place.object = below(kObjects);
  place.stride = in_loop && !one_in(4) ? 1 + below(3) : 0;
  place.offset = below(place.stride ? 4 : kLength);
  place.field = below(4);
  return place;
}

std::vector<Statement> random_statements(int depth, bool in_loop, int most);

Statement random_statement(int depth, bool in_loop) {
  Statement s;
  using Kind = Statement::Kind;
  s.guard_varies = in_loop && !one_in(3);
  s.guard = below(kGuards);
  s.place = random_place(in_loop);
  s.other = random_place(in_loop);
  const int what = below(12);
  if (what < 3 && depth > 0) {
    s.kind = Kind::If;
    s.body = random_statements(depth - 1, in_loop, 3);
    if (one_in(3)) s.otherwise = random_statements(depth - 1, in_loop, 2);
  } else if (what < 6 && depth > 0 && !in_loop) {
    s.kind = Kind::Loop;
    s.count = 2 + below(kGuards - 1);
    s.body = random_statements(depth - 1, true, 3);
  } else if (what == 6 && in_loop) {
    s.kind = Kind::Break;
  } else if (what == 7) {
    s.kind = Kind::Select;
  } else if (what == 8) {
    s.kind = Kind::Call;
  } else {
    s.kind = what == 9 ? Kind::Write : what == 10 ? Kind::Update : Kind::Read;
  }
  return s;
}

std::vector<Statement> random_statements(int depth, bool in_loop, int most) {
  std::vector<Statement> list(std::size_t(1 + below(most)));
  for (Statement& s : list) s = random_statement(depth, in_loop);
  return list;
}

// -- The interpreter

int element(const Case& c, const Place& p, int i) {
  const int index = (p.stride * i + p.offset) % kLength;
  return c.objects[p.object].has_fields ? index * 4 + p.field : index;
}
void note_read(Case& c, const Place& p, int i) { c.objects[p.object].read[element(c, p, i)] = true; }
void note_write(Case& c, const Place& p, int i) { c.objects[p.object].written[element(c, p, i)] = true; }

// False: the loop is left.
bool run(Case& c, const std::vector<Statement>& list, int i) {
  for (const Statement& s : list) {
    const bool on = c.guard[s.guard_varies ? i : s.guard] != 0;
    switch (s.kind) {
    case Statement::Kind::Read:
      note_read(c, s.place, i);
      break;
    case Statement::Kind::Write:
      note_write(c, s.place, i);
      break;
    case Statement::Kind::Update:
      note_read(c, s.place, i);
      note_write(c, s.place, i);
      break;
    case Statement::Kind::If:
      if (!run(c, on ? s.body : s.otherwise, i)) return false;
      break;
    case Statement::Kind::Loop:
      for (int k = 0; k < s.count; ++k)
        if (!run(c, s.body, k)) break;
      break;
    case Statement::Kind::Break:
      if (on) return false;
      break;
    case Statement::Kind::Select:
      note_read(c, on ? s.place : s.other, i);
      break;
    case Statement::Kind::Call:
      if (on) note_read(c, s.place, i);
      break;
    }
  }
  return true;
}

// -- The program's text

std::string text_of(const Case& c, int number, const Place& p, const char* variable) {
  std::string index = p.stride ? std::string(variable) + " * " + std::to_string(p.stride) + " + " : "";
  index += std::to_string(p.offset);
  const Object& object = c.objects[p.object];
  std::string text = "c" + std::to_string(number) + "_" + object.name(p.object) + "[" + index + "]";
  if (object.has_fields) text += std::string(".") + "abcd"[p.field];
  return text;
}

void print(const Case& c, int number, const std::vector<Statement>& list, int indent) {
  for (const Statement& s : list) {
    const std::string guard =
        "c" + std::to_string(number) + "_guard[" + (s.guard_varies ? "i" : std::to_string(s.guard)) + "]";
    const std::string place = text_of(c, number, s.place, "i"), other = text_of(c, number, s.other, "i");
    std::printf("%*s", indent, "");
    switch (s.kind) {
    case Statement::Kind::Read:
      std::printf("sum += (long)%s;\n", place.c_str());
      break;
    case Statement::Kind::Write:
      std::printf("%s = 5;\n", place.c_str());
      break;
    case Statement::Kind::Update:
      std::printf("%s += 3;\n", place.c_str());
      break;
    case Statement::Kind::If:
      std::printf("if (%s) {\n", guard.c_str());
      print(c, number, s.body, indent + 2);
      if (!s.otherwise.empty()) {
        std::printf("%*s} else {\n", indent, "");
        print(c, number, s.otherwise, indent + 2);
      }
      std::printf("%*s}\n", indent, "");
      break;
    case Statement::Kind::Loop:
      std::printf("for (int i = 0; i < %d; ++i) {\n", s.count);
      print(c, number, s.body, indent + 2);
      std::printf("%*s}\n", indent, "");
      break;
    case Statement::Kind::Break:
      std::printf("if (%s) break;\n", guard.c_str());
      break;
    case Statement::Kind::Select:
      std::printf("sum += %s ? (long)%s : (long)%s;\n", guard.c_str(), place.c_str(), other.c_str());
      break;
    case Statement::Kind::Call:
      std::printf("sum += get_%s(&%s, %s);\n",
                  c.objects[s.place.object].has_fields ? "int" : c.objects[s.place.object].type.c_str(),
                  place.c_str(), guard.c_str());
      break;
    }
  }
}

void print_flags(const char* name, int number, int object, const bool* flags, int count) {
  std::printf("static const unsigned char c%d_%s_o%d[%d] = {", number, name, object, count);
  for (int k = 0; k < count; ++k) std::printf("%d,", flags[k]);
  std::printf("};\n");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: generate-guarded SEED\n"), 2;
  g_random.seed(std::strtoull(argv[1], nullptr, 10));
  const char* const types[] = {"char", "short", "int", "long", "float", "double"};
  std::printf("// Seed %s\n#include \"e2e.h\"\n#include <string.h>\n", argv[1]);
  for (const char* type : types)
    std::printf(
        "static __attribute__((noinline)) long get_%s(const %s* p, int on) { return on ? (long)*p : 0; }\n",
        type, type);
  std::printf("struct Record {\n  int a, b, c, d;\n};\nlong total;\nstatic struct InvisibleGate gate;\n");
  for (int number = 0; number < kCases; ++number) {
    Case c;
    for (Object& object : c.objects) {
      object.has_fields = one_in(4);
      object.type = object.has_fields ? "struct Record" : types[below(6)];
    }
    for (int& guard : c.guard) guard = one_in(3);
    const std::vector<Statement> body = random_statements(3, false, 5);
    run(c, body, 0);
    for (int o = 0; o < kObjects; ++o)
      std::printf("%s c%d_o%d[%d];\n", c.objects[o].type.c_str(), number, o, kLength);
    std::printf("int c%d_guard[%d] = {", number, kGuards);
    for (int guard : c.guard) std::printf("%d,", guard);
    std::printf("};\n__attribute__((noinline)) void c%d_first(void) {\n  long sum = 0;\n", number);
    print(c, number, body, 2);
    std::printf("  total += sum;\n}\n");
    // What the source says is what the second thread goes by; it must not be optimised itself.
    std::string twin;
    for (int o = 0; o < kObjects; ++o) {
      const Object& object = c.objects[o];
      const int count = object.has_fields ? 4 * kLength : kLength;
      print_flags("read", number, o, object.read, count);
      print_flags("written", number, o, object.written, count);
      for (int k = 0; k < count && twin.empty(); ++k)
        if (object.read[k] || object.written[k]) {
          twin = "c" + std::to_string(number) + "_o" + std::to_string(o) + "[" +
                 std::to_string(object.has_fields ? k / 4 : k) + "]";
          if (object.has_fields) twin += std::string(".") + "abcd"[k % 4];
        }
    }
    std::printf("__attribute__((optnone)) void c%d_second(int is_twin) {\n", number);
    for (int o = 0; o < kObjects; ++o) {
      const Object& object = c.objects[o];
      const std::string array = "c" + std::to_string(number) + "_o" + std::to_string(o);
      const std::string scalar = object.has_fields ? "int" : object.type;
      std::printf("  %s* p%d = (%s*)%s;\n", scalar.c_str(), o, scalar.c_str(), array.c_str());
      std::printf("  for (int k = 0; k < %d; ++k)\n    if (!c%d_written_o%d[k]) {\n      if "
                  "(c%d_read_o%d[k])\n        KEEP((int)p%d[k]);\n"
                  "      else\n        p%d[k] = 1;\n    }\n",
                  object.has_fields ? 4 * kLength : kLength, number, o, number, o, o, o);
    }
    if (!twin.empty()) std::printf("  if (is_twin) %s = 7, puts(\"twin\");\n", twin.c_str());
    std::printf("}\n");
  }
  std::printf("static void* first(void* unused) {\n");
  for (int number = 0; number < kCases; ++number) std::printf("  c%d_first();\n", number);
  std::printf("  invisible_signal(&gate);\n  return NULL;\n}\nstatic int is_twin;\n");
  std::printf("__attribute__((optnone)) static void* second(void* unused) {\n  invisible_wait(&gate, 1);\n");
  for (int number = 0; number < kCases; ++number) std::printf("  c%d_second(is_twin);\n", number);
  std::printf("  return NULL;\n}\nint main(int argc, char** argv) {\n  is_twin = argc > 1;\n  run_two(first, "
              "second);\n}\n");
}
