// Image filter: grey, Gaussian blur in two passes, Sobel edges and contrast stretching of an RGB image.
// Sharing: bands of rows per thread with a barrier between passes; the vertical filters read the neighbours'
// border rows, bytes of one word are written by different threads where bands meet, and histograms are
// merged under a mutex.
#include "bench/programs/program.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <mutex>

namespace {

using Bytes = std::vector<uint8_t>;
using Histogram = std::array<uint64_t, 256>;

struct Image {
  size_t width, height;
  Bytes rgb, grey, blurred, smooth, edges;
  std::mutex merging;
  Histogram histogram = {}; // guarded by merging until the pass is over

  Image(size_t width, size_t height)
      : width(width), height(height), rgb(width * height * 3), grey(width * height), blurred(width * height),
        smooth(width * height), edges(width * height) {}
};

// Gradients, a circle and some noise.
void paint(Image& image) {
  bench::Random random(24);
  for (size_t y = 0; y < image.height; ++y)
    for (size_t x = 0; x < image.width; ++x) {
      uint8_t* pixel = &image.rgb[(y * image.width + x) * 3];
      size_t dx = x - image.width / 2, dy = y - image.height / 2;
      bool inside = dx * dx + dy * dy < image.height * image.height / 9;
      uint64_t noise = random.next();
      pixel[0] = uint8_t(x * 255 / image.width);
      pixel[1] = inside ? 220 : uint8_t(y * 255 / image.height);
      pixel[2] = uint8_t(noise & 63);
    }
}

void to_grey(Image& image, bench::Range rows) {
  for (size_t i = rows.begin * image.width, end = rows.end * image.width; i < end; ++i) {
    const uint8_t* pixel = &image.rgb[i * 3];
    image.grey[i] = uint8_t((77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) >> 8);
  }
}

constexpr unsigned kKernel[5] = {1, 4, 6, 4, 1};

void blur_rows(Image& image, bench::Range rows) {
  const size_t w = image.width;
  for (size_t y = rows.begin; y < rows.end; ++y) {
    const uint8_t* from = &image.grey[y * w];
    uint8_t* to = &image.blurred[y * w];
    for (size_t x : {size_t(0), size_t(1), w - 2, w - 1}) to[x] = from[x];
    for (size_t x = 2; x + 2 < w; ++x) {
      unsigned sum = 0;
      for (size_t k = 0; k < 5; ++k) sum += kKernel[k] * from[x + k - 2];
      to[x] = uint8_t(sum >> 4);
    }
  }
}

void blur_columns(Image& image, bench::Range rows) {
  const size_t w = image.width;
  for (size_t y = rows.begin; y < rows.end; ++y) {
    uint8_t* to = &image.smooth[y * w];
    const bool border = y < 2 || y + 2 >= image.height;
    const uint8_t* from = &image.blurred[(border ? y : y - 2) * w];
    for (size_t x = 0; x < w; ++x) {
      unsigned sum = 0;
      for (size_t k = 0; k < 5; ++k) sum += kKernel[k] * from[border ? x : k * w + x];
      to[x] = uint8_t(sum >> 4);
    }
  }
}

void find_edges(Image& image, bench::Range rows) {
  const size_t w = image.width;
  Histogram counts = {};
  for (size_t y = std::max<size_t>(rows.begin, 1); y < std::min(rows.end, image.height - 1); ++y) {
    const uint8_t *above = &image.smooth[(y - 1) * w], *here = above + w, *below = here + w;
    for (size_t x = 1; x + 1 < w; ++x) {
      int gx = above[x + 1] + 2 * here[x + 1] + below[x + 1] - above[x - 1] - 2 * here[x - 1] - below[x - 1];
      int gy = below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] - 2 * above[x] - above[x + 1];
      uint8_t edge = uint8_t(std::min(255, std::abs(gx) + std::abs(gy)));
      image.edges[y * w + x] = edge;
      ++counts[edge];
    }
  }
  std::lock_guard lock(image.merging);
  for (size_t i = 0; i < counts.size(); ++i) image.histogram[i] += counts[i];
}

// Maps levels so that equally many pixels have each; the histogram is complete and read-shared.
void stretch(Image& image, bench::Range rows) {
  std::array<uint8_t, 256> level;
  uint64_t below = 0, pixels = image.width * image.height;
  for (size_t i = 0; i < level.size(); ++i) {
    below += image.histogram[i];
    level[i] = uint8_t(below * 255 / pixels);
  }
  for (size_t i = rows.begin * image.width, end = rows.end * image.width; i < end; ++i)
    image.edges[i] = level[image.edges[i]];
}

uint64_t filter(const bench::Config& config) {
  // Odd widths, so that rows of two threads share words.
  Image image(config.pick<size_t>(401, 1601, 3203), config.pick<size_t>(301, 1201, 2401));
  const unsigned rounds = config.pick(40u, 56u, 70u);
  paint(image);
  std::barrier pass_done(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    bench::Range rows = bench::share(image.height, me, config.threads);
    for (unsigned round = 0; round < rounds; ++round) {
      if (!round) to_grey(image, rows);
      if (round && !me) image.histogram = {};
      pass_done.arrive_and_wait();
      blur_rows(image, rows);
      pass_done.arrive_and_wait();
      blur_columns(image, rows);
      pass_done.arrive_and_wait();
      find_edges(image, rows);
      pass_done.arrive_and_wait();
      stretch(image, rows);
      // The next round goes on from what this one has smoothed.
      std::copy(&image.smooth[rows.begin * image.width], image.smooth.data() + rows.end * image.width,
                &image.grey[rows.begin * image.width]);
      pass_done.arrive_and_wait();
    }
  });
  uint64_t sum = 0;
  for (size_t i = 0; i < image.edges.size(); ++i)
    sum = bench::mix(sum, image.edges[i] * 256u + image.grey[i]);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x4997e63ac6108fd0, 0xa394550fe4524b85, 0x165a106326e5d7e5},
                            filter);
}
