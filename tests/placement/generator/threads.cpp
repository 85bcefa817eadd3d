// What each thread does: phases with a barrier between them, after which the slices of one array change owners; in each phase calls and
// statements, protected so that every thread reaches the barrier.
#include "tests/placement/generator/units.h"

namespace footrace::placement_fuzz {
namespace {

constexpr double kMostOfThread = 4000;

// The first thread gives; the others wait for it. Only those lower than oneself are waited for.
void write_hand_over(const Program& program, Random& random, Text& text) {
  const std::string &p = program.prefix, h = p + "h";
  const u64 form = random.below(3);
  text.line("if (e->me == 0) {");
  text.line(h, ".x = e->sink;");
  text.line("for (int i = 0; i < 16; i++) ", h, ".a[i] = e->ints[i % 8];");
  if (form == 0) text.line("__atomic_store_n(&", p, "flag, 1u, __ATOMIC_RELEASE);");
  if (form == 1) {
    text.line("__atomic_thread_fence(__ATOMIC_RELEASE);");
    text.line("__atomic_store_n(&", p, "flag, 1u, __ATOMIC_RELAXED);");
  }
  if (form == 2) {
    text.line("pthread_mutex_lock(&", p, "m[0]);");
    text.line(p, "is_ready = 1;");
    text.line("pthread_cond_broadcast(&", p, "ready);");
    text.line("pthread_mutex_unlock(&", p, "m[0]);");
  }
  text.line("} else {");
  if (form == 0) text.line("while (!__atomic_load_n(&", p, "flag, __ATOMIC_ACQUIRE)) sched_yield();");
  if (form == 1) {
    text.line("while (!__atomic_load_n(&", p, "flag, __ATOMIC_RELAXED)) sched_yield();");
    text.line("__atomic_thread_fence(__ATOMIC_ACQUIRE);");
  }
  if (form == 2) {
    text.line("pthread_mutex_lock(&", p, "m[0]);");
    text.line("while (!", p, "is_ready) pthread_cond_wait(&", p, "ready, &", p, "m[0]);");
    text.line("pthread_mutex_unlock(&", p, "m[0]);");
  }
  text.line("for (int i = 0; i < 16; i++) e->sink += ", h, ".a[i];");
  text.line("e->sink += ", h, ".x;");
  text.line("}");
}

void write_phase(Program& program, Random& random, Text& text, const std::string& name) {
  text.line("static void ", name, "(struct ", program.prefix, "Environment *e) {");
  Body body(program, random, text);
  body.values = {"v0", "v1", "v2"};
  body.has_environment = true;
  body.may_synchronise = true;
  body.may_escape = true;
  body.returns_value = false;
  text.line("u32 v0 = e->me, v1 = e->sink, v2 = 1;");
  add_environment(body, random, text, cat("struct ", program.prefix, "Node"));
  double cost = 0;
  for (const Function& function : program.functions) {
    if (function.parameters != Parameters::Environment || cost + function.cost > kMostOfThread) continue;
    cost += function.cost;
    body.statements(unsigned(random.between(0, 1)));
    text.line("v0 += ", function.name, "(e, ", random.below(3), "u);");
  }
  body.statements(2);
  for (u64 i = random.between(1, 3); i > 0; i--) body.section_of_sets();
  text.line("e->sink += v0 ^ v1 ^ v2;");
  text.line("}");
}

void write_thread(Program& program, Random& random, Text& text, bool races) {
  const std::string& p = program.prefix;
  const u64 phases = random.between(1, 2);
  for (u64 i = 0; i < phases; i++) write_phase(program, random, text, cat(p, "phase", i));
  text.line("static void *", p, "thread(void *argument) {");
  text.line("struct ", p, "Environment *e = (struct ", p, "Environment *)argument;");
  if (races) text.line(p, "prologue(e);");
  const bool hands_over = random.chance(0.6);
  const u64 handing = random.below(phases);
  for (u64 i = 0; i < phases; i++) {
    if (i > 0) {
      text.line("pthread_barrier_wait(&", p, "barrier);");
      text.line("e->ints = e->all_ints + (long)((e->me + ", i, ") % e->threads) * e->n;");
    }
    if (program.language == Language::Cxx) {
      text.line("try {");
      text.line(p, "phase", i, "(e);");
      text.line("} catch (u32 thrown) {");
      text.line("e->sink += thrown;");
      text.line("}");
    } else {
      text.line("{");
      text.line("jmp_buf jump;");
      text.line("e->jump = &jump;");
      text.line("if (setjmp(jump) == 0) ", p, "phase", i, "(e);");
      text.line("}");
    }
    if (hands_over && handing == i) write_hand_over(program, random, text);
  }
  if (program.language == Language::C && random.chance(0.2)) text.line("if (e->me != 0) pthread_exit(0);");
  text.line("return 0;");
  text.line("}");
}

void write_slices(const Program& program, Random& random, Text& text) {
  const std::string& p = program.prefix;
  const auto array = [&](const char* type, const char* name, const char* each) {
    text.line(type, " *", name, " = (", type, " *)calloc(", p, "threads * ", each, ", sizeof(", type, "));");
  };
  text.line("const long n = ", random.between(8, 15), ", nb = ", random.between(9, 21),
            ", rows = ", random.between(3, 6), ", cols = rows + ", random.below(3),
            ", nn = ", random.between(3, 5), ";");
  array("u32", "ints", "n");
  array("u32", "inter", "n");
  array("u32", "mat", "rows * cols");
  array("u16", "shorts", "n");
  array("u64", "longs", "n");
  array("u8", "bytes", "nb");
  array("double", "reals", "n");
  array(cat("struct ", p, "Node").c_str(), "nodes", "nn");
}

void write_environment_of_thread(const Program& program, Text& text) {
  const std::string& p = program.prefix;
  text.line("for (long t = 0; t < ", p, "threads; t++) {");
  text.line("struct ", p, "Environment *e = &environments[t];");
  text.line("memset(e, 0, sizeof *e);");
  text.line("e->ints = ints + t * n; e->all_ints = ints; e->inter = inter; e->mat = mat + t * rows * cols;");
  text.line("e->shorts = shorts + t * n; e->longs = longs + t * n; e->bytes = bytes + t * nb; e->reals = "
            "reals + t * n;");
  text.line("e->nodes = e->list = nodes + t * nn;");
  text.line("for (long i = 0; i + 1 < nn; i++) e->nodes[i].next = &e->nodes[i + 1];");
  text.line("e->n = n; e->nb = nb; e->rows = rows; e->cols = cols; e->nn = nn;");
  text.line("e->me = (u32)t; e->threads = (u32)", p, "threads; e->sink = (u32)t * 7u;");
  if (program.language == Language::Cxx) text.line("e->shape = t % 2 ? &square : &shape;");
  text.line("for (long i = 0; i < n; i++) { e->ints[i] = (u32)(i * t); e->longs[i] = (u64)(i + t); }");
  text.line("for (long i = 0; i < nb; i++) e->bytes[i] = (u8)(i * 3);");
  text.line("}");
}

void write_run(const Program& program, Random& random, Text& text) {
  const std::string& p = program.prefix;
  text.line("static const long ", p, "threads = ", program.threads, ";");
  text.line("static void ", p, "run(void) {");
  text.line("struct ", p, "Environment environments[", program.threads, "];");
  text.line("pthread_t handles[", program.threads, "];");
  if (program.language == Language::Cxx) {
    text.line(p, "Shape shape;");
    text.line(p, "Square square;");
  }
  write_slices(program, random, text);
  write_environment_of_thread(program, text);
  text.line("for (u32 i = 0; i < 32; i++) ", p, "ro[i] = i * 5u;");
  text.line(p, "sees = ", p, "look; ", p, "table[0] = ", p, "leaf0; ", p, "table[1] = ", p, "leaf1;");
  text.line("pthread_barrier_init(&", p, "barrier, 0, (u32)", p, "threads);");
  text.line("for (long t = 1; t < ", p, "threads; t++) pthread_create(&handles[t], 0, ", p,
            "thread, &environments[t]);");
  const bool main_takes_part = random.chance(0.4);
  if (main_takes_part)
    text.line(p, "thread(&environments[0]);");
  else
    text.line("pthread_create(&handles[0], 0, ", p, "thread, &environments[0]);");
  text.line("for (long t = ", main_takes_part ? 1 : 0, "; t < ", p,
            "threads; t++) pthread_join(handles[t], 0);");
  text.line("free(ints); free(inter); free(mat); free(shorts); free(longs); free(bytes); free(reals); "
            "free(nodes);");
  text.line("}");
}

} // namespace

void write_threads(Program& program, Random& random, Text& text, std::vector<std::string>* racy) {
  if (racy) write_race_variables(program, random, text, *racy);
  write_thread(program, random, text, racy != nullptr);
  write_run(program, random, text);
}

} // namespace footrace::placement_fuzz
