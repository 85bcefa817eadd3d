#include "findings/report/history.h"

#include "findings/report/writers.h"

#include <array>
#include <ctime>
#include <sqlite3.h>

namespace footrace::findings {
namespace {

constexpr int file_version = 1;            // PRAGMA user_version
constexpr int application_id = 0x46525241; // "FRRA"; so that no other program's file is taken for ours
constexpr std::size_t most_runs = 200;     // that a page shows

constexpr const char* tables = R"(
CREATE TABLE runs (id INTEGER PRIMARY KEY, time TEXT NOT NULL, commit_name TEXT NOT NULL, findings INTEGER NOT NULL,
  new INTEGER NOT NULL);
CREATE TABLE findings (fingerprint TEXT PRIMARY KEY, title TEXT NOT NULL, first_run INTEGER NOT NULL REFERENCES runs(id),
  last_run INTEGER NOT NULL REFERENCES runs(id), runs INTEGER NOT NULL) WITHOUT ROWID;
)";

class Database {
public:
  explicit Database(const std::string& file) : failed_(sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) {
    if (!failed_) sqlite3_busy_timeout(handle_, 10000); // several jobs of a CI may share the file
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs one statement; `row` is called for each row. After a failure nothing runs any more.
  template <class Row> void run(const char* sql, const std::vector<std::string>& values, Row&& row) {
    if (failed_) return;
    sqlite3_stmt* statement = nullptr;
    failed_ = sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK;
    for (std::size_t i = 0; !failed_ && i < values.size(); ++i)
      failed_ = sqlite3_bind_text(statement, static_cast<int>(i) + 1, values[i].c_str(),
                                  static_cast<int>(values[i].size()), SQLITE_TRANSIENT) != SQLITE_OK;
    int step = SQLITE_DONE;
    while (!failed_ && (step = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
    if (!failed_ && step != SQLITE_DONE) failed_ = true;
    if (failed_ && problem_.empty()) problem_ = sqlite3_errmsg(handle_);
    sqlite3_finalize(statement);
  }
  void run(const char* sql, const std::vector<std::string>& values = {}) {
    run(sql, values, [](sqlite3_stmt*) {});
  }
  void run_all(const std::string& sql) {
    if (!failed_) failed_ = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK;
    if (failed_ && problem_.empty()) problem_ = sqlite3_errmsg(handle_);
  }
  std::int64_t number(const char* sql, const std::vector<std::string>& values = {}) {
    std::int64_t result = 0;
    run(sql, values, [&](sqlite3_stmt* row) { result = sqlite3_column_int64(row, 0); });
    return result;
  }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }
  bool failed() const { return failed_; }
  std::string problem() const { return problem_.empty() && handle_ ? sqlite3_errmsg(handle_) : problem_; }
  void refuse(std::string problem) {
    failed_ = true;
    problem_ = std::move(problem);
  }

private:
  sqlite3* handle_ = nullptr;
  bool failed_;
  std::string problem_;
};

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  return text ? reinterpret_cast<const char*>(text) : "";
}

// A new file gets our tables; another program's is refused.
void prepare(Database& database) {
  const bool is_new = database.number("SELECT count(*) FROM sqlite_master") == 0;
  if (database.failed()) return;
  if (is_new) {
    database.run_all(std::string(tables) + "PRAGMA application_id = " + std::to_string(application_id) +
                     "; PRAGMA user_version = " + std::to_string(file_version));
    return;
  }
  if (database.number("PRAGMA application_id") != application_id)
    return database.refuse("it is a database of another program");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version != file_version)
    database.refuse("its version is " + std::to_string(version) + ", this footrace reads " +
                    std::to_string(file_version));
}

void add_run(Database& database, const std::string& commit, const std::string& time, const Report& report) {
  std::size_t count = 0, unseen = 0;
  for (const Entry& entry : report.entries) {
    if (entry.state == State::Fixed) continue;
    ++count;
    unseen += database.number("SELECT count(*) FROM findings WHERE fingerprint = ?",
                              {entry.finding.fingerprint}) == 0;
  }
  database.run("INSERT INTO runs (time, commit_name, findings, new) VALUES (?, ?, ?, ?)",
               {time, commit, std::to_string(count), std::to_string(unseen)});
  const std::string run = std::to_string(database.last_row());
  for (const Entry& entry : report.entries)
    if (entry.state != State::Fixed)
      database.run("INSERT INTO findings VALUES (?1, ?2, ?3, ?3, 1) ON CONFLICT (fingerprint) DO UPDATE SET "
                   "title = ?2, "
                   "last_run = ?3, runs = runs + 1",
                   {entry.finding.fingerprint, headline(entry.finding), run});
}

void read_history(Database& database, Report& report) {
  const std::string all = std::to_string(database.number("SELECT count(*) FROM runs"));
  for (Entry& entry : report.entries)
    database.run(
        "SELECT runs.time, runs.commit_name, findings.runs FROM findings JOIN runs ON runs.id = first_run "
        "WHERE fingerprint = ?",
        {entry.finding.fingerprint}, [&](sqlite3_stmt* row) {
          std::string commit = text_of(row, 1);
          entry.history = "first seen " + text_of(row, 0).substr(0, 10) +
                          (commit.empty() ? "" : " in " + commit) + ", in " + text_of(row, 2) + " of " + all +
                          (all == "1" ? " run" : " runs");
        });
  database.run("SELECT time, commit_name, findings, new FROM (SELECT * FROM runs ORDER BY id DESC LIMIT ?) "
               "ORDER BY id",
               {std::to_string(most_runs)}, [&](sqlite3_stmt* row) {
                 report.runs.push_back({text_of(row, 0), text_of(row, 1),
                                        static_cast<std::size_t>(sqlite3_column_int64(row, 2)),
                                        static_cast<std::size_t>(sqlite3_column_int64(row, 3))});
               });
}

} // namespace

std::string record(const std::string& file, const std::string& commit, const std::string& time,
                   Report& report) {
  Database database(file);
  // Immediate: of two runs at once the second waits, and counts the first.
  database.run("BEGIN IMMEDIATE");
  prepare(database);
  add_run(database, commit, time, report);
  read_history(database, report);
  database.run("COMMIT");
  if (!database.failed()) return {};
  report.runs.clear();
  return "cannot use the database '" + file + "': " + database.problem();
}

std::string now() {
  std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

} // namespace footrace::findings
