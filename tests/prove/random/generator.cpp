#include "tests/prove/random/generator.h"

#include "tests/prove/random/program_text.h"

#include <algorithm>
#include <random>
#include <vector>

namespace footrace::prove {
namespace {

constexpr const char* unit_head = R"(#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct record {
  pthread_mutex_t lock;
  int value;
  struct record* next;
};
static struct record* new_record(void) {
  struct record* made = calloc(1, sizeof(struct record));
  pthread_mutex_init(&made->lock, NULL);
  return made;
}
)";

class Generator : ProgramText {
public:
  Generator(std::mt19937_64& random, unsigned number) : ProgramText(random, number) {}

  std::string program() {
    declare();
    unsigned bodies = 1 + pick(2), threads = 1 + pick(2);
    bool meets = pick(3) == 0, waits = pick(4) == 0, is_loop = pick(4) == 0;
    line("static void first@(void) {");
    line("  struct record* own = new_record();");
    simple_without_call();
    line("}");
    line("static void helper@(struct record* own) {");
    statements(2);
    line("}");
    may_call_ = true;
    for (unsigned i = 0; i < bodies; i++) {
      line("static void* body@_" + std::to_string(i) + "(void* argument) {");
      line("  struct record* own = argument;");
      if (waits) wait_until_ready();
      statements(1 + pick(3));
      if (meets) line("  pthread_barrier_wait(&meeting@);");
      statements(1 + pick(2));
      line("  return NULL;");
      line("}");
    }
    line("static void program@(void) {");
    line("  struct record* own = new_record();");
    line("  pthread_t thread@[2];");
    if (meets) line("  pthread_barrier_init(&meeting@, NULL, " + std::to_string(threads) + ");");
    statements(pick(3));
    if (is_loop)
      create_in_loop(threads, pick(bodies));
    else
      for (unsigned i = 0; i < threads; i++) create(i, pick(bodies));
    statements(1 + pick(3));
    if (waits) make_ready();
    for (unsigned i = 0; i < threads; i++)
      if (pick(4)) joined_.push_back(i), join(i);
    statements(pick(3));
    for (unsigned i = 0; i < threads; i++) // nobody outlives the program: the next one reuses memory
      if (std::find(joined_.begin(), joined_.end(), i) == joined_.end()) join(i);
    line("}");
    return take_text();
  }

private:
  void declare() {
    line("static int x@, y@, z@[4];");
    line("static pthread_mutex_t l@ = PTHREAD_MUTEX_INITIALIZER, m@ = PTHREAD_MUTEX_INITIALIZER;");
    line("static pthread_rwlock_t rw@ = PTHREAD_RWLOCK_INITIALIZER;");
    line("static struct record shelf@[2] = {{PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};");
    line("static struct record* box@;");
    line("static _Atomic(struct record*) mailbox@;");
    line("static struct record* slot@;");
    line("static _Atomic int flag@;");
    line("static int ready@;");
    line("static pthread_mutex_t gate@ = PTHREAD_MUTEX_INITIALIZER;");
    line("static pthread_cond_t opened@ = PTHREAD_COND_INITIALIZER;");
    line("static pthread_barrier_t meeting@;");
    line("static pthread_once_t once@ = PTHREAD_ONCE_INIT;");
  }

  void create(unsigned thread, unsigned body) {
    std::string argument = pick(2)   ? "new_record()"
                           : pick(2) ? "own"
                                     : "&shelf@[" + std::to_string(pick(2)) + "]";
    bool is_locked = pick(6) == 0; // the thread may be born while its creator holds a lock
    if (is_locked) line("  pthread_mutex_lock(&l@);");
    line("  pthread_create(&thread@[" + std::to_string(thread) + "], NULL, body@_" + std::to_string(body) +
         ", " + argument + ");");
    if (is_locked) line("  pthread_mutex_unlock(&l@);");
  }

  void create_in_loop(unsigned threads, unsigned body) {
    line("  for (int i = 0; i < " + std::to_string(threads) + "; i++)");
    line("    pthread_create(&thread@[i], NULL, body@_" + std::to_string(body) + ", " +
         (pick(2) ? "&shelf@[i]" : "new_record()") + ");");
  }

  void join(unsigned thread) { line("  pthread_join(thread@[" + std::to_string(thread) + "], NULL);"); }

  // Main makes ready in every run, so nobody waits for ever.
  void wait_until_ready() {
    line("  pthread_mutex_lock(&gate@);");
    line("  while (!ready@) pthread_cond_wait(&opened@, &gate@);");
    line("  pthread_mutex_unlock(&gate@);");
  }

