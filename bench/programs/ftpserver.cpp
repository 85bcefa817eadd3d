// ftpserver: a file server that speaks a protocol like FTP, in memory, with one session per thread at a time.
// Papers: the ftp server of Conditional Must Not Aliasing, Figures 10-13 (there a server of the Apache project).
// Sharing: a listener hands connections to the workers through a queue; the worker that takes one owns it and its session. All sessions share the
// accounts (one lock), the directory of files (one lock) and the files (a lock each). --racy:
// sessions count bytes in the server's statistics without its lock, as the original did.
#include "program.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace bench;

namespace {

constexpr size_t users = 64, public_files = 128, commands_per_session = 40;

enum class Verb { User, Pass, Cwd, Stor, Appe, Retr, Dele, List, Quit };

struct Command {
  Verb verb;
  uint64_t argument;
};

// A client and what it is going to say. Whoever has taken it from the queue owns it.
struct Connection {
  explicit Connection(uint64_t number) : id(number), script(number + 1) {}

  Command next() {
    if (said == 0) return ++said, Command{Verb::User, id % users};
    if (said == 1) return ++said, Command{Verb::Pass, id};
    if (said == commands_per_session) return {Verb::Quit, 0};
    ++said;
    static constexpr std::array verbs = {Verb::Stor, Verb::Retr, Verb::Retr, Verb::Appe,
                                         Verb::List, Verb::Retr, Verb::Dele, Verb::Cwd};
    return {verbs[script.below(verbs.size())], script.next()};
  }
  void reply(unsigned code, uint64_t detail) { transcript = mix(mix(transcript, code), detail); }

  uint64_t id;
  Random script;
  size_t said = 0;
  uint64_t transcript = 0;
  bool closed = false;
};

class Accounts {
public:
  bool log_in(uint64_t user) {
    std::lock_guard lock(mutex_);
    ++logins_[user];
    return true;
  }
  uint64_t logins() const { // when nobody is logged in any more
    uint64_t sum = 0;
    for (const auto& [user, count] : logins_) sum = mix(mix(sum, user), count);
    return sum;
  }

private:
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> logins_;
};

class File {
public:
  explicit File(std::vector<uint8_t> contents) : contents_(std::move(contents)) {}

  size_t append(uint64_t seed, size_t size) {
    std::lock_guard lock(mutex_);
    for (size_t i = 0; i < size; ++i) contents_.push_back(static_cast<uint8_t>(seed >> (i % 8 * 8)));
    return size;
  }
  uint64_t digest(size_t& size) {
    std::lock_guard lock(mutex_);
    uint64_t sum = 0;
    for (uint8_t byte : contents_) sum = sum * 31 + byte;
    size = contents_.size();
    return sum;
  }

private:
  std::mutex mutex_;
  std::vector<uint8_t> contents_;
};

// Names to files. A file that is deleted lives on for the session that still has it.
class Directory {
public:
  std::shared_ptr<File> find(uint64_t name) {
    std::lock_guard lock(mutex_);
    auto found = files_.find(name);
    return found == files_.end() ? nullptr : found->second;
  }
  void put(uint64_t name, std::shared_ptr<File> file) {
    std::lock_guard lock(mutex_);
    files_[name] = std::move(file);
  }
  bool erase(uint64_t name) {
    std::lock_guard lock(mutex_);
    return files_.erase(name) != 0;
  }
  size_t count(uint64_t first, uint64_t last) {
    std::lock_guard lock(mutex_);
    size_t found = 0;
    for (auto file = files_.lower_bound(first); file != files_.end() && file->first < last; ++file) ++found;
    return found;
  }

private:
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<File>> files_;
};

class Statistics {
public:
  explicit Statistics(bool racy) : racy_(racy) {}
  void transferred(size_t bytes) {
    if (racy_) {
      bytes_ += bytes;
      return;
    }
    std::lock_guard lock(mutex_);
    bytes_ += bytes;
  }
  uint64_t bytes() const { return bytes_; } // after the last session

private:
  const bool racy_;
  std::mutex mutex_;
  uint64_t bytes_ = 0;
};

struct Server {
  explicit Server(bool racy) : statistics(racy) {}
  Accounts accounts;
  Directory directory;
  Statistics statistics;
};

// The commands of one connection. Private files have names that no other connection uses.
class Session {
public:
  Session(Server& server, Connection& connection) : server_(server), connection_(connection) {}

