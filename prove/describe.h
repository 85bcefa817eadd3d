// The parts of an analysis in the words of the source.
#pragma once

#include "findings/finding.h"
#include "prove/pointsto.h"

namespace footrace::prove {

findings::SourceLocation location_of(const llvm::DILocation& at);
// "bank.c:12", or the function's name where the line is not known.
std::string place_of(const llvm::Instruction& inst);
// The place of the instruction; functions that were inlined are calls of the source program.
void append_frames(const llvm::Instruction& inst, findings::Stack& stack);

std::string name_of_object(const Object& object);
std::string name_of_location(const PointsTo& pointers, LocationId id);

} // namespace footrace::prove