  void make_ready() {
    line("  pthread_mutex_lock(&gate@);");
    line("  ready@ = 1;");
    line("  pthread_cond_broadcast(&opened@);");
    line("  pthread_mutex_unlock(&gate@);");
  }

  void statements(unsigned count) {
    for (unsigned i = 0; i < count; i++) pick(2) ? region() : simple();
  }

  // One access, or a few that belong together.
  void simple() {
    switch (pick(may_call_ ? 15 : 12)) {
    case 0:
      return line("  x@ += 1;");
    case 1:
      return line("  y@ = x@;");
    case 2:
      return line("  z@[" + std::to_string(pick(4)) + "] += 1;");
    case 3:
      return line("  own->value += 1;");
    case 4:
      return line("  shelf@[" + std::to_string(pick(2)) + "].value += 1;");
    case 5:
      return publish("box@ = fresh;");
    case 6:
      return line("  if (box@) box@->value += 1;");
    case 7:
      return publish(std::string("atomic_store_explicit(&mailbox@, fresh, memory_order_") +
                     (pick(2) ? "release);" : "relaxed);"));
    case 8:
      return read_mail();
    case 9:
      return line("  if (own->next) own->next->value += 1;");
    case 10:
      return line(std::string("  atomic_store_explicit(&flag@, 1, memory_order_") +
                  (pick(2) ? "release);" : "relaxed);"));
    case 11:
      return line(std::string("  if (atomic_load_explicit(&flag@, memory_order_") +
                  (pick(2) ? "acquire" : "relaxed") + ")) x@ += 1;");
    case 12:
      return pick(2) ? put_into_slot() : take_from_slot();
    case 13:
      return line("  pthread_once(&once@, first@);");
    default:
      return line("  helper@(own);");
    }
  }

  void publish(const std::string& how) {
    line("  {");
    line("    struct record* fresh = new_record();");
    line("    fresh->value = 7;");
    line("    " + how);
    line("  }");
  }

  // One slot, handed over under a lock: whoever takes the record is alone with it, if the giver keeps off.
  void put_into_slot() {
    line("  {");
    line("    struct record* fresh = new_record();");
    line("    fresh->value = 3;");
    line("    pthread_mutex_lock(&m@);");
    line("    slot@ = fresh;");
    line("    pthread_mutex_unlock(&m@);");
    if (pick(4) == 0) line("    fresh->value += 1;");
    line("  }");
  }

  void take_from_slot() {
    line("  {");
    line("    pthread_mutex_lock(&m@);");
    line("    struct record* taken = slot@;");
    if (pick(4)) line("    slot@ = NULL;");
    line("    pthread_mutex_unlock(&m@);");
    line("    if (taken) taken->value += 1;");
    line("  }");
  }

  void read_mail() {
    line("  {");
    line(std::string("    struct record* mail = atomic_load_explicit(&mailbox@, memory_order_") +
         (pick(2) ? "acquire);" : "relaxed);"));
    line("    if (mail) mail->value += 1;");
    line("  }");
  }

  void region() {
    switch (pick(6)) {
    case 0:
      return locked("pthread_mutex_lock(&l@);", "pthread_mutex_unlock(&l@);");
    case 1:
      return locked("pthread_mutex_lock(&m@);", "pthread_mutex_unlock(&m@);");
    case 2:
      return locked("pthread_rwlock_wrlock(&rw@);", "pthread_rwlock_unlock(&rw@);");
    case 3:
      return locked("pthread_rwlock_rdlock(&rw@);", "pthread_rwlock_unlock(&rw@);");
    case 4:
      line("  pthread_mutex_lock(&own->lock);");
      line("  own->value += 1;");
      return line("  pthread_mutex_unlock(&own->lock);");
    default:
      line("  if (pthread_mutex_trylock(&l@) == 0) {");
      simple_without_call();
      line("  pthread_mutex_unlock(&l@);");
      return line("  }");
    }
  }

  void locked(const std::string& lock, const std::string& unlock) {
    line("  " + lock);
    simple_without_call();
    line("  " + unlock);
  }

  // A helper may take the lock that is held.
  void simple_without_call() {
    bool may_call = may_call_;
    may_call_ = false;
    simple();
    may_call_ = may_call;
  }

  std::vector<unsigned> joined_;
  bool may_call_ = false;
};

} // namespace

std::string random_unit(std::uint64_t seed, unsigned programs) {
  std::mt19937_64 random(seed);
  std::string text = unit_head, main = "int main(void) {\n";
  for (unsigned i = 0; i < programs; i++) {
    text += Generator(random, i).program();
    main += "  program" + std::to_string(i) + "();\n";
  }
  return text + main + "  return 0;\n}\n";
}

} // namespace footrace::prove
