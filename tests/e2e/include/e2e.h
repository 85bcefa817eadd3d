// What nearly every program of the suite needs. Light on purpose: each program is compiled at four levels.
#pragma once

#include "invisible.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef void* (*ThreadBody)(void*);

// Stops the program with a code that no test expects: a precondition of the test itself does not hold.
static inline void require(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "test precondition failed: %s\n", what);
  _Exit(99);
}

static inline pthread_t start(ThreadBody body, void* argument) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, body, argument) == 0, "pthread_create");
  return thread;
}

static inline void join(pthread_t thread) { require(pthread_join(thread, NULL) == 0, "pthread_join"); }

// Both threads are created before either is joined, so nothing orders one body before the other.
static inline void run_two(ThreadBody first, ThreadBody second) {
  pthread_t a = start(first, NULL);
  pthread_t b = start(second, NULL);
  join(a);
  join(b);
}

static inline void run_three(ThreadBody first, ThreadBody second, ThreadBody third) {
  pthread_t a = start(first, NULL);
  run_two(second, third);
  join(a);
}

// `count` threads run `body` with their number, 0 to count - 1, as the argument.
static inline void run_many(int count, ThreadBody body) {
  pthread_t* threads = (pthread_t*)malloc(sizeof(pthread_t) * (size_t)count);
  for (long i = 0; i < count; ++i) threads[i] = start(body, (void*)i);
  for (int i = 0; i < count; ++i) join(threads[i]);
  free(threads);
}
