// Debian source packages, fetched with an apt configuration of our own that is derived from the machine's:
// the same archives, deb-src for deb, and every file of apt's state in a folder of ours. Nothing of the system
// changes.
#pragma once

#include <string>

namespace footrace::bench {

class SourcePackages {
public:
  explicit SourcePackages(std::string folder) : folder_(std::move(folder)) {}
  // The unpacked source of the package; "" if it cannot be had, and then `why` says so.
  std::string unpack(const std::string& package, std::string& why);

private:
  bool prepare(std::string& why); // the private configuration and its package lists, once
  std::string apt() const;        // apt-get with that configuration
  std::string folder_;
  bool prepared_ = false;
};

// Makes the machine's apt sources, in either of apt's formats, into sources of source packages.
std::string as_deb_src_lines(const std::string& sources_list);
std::string as_deb_src_stanzas(const std::string& sources);

} // namespace footrace::bench
