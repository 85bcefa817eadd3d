// Runs over time, in an SQLite file: when a finding was first seen, in which commit, and how often. Rule: one call of record() is
// one transaction; a file that is damaged or another program's is left as it is.
#pragma once

#include "findings/report/report.h"

#include <string>

namespace footrace::findings {

// Adds the report as one more run and fills in what the file knows: Entry::history and Report::runs. Returns what went wrong,
// or nothing.
std::string record(const std::string& file, const std::string& commit, const std::string& time,
                   Report& report);

// "2026-11-19 21:40:05", in UTC.
std::string now();

} // namespace footrace::findings
