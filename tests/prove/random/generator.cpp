#include "tests/prove/random/generator.h"

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

class Generator {
public:
  Generator(std::mt19937_64& random, unsigned number) : random_(random), suffix_(std::to_string(number)) {}

  std::string program() {
    declare();
    unsigned bodies = 1 + pick(2);
    line("static void helper@(struct record* own) {");
    statements(2);
    line("}");
    may_call_ = true;
    for (unsigned i = 0; i < bodies; i++) {
      line("static void* body@_" + std::to_string(i) + "(void* argument) {");
      line("  struct record* own = argument;");
      statements(2 + pick(3));
      line("  return NULL;");
      line("}");
    }
    line("static void program@(void) {");
    line("  struct record* own = new_record();");
    statements(pick(3));
    unsigned threads = 1 + pick(2);
    for (unsigned i = 0; i < threads; i++) create(i, pick(bodies));
    statements(1 + pick(3));
    for (unsigned i = 0; i < threads; i++)
      if (pick(4)) joined_.push_back(i), line("  pthread_join(thread@_" + std::to_string(i) + ", NULL);");
    statements(pick(3));
    for (unsigned i = 0; i < threads; i++) // nobody outlives the program: the next one reuses memory
      if (std::find(joined_.begin(), joined_.end(), i) == joined_.end())
        line("  pthread_join(thread@_" + std::to_string(i) + ", NULL);");
    line("}");
    return text_;
  }

private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  // '@' stands for the number of the program.
  void line(const std::string& pattern) {
    for (char c : pattern) c == '@' ? text_ += suffix_ : text_ += c;
    text_ += '\n';
  }

  void declare() {
    line("static int x@, y@, z@[4];");
    line("static pthread_mutex_t l@ = PTHREAD_MUTEX_INITIALIZER, m@ = PTHREAD_MUTEX_INITIALIZER;");
    line("static pthread_rwlock_t rw@ = PTHREAD_RWLOCK_INITIALIZER;");
    line("static struct record shelf@[2] = {{PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};");
    line("static struct record* box@;");
    line("static _Atomic(struct record*) mailbox@;");
  }

  void create(unsigned thread, unsigned body) {
    std::string argument = pick(2)   ? "new_record()"
                           : pick(2) ? "own"
                                     : "&shelf@[" + std::to_string(pick(2)) + "]";
    std::string name = "thread@_" + std::to_string(thread);
    line("  pthread_t " + name + ";");
    line("  pthread_create(&" + name + ", NULL, body@_" + std::to_string(body) + ", " + argument + ");");
  }

  void statements(unsigned count) {
    for (unsigned i = 0; i < count; i++) pick(2) ? region() : simple();
  }

  // One access, or a few that belong together.
  void simple() {
    switch (pick(may_call_ ? 11 : 10)) {
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

  std::mt19937_64& random_;
  std::string suffix_, text_;
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