  void run() {
    while (!connection_.closed) execute(connection_.next());
  }

private:
  static constexpr uint64_t files_per_client = 8;
  uint64_t private_name(uint64_t argument) const {
    return public_files + connection_.id * files_per_client + argument % files_per_client;
  }

  void execute(Command command) {
    switch (command.verb) {
    case Verb::User:
      return connection_.reply(331, user_ = command.argument);
    case Verb::Pass:
      return connection_.reply(server_.accounts.log_in(user_) ? 230 : 530, 0);
    case Verb::Cwd:
      return connection_.reply(250, folder_ = command.argument % 4);
    case Verb::Stor:
      return store(command.argument);
    case Verb::Appe:
      return append(command.argument);
    case Verb::Retr:
      return retrieve(command.argument);
    case Verb::Dele:
      return connection_.reply(server_.directory.erase(private_name(command.argument)) ? 250 : 550, 0);
    case Verb::List:
      return connection_.reply(150,
                               server_.directory.count(private_name(0), private_name(0) + files_per_client));
    case Verb::Quit:
      connection_.reply(221, 0);
      connection_.closed = true;
    }
  }

  void store(uint64_t argument) {
    std::vector<uint8_t> contents(64 + argument % 192);
    for (size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<uint8_t>(mix(argument, i));
    server_.statistics.transferred(contents.size());
    server_.directory.put(private_name(argument), std::make_shared<File>(std::move(contents)));
    connection_.reply(226, folder_);
  }

  void append(uint64_t argument) {
    std::shared_ptr<File> file = server_.directory.find(private_name(argument));
    if (!file) return connection_.reply(550, 0);
    server_.statistics.transferred(file->append(argument, 16));
    connection_.reply(226, folder_);
  }

  void retrieve(uint64_t argument) {
    const bool is_public = argument % 3 != 0;
    std::shared_ptr<File> file =
        server_.directory.find(is_public ? argument % public_files : private_name(argument));
    if (!file) return connection_.reply(550, 0);
    size_t size = 0;
    const uint64_t digest = file->digest(size);
    server_.statistics.transferred(size);
    connection_.reply(226, digest);
  }

  Server& server_;
  Connection& connection_;
  uint64_t user_ = 0, folder_ = 0;
};

// From the listener to the workers.
class Backlog {
public:
  void push(Connection* connection) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(connection);
    changed_.notify_one();
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  Connection* pop() { // nullptr: no more
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return nullptr;
    Connection* connection = waiting_.front();
    waiting_.pop_front();
    return connection;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Connection*> waiting_;
  bool closed_ = false;
};

uint64_t ftpserver(const Config& config) {
  const size_t connections = config.pick<size_t>(600, 20'000, 72'000);
  Server server(config.racy);
  for (uint64_t name = 0; name < public_files; ++name) {
    std::vector<uint8_t> contents(512 + name * 8);
    for (size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<uint8_t>(mix(name, i));
    server.directory.put(name, std::make_shared<File>(std::move(contents)));
  }
  std::vector<std::unique_ptr<Connection>> clients;
  for (size_t id = 0; id < connections; ++id) clients.push_back(std::make_unique<Connection>(id));

  Backlog backlog;
  std::thread listener([&] {
    for (const auto& client : clients) backlog.push(client.get());
    backlog.close();
  });
  parallel(config.threads, [&](unsigned) {
    while (Connection* connection = backlog.pop()) Session(server, *connection).run();
  });
  listener.join();

  uint64_t sum = mix(server.accounts.logins(), server.statistics.bytes());
  for (const auto& client : clients) sum = mix(sum, client->closed ? client->transcript : 0);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, true, {0xeec71553b972ceb7, 0xb11dd518e249bfe7, 0x72efd5c3298eae35},
                     ftpserver);
}
