#include "tests/placement/validator/log.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

namespace footrace::validation {
namespace {

std::map<u64, std::string> read_sites(const std::string& path) {
  std::map<u64, std::string> sites;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string address, number, column, function, file;
    for (std::string* field : {&address, &number, &column, &function, &file})
      std::getline(fields, *field, '\t');
    sites[std::stoull(address)] = file + ":" + number + ":" + column + " in " + function;
  }
  return sites;
}

void add_events(const Chunk& chunk, Log& log) {
  if (chunk.thread == 0) return; // given out, not yet begun
  if (log.threads.size() < chunk.thread) log.threads.resize(chunk.thread);
  for (const Event& event : chunk.events) {
    if (event.type == EventType::None) break;
    log.threads[chunk.thread - 1].push_back(event);
  }
}

const char* text_of(const Event& event, Before before) {
  const bool access = event.type == EventType::Access;
  switch (before) {
  case Before::Nothing:
    return access ? "no check came before it" : "no access came before it";
  case Before::PastRelease:
    return access ? "a release lies between the last check and it"
                  : "a release lies between the last access and it";
  case Before::OnlyReadCheck:
    return "only a read check came before it";
  case Before::OnlyReads:
    return "only reads came before it";
  }
  return "";
}

} // namespace

std::optional<Log> read_log(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Header header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header) || header.magic != kMagic) {
    std::fprintf(stderr, "'%s' is not a placement log of this version\n", path.c_str());
    return std::nullopt;
  }
  Log log;
  auto chunk = std::make_unique<Chunk>();
  for (u64 i = 0; i < header.chunks; i++) {
    in.seekg(std::streamoff(kFirstChunk + i * kChunkDistance));
    if (!in.read(reinterpret_cast<char*>(chunk.get()), sizeof(Chunk))) {
      std::fprintf(stderr, "'%s' ends in the middle of chunk %llu\n", path.c_str(),
                   static_cast<unsigned long long>(i));
      return std::nullopt;
    }
    add_events(*chunk, log);
  }
  log.sites = read_sites(path + ".sites");
  return log;
}

Verdict validate(const Log& log) {
  Verdict verdict;
  for (u64 i = 0; i < log.threads.size(); i++) {
    ThreadValidator thread(i + 1);
    for (const Event& event : log.threads[i]) thread.step(event);
    thread.finish();
    verdict.threads++;
    verdict.cut_off += thread.cut_off();
    verdict.accesses += thread.accesses();
    verdict.checks += thread.checks();
    verdict.violations.insert(verdict.violations.end(), thread.violations().begin(),
                              thread.violations().end());
  }
  for (const std::vector<Event>& events : log.threads)
    for (const Event& event : events) verdict.proxied += event.type == EventType::Proxied;
  verdict.broken_proxies = find_broken_proxies(log.threads);
  return verdict;
}

std::string describe(const BrokenProxy& broken, const std::map<u64, std::string>& sites) {
  auto site = sites.find(broken.check.site);
  std::ostringstream out;
  out << "thread " << broken.thread << ": the check at "
      << (site != sites.end() ? site->second : "unknown site") << " does not stand for the bytes at 0x"
      << std::hex << broken.bytes << ", for which it is the proxy elsewhere";
  return out.str();
}

std::string describe(const Violation& violation, const std::map<u64, std::string>& sites) {
  const Event& event = violation.event;
  const bool access = event.type == EventType::Access;
  const char* what = access ? "" : event.type == EventType::Proxied ? " check (through a proxy)" : " check";
  auto site = sites.find(event.site);
  std::ostringstream out;
  out << "thread " << violation.thread << ": " << (event.write ? "write" : "read") << what << " of ";
  if (event.elements.count != 1) out << event.elements.count << " times ";
  out << event.elements.size << " bytes at 0x" << std::hex << event.elements.address << std::dec;
  if (event.elements.count != 1) out << ", " << event.elements.stride << " apart,";
  out << " (" << (site != sites.end() ? site->second : "unknown site") << "): " << violation.bytes
      << " bytes from 0x" << std::hex << violation.first << std::dec
      << (access ? " have no covering check: " : " are not legitimate: ") << text_of(event, violation.before)
      << ", and no " << (access ? "check that covers it" : "access that justifies it") << " before "
      << violation.ended_by;
  return out.str();
}

} // namespace footrace::validation
