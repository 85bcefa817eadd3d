// One process that is recorded: its rings become a trace (abi/recording.h).
#pragma once

#include "abi/recording.h"
#include "record/module_sites.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace footrace::record {

class RecordedProcess {
public:
  RecordedProcess(std::unique_ptr<TraceWriter> writer, std::string program);
  ~RecordedProcess();
  RecordedProcess(const RecordedProcess&) = delete;
  RecordedProcess& operator=(const RecordedProcess&) = delete;

  // The mapping with the rings; the descriptor is taken over.
  bool map(int memory);
  // What of the rings can be seen before the messages are read that came until now; then the messages; then this much is taken.
  void look();
  void message(std::string_view bytes);
  bool take(); // true: there was something
  // The process is gone, or nobody waits for it any more.
  void finish(std::string_view why);

  bool is_mapped() const { return mapping_ != 0; }
  bool has_said_bye() const { return bye_; }
  const TraceWriter& writer() const { return *writer_; }

private:
  struct Ring {
    u64 seen = 0; // written, when we looked
    u32 thread = ~u32(0);
    u64 next_index = 0;          // in the log's segment
    std::vector<u64> context_at; // of the places in the segment, by index
  };
  struct PcSite {
    u64 pc;
    u32 kind;
    std::string function;
  };
  void contexts(const RecordingHead& head, std::string_view rows);
  void pcs(const RecordingHead& head, std::string_view rows);
  void begin_thread(Ring& ring, const RingHeader& header);
  // How many entries the item at the position has taken; 0: it is not all there yet.
  u64 take_item(Ring& ring, RingHeader& header, u64 at, u64 available);
  void take_access(Ring& ring, const RingEntry& entry, u64 size);
  void take_event(Ring& ring, const RingEvent& event);
  void put(u32 thread, Event event, u64 stamp, u64 site, u64 context);
  u32 site_number(u64 site);
  u32 find_site_number(u64 site);
  void put_proxied(u32 thread, Event e, u64 site, u64 context);
  u32 new_site(u64 key, const TraceSite& site);
  TraceSite call_of(const PcSite& pc, TraceSite place) const;
  void symbolise_calls();

  std::unique_ptr<TraceWriter> writer_;
  uptr mapping_ = 0;
  std::vector<Ring> rings_;
  bool bye_ = false;

  ModuleSites sites_;
  std::vector<PcSite> pcs_;              // by number - 1
  std::unordered_map<u64, u32> numbers_; // of sites, by what the process calls them
  u32 last_site_ = 0;
  std::unordered_map<u64, std::vector<ModuleSites::Proxied>> proxied_; // by site, where there are some
  struct Known {
    u64 site = 0;
    u32 number = 0;
  };
  static constexpr u32 kKnown = 4096;
  std::vector<Known> known_ = std::vector<Known>(kKnown); // what was asked for lately
};

} // namespace footrace::record
