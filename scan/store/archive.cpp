#include "scan/store/archive.h"

#include "scan/store/members.h"

#include <map>
#include <set>
#include <unordered_map>

namespace footrace::scan::store {
namespace {

template <class T>
concept Number = std::integral<T> || std::is_enum_v<T>;

// What a summary says many times.
template <class T>
concept Repeated =
    std::same_as<T, il::Path> || std::same_as<T, domain::LockState> || std::same_as<T, domain::Turn>;

template <class T>
concept Structure = !Repeated<T> && requires(T& x) { members(x); };

struct Encoder {
  NameTable& names;
  std::string bytes;
  std::tuple<std::map<il::Path, std::uint64_t>, std::map<domain::LockState, std::uint64_t>,
             std::map<domain::Turn, std::uint64_t>>
      said;
  std::unordered_map<const void*, std::uint64_t> kept;   // what is said, where it is kept once
  std::unordered_map<const void*, std::uint64_t> chains; // from 1

  void operator()(Number auto number) { append_number(bytes, std::uint64_t(number)); }
  void operator()(il::Name name) { append_number(bytes, names.number_of(name)); }
  template <Structure T> void operator()(const T& x) { each_member(x); }
  template <Repeated T> void operator()(const T& x) { say(x); }
  template <class T> void operator()(const std::vector<T>& list) { elements(list); }
  template <class T> void operator()(const std::set<T>& set) { elements(set); }
  template <class K, class V> void operator()(const std::map<K, V>& map) { elements(map); }
  template <class K, class V> void operator()(const std::pair<K, V>& entry) {
    (*this)(entry.first);
    (*this)(entry.second);
  }
  void operator()(const domain::WobblyPaths& wobbly) { (*this)(wobbly.paths()); }
  void operator()(const domain::Accesses& accesses) { (*this)(accesses.all()); }
  void operator()(const domain::Flags& flags) { (*this)(flags.all()); }
  // Chains share their ends: one that is new is a call in front of another.
  void operator()(domain::CallChain calls) {
    if (calls.empty()) return (*this)(std::uint64_t(0));
    const void* link = &calls.front();
    if (auto known = chains.find(link); known != chains.end()) return (*this)(known->second);
    (*this)(chains.size() + 1);
    (*this)(calls.front());
    (*this)(calls.rest());
    chains.emplace(link, chains.size() + 1);
  }
  void operator()(domain::Interned<domain::Owned> x) { (*this)(*x); }
  template <Repeated T> void operator()(domain::Interned<T> x) {
    if (auto known = kept.find(&*x); known != kept.end()) return (*this)(known->second);
    kept.emplace(&*x, say(*x));
  }

private:
  // Its number.
  template <Repeated T> std::uint64_t say(const T& x) {
    auto& numbers = std::get<std::map<T, std::uint64_t>>(said);
    if (auto at = numbers.find(x); at != numbers.end()) {
      (*this)(at->second);
      return at->second;
    }
    (*this)(numbers.size());
    each_member(x);
    return numbers.emplace(x, numbers.size()).first->second; // after its parts, as the decoder does
  }
  template <class T> void each_member(const T& x) {
    std::apply([&](const auto&... member) { ((*this)(member), ...); }, members(x));
  }
  template <class C> void elements(const C& container) {
    (*this)(container.size());
    for (const auto& element : container) (*this)(element);
  }
};

struct Decoder {
  const NameTable& names;
  std::string_view bytes;
  bool good = true;
  template <class T> using Said = std::vector<domain::Interned<T>>;
  std::tuple<Said<il::Path>, Said<domain::LockState>, Said<domain::Turn>> said;
  std::vector<domain::CallChain> chains;

  template <Number T> void operator()(T& number) { number = static_cast<T>(next()); }
  void operator()(il::Name& name) {
    const il::Name* known = names.at(next());
    good &= known != nullptr;
    if (known) name = *known;
  }
  template <Structure T> void operator()(T& x) { each_member(x); }
  template <Repeated T> void operator()(T& x) {
    domain::Interned<T> kept;
    (*this)(kept);
    x = kept;
  }
  template <Repeated T> void operator()(domain::Interned<T>& x) {
    const std::uint64_t number = next();
    auto& known = std::get<Said<T>>(said);
    if (number < known.size()) {
      x = known[number];
      return;
    }
    T value{};
    each_member(value);
    x = std::move(value);
    known.push_back(x);
  }
  template <class T> void operator()(std::vector<T>& list) {
    each<T>([&](T& element) { list.push_back(std::move(element)); });
  }
  template <class T> void operator()(std::set<T>& set) {
    each<T>([&](T& element) { set.insert(set.end(), std::move(element)); });
  }
  template <class K, class V> void operator()(std::map<K, V>& map) {
    each<std::pair<K, V>>([&](auto& entry) { map.insert(map.end(), std::move(entry)); });
  }
  template <class K, class V> void operator()(std::pair<K, V>& entry) {
    (*this)(entry.first);
    (*this)(entry.second);
  }
  void operator()(domain::WobblyPaths& wobbly) {
    each<std::pair<il::Path, domain::Wobble>>([&](auto& entry) { wobbly.add(entry.first, entry.second); });
  }
  void operator()(domain::Accesses& accesses) {
    std::vector<domain::Accesses::Entry> all;
    each<domain::Accesses::Entry>([&](auto& entry) { all.push_back(entry); });
    good &= accesses.restore(std::move(all));
  }
  void operator()(domain::CallChain& calls) {
    const std::uint64_t number = next();
    if (number == 0 || number <= chains.size()) {
      calls = number == 0 ? domain::CallChain() : chains[number - 1];
      return;
    }
    domain::CallSite first;
    domain::CallChain rest;
    (*this)(first);
    if (good) (*this)(rest);
    calls = rest.after(first);
    chains.push_back(calls);
  }
  void operator()(domain::Interned<domain::Owned>& x) {
    domain::Owned value;
    (*this)(value);
    x = std::move(value);
  }
  void operator()(domain::Flags& flags) {
    each<domain::Flag>([&](domain::Flag& flag) { flags.add(flag); });
  }

private:
  std::uint64_t next() {
    std::uint64_t number = 0;
    good &= take_number(bytes, number);
    return number;
  }
  template <class T> void each_member(T& x) {
    std::apply([&](auto&... member) { ((*this)(member), ...); }, members(x));
  }
  template <class T, class Add> void each(Add add) {
    for (std::uint64_t count = next(); count > 0 && good; --count) {
      T element{};
      (*this)(element);
      add(element);
    }
  }
};

} // namespace

std::uint64_t NameTable::number_of(il::Name name) {
  auto [at, fresh] = numbers_.try_emplace(name, names_.size());
  if (fresh) names_.push_back(name);
  return at->second;
}

void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += char(0x80 | (number & 0x7f));
  bytes += char(number);
}

bool take_number(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string encode(const domain::Summary& summary, NameTable& names) {
  Encoder encoder{names, {}, {}, {}, {}};
  encoder(summary);
  return std::move(encoder.bytes);
}

bool decode(std::string_view bytes, const NameTable& names, domain::Summary& summary) {
  Decoder decoder{names, bytes, true, {}, {}};
  decoder(summary);
  return decoder.good && decoder.bytes.empty();
}

} // namespace footrace::scan::store
