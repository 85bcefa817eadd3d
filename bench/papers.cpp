#include "bench/papers.h"

namespace footrace::bench {

static const PaperFigures figures[] = {
#define FR_PAPER(name, ...) {#name, __VA_ARGS__},
#include "bench/papers.def"
};

const PaperFigures* paper_figures(const std::string& program) {
  for (const PaperFigures& row : figures)
    if (program == row.program) return &row;
  return nullptr;
}

} // namespace footrace::bench
