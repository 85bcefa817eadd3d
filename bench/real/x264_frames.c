// A moving picture: discs that cross a sliding background, with noise. Writes `frames` frames of planar 4:2:0.
#include <stdio.h>
#include <stdlib.h>

enum { discs = 6 };

static unsigned noise(void) {
  static unsigned long long state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33);
}

// Where something is that began at `start`, moves by `step` a frame and comes back in on the other side.
static int position(int start, int step, int frame, int size) {
  return ((start + step * frame) % size + size) % size;
}

static int brightness(int x, int y, int width, int height, int frame) {
  int value = 64 + ((x + 2 * frame) ^ (y + frame)) % 64;
  for (int i = 0; i < discs; ++i) {
    int dx = x - position(i * 41, 2 * i - 5, frame, width), dy = y - position(i * 29, 3 - i, frame, height);
    int radius = 8 + 4 * i;
    if (dx * dx + dy * dy < radius * radius) value = 96 + 20 * i + (dx * dy) / 16 % 16;
  }
  return value + (int)(noise() % 5);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s WIDTH HEIGHT FRAMES\n", argv[0]);
    return 2;
  }
  int width = atoi(argv[1]), height = atoi(argv[2]), frames = atoi(argv[3]);
  for (int frame = 0; frame < frames; ++frame) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) putchar(brightness(x, y, width, height, frame));
    for (int plane = 0; plane < 2; ++plane)
      for (int y = 0; y < height / 2; ++y)
        for (int x = 0; x < width / 2; ++x) putchar(128 + (plane ? x : y) / 4 % 16 + frame % 8);
  }
  return 0;
}
