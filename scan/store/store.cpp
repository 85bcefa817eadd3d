#include "scan/store/store.h"

#include "scan/il/text.h"
#include "scan/units/unit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace footrace::scan::store {
namespace {

constexpr std::string_view kMagic = "footrace scan summaries 2\n";

template <class Visit> void each_callee(const il::Method& method, Visit visit) {
  for (const il::Block& block : method.blocks)
    for (const il::Statement& statement : block.statements)
      if (const auto* call = std::get_if<il::Call>(&statement.what)) {
        visit(call->callee);
        for (const il::Closure& closure : call->closures) visit(closure.function);
      }
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes += text;
}

bool take_text(std::string_view& bytes, std::string_view& text) {
  std::uint64_t size = 0;
  if (!take_number(bytes, size) || size > bytes.size()) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

} // namespace

SummaryStore::SummaryStore(std::string file, std::uint64_t identity)
    : file_(std::move(file)), identity_(identity) {
  load();
}

void SummaryStore::load() {
  auto buffer = llvm::MemoryBuffer::getFile(file_, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return;
  std::string_view bytes = (*buffer)->getBuffer();
  if (!bytes.starts_with(kMagic)) return;
  bytes.remove_prefix(kMagic.size());
  std::uint64_t digest = 0, identity = 0;
  if (!take_number(bytes, digest) || digest != units::digest_of(bytes)) return;
  if (!take_number(bytes, identity) || identity != identity_) return;
  if (parse(bytes)) return;
  names_ = {};
  entries_.clear();
}

bool SummaryStore::parse(std::string_view bytes) {
  std::uint64_t count = 0;
  std::string_view text;
  if (!take_number(bytes, count)) return false;
  for (; count > 0; --count) {
    if (!take_text(bytes, text)) return false;
    names_.number_of(text);
  }
  if (!take_number(bytes, count)) return false;
  for (; count > 0; --count) {
    std::uint64_t number = 0;
    Entry entry;
    if (!take_number(bytes, number) || !take_number(bytes, entry.key) || !take_number(bytes, entry.digest) ||
        !take_text(bytes, text) || !names_.at(number))
      return false;
    entry.bytes = text;
    entries_.emplace(*names_.at(number), std::move(entry));
  }
  return bytes.empty();
}

// Components come bottom-up: what the members call was recalled or kept before them.
std::uint64_t SummaryStore::key_of(const std::vector<const il::Method*>& members) const {
  std::string text;
  for (const il::Method* method : members) {
    text += il::print(*method);
    each_callee(*method, [&](il::Name callee) {
      auto entry = entries_.find(callee);
      bool known = entry != entries_.end() && entry->second.used;
      append_number(text, known ? entry->second.digest : 0);
    });
  }
  return units::digest_of(text);
}

bool SummaryStore::recall(const std::vector<const il::Method*>& members, domain::Summaries& summaries) {
  std::uint64_t key = key_of(members);
  auto is_known = [&](const il::Method* method) {
    auto entry = entries_.find(method->name);
    return entry != entries_.end() && entry->second.key == key;
  };
  if (!std::ranges::all_of(members, is_known)) return false;
  for (const il::Method* method : members) {
    domain::Summary summary;
    if (!decode(entries_[method->name].bytes, names_, summary)) return false;
    summaries.insert_or_assign(method->name, std::move(summary));
  }
  for (const il::Method* method : members) entries_[method->name].used = true;
  return true;
}

void SummaryStore::keep(const std::vector<const il::Method*>& members, const domain::Summaries& summaries) {
  std::uint64_t key = key_of(members);
  for (const il::Method* method : members) {
    Entry& entry = entries_[method->name];
    entry.key = key;
    entry.bytes = encode(summaries.at(method->name), names_);
    entry.digest = units::digest_of(entry.bytes);
  }
  for (const il::Method* method : members) entries_[method->name].used = true;
  analysed_ += unsigned(members.size());
}

bool SummaryStore::save() const {
  if (analysed_ == 0) return true;
  // A run may have looked at a part of the project: the rest stays, until there is more of it than of what is used.
  auto used = std::size_t(std::ranges::count_if(entries_, [](const auto& e) { return e.second.used; }));
  bool keep_unused = entries_.size() - used <= used;
  std::string bytes, body;
  std::uint64_t count = 0;
  NameTable names = names_;
  for (const auto& [name, entry] : entries_) {
    if (!entry.used && !keep_unused) continue;
    append_number(body, names.number_of(name));
    append_number(body, entry.key);
    append_number(body, entry.digest);
    append_text(body, entry.bytes);
    ++count;
  }
  append_number(bytes, identity_);
  append_number(bytes, names.all().size());
  for (il::Name name : names.all()) append_text(bytes, name.text());
  append_number(bytes, count);
  bytes += body;
  std::string head(kMagic);
  append_number(head, units::digest_of(bytes));
  // Beside the file and then renamed: another run never sees half of it.
  llvm::Error error = llvm::writeToOutput(file_, [&](llvm::raw_ostream& out) {
    out << head << bytes;
    return llvm::Error::success();
  });
  bool written = !error;
  llvm::consumeError(std::move(error));
  return written;
}

} // namespace footrace::scan::store
