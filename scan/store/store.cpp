#include "scan/store/store.h"

#include "scan/il/text.h"
#include "scan/units/unit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace footrace::scan::store {
namespace {

constexpr std::string_view kMagic = "footrace scan summaries 3\n";

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

// The head of the file: its digest, and who made it, names, and for each summary how long it is. The summaries follow; each is looked at
// only when it is asked for.
void SummaryStore::load() {
  auto buffer = llvm::MemoryBuffer::getFile(file_, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return;
  loaded_ = std::move(*buffer);
  std::string_view bytes = loaded_->getBuffer(), head;
  if (!bytes.starts_with(kMagic)) return;
  bytes.remove_prefix(kMagic.size());
  std::uint64_t digest = 0, identity = 0;
  if (!take_number(bytes, digest) || !take_text(bytes, head) || digest != units::digest_of(head)) return;
  if (!take_number(head, identity) || identity != identity_) return;
  if (parse(head, bytes)) return;
  names_ = {};
  entries_.clear();
}

bool SummaryStore::parse(std::string_view head, std::string_view summaries) {
  std::uint64_t count = 0;
  std::string_view text;
  if (!take_number(head, count)) return false;
  for (; count > 0; --count) {
    if (!take_text(head, text)) return false;
    names_.number_of(text);
  }
  if (!take_number(head, count)) return false;
  for (; count > 0; --count) {
    std::uint64_t number = 0, size = 0;
    Entry entry;
    if (!take_number(head, number) || !take_number(head, entry.key) || !take_number(head, entry.digest) ||
        !take_number(head, size) || size > summaries.size() || !names_.at(number))
      return false;
    entry.bytes = summaries.substr(0, size);
    summaries.remove_prefix(size);
    entries_.emplace(*names_.at(number), std::move(entry));
  }
  return head.empty() && summaries.empty();
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
    return entry != entries_.end() && entry->second.key == key &&
           entry->second.digest == units::digest_of(entry->second.bytes);
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
    entry.made = encode(summaries.at(method->name), names_);
    entry.bytes = entry.made;
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
  std::string head, list;
  NameTable names = names_;
  std::vector<std::string_view> summaries;
  for (const auto& [name, entry] : entries_) {
    if (!entry.used && !keep_unused) continue;
    append_number(list, names.number_of(name));
    append_number(list, entry.key);
    append_number(list, entry.digest);
    append_number(list, entry.bytes.size());
    summaries.push_back(entry.bytes);
  }
  append_number(head, identity_);
  append_number(head, names.all().size());
  for (il::Name name : names.all()) append_text(head, name.text());
  append_number(head, summaries.size());
  head += list;
  std::string start(kMagic);
  append_number(start, units::digest_of(head));
  append_text(start, head);
  // Beside the file and then renamed: another run never sees half of it, and what is mapped stays what it was.
  llvm::Error error = llvm::writeToOutput(file_, [&](llvm::raw_ostream& out) {
    out << start;
    for (std::string_view summary : summaries) out << summary;
    return llvm::Error::success();
  });
  bool written = !error;
  llvm::consumeError(std::move(error));
  return written;
}

} // namespace footrace::scan::store
