// Lua states on threads: each has its own state, made from the same compiled script; jobs and results go through queues as
// strings. One more state is shared by all under a lock. Runs work(job) of the script for the jobs 1 to JOBS and prints what
// finish(results) returns.
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { room = 16 };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char* items[room];
  int first, count;
} Queue;

#define EMPTY_QUEUE {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0}
static Queue jobs = EMPTY_QUEUE, results = EMPTY_QUEUE;

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static lua_State* shared_state;

static struct {
  char* bytes;
  size_t size;
} script;

static void put(Queue* queue, const char* text) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == room) pthread_cond_wait(&queue->changed, &queue->lock);
  queue->items[(queue->first + queue->count++) % room] = strdup(text);
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

// The caller frees it.
static char* take(Queue* queue) {
  pthread_mutex_lock(&queue->lock);
  while (!queue->count) pthread_cond_wait(&queue->changed, &queue->lock);
  char* item = queue->items[queue->first];
  queue->first = (queue->first + 1) % room;
  --queue->count;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
  return item;
}

static void must(lua_State* lua, int status) {
  if (status == LUA_OK) return;
  fprintf(stderr, "%s\n", lua_tostring(lua, -1));
  exit(1);
}

// Calls a function of the script with one string; its result is on the stack.
static const char* call(lua_State* lua, const char* function, const char* argument) {
  lua_getglobal(lua, function);
  lua_pushstring(lua, argument);
  must(lua, lua_pcall(lua, 1, 1, 0));
  return lua_tostring(lua, -1);
}

// shared(text): the function `common` of the script, in the state that all threads share.
static int call_shared(lua_State* lua) {
  const char* argument = luaL_checkstring(lua, 1);
  pthread_mutex_lock(&shared_lock);
  lua_pushstring(lua, call(shared_state, "common", argument));
  lua_pop(shared_state, 1);
  pthread_mutex_unlock(&shared_lock);
  return 1;
}

static lua_State* new_state(void) {
  lua_State* lua = luaL_newstate();
  luaL_openlibs(lua);
  lua_register(lua, "shared", call_shared);
  must(lua, luaL_loadbufferx(lua, script.bytes, script.size, "script", "b"));
  must(lua, lua_pcall(lua, 0, 0, 0));
  return lua;
}

static void* worker(void* unused) {
  (void)unused;
  lua_State* lua = new_state();
  char* job = take(&jobs);
  while (*job) {
    put(&results, call(lua, "work", job));
    lua_pop(lua, 1);
    free(job);
    job = take(&jobs);
  }
  free(job);
  lua_close(lua);
  return NULL;
}

static void* producer(void* count) {
  char text[32];
  for (int job = 1; job <= *(int*)count; ++job) {
    snprintf(text, sizeof text, "%d", job);
    put(&jobs, text);
  }
  return NULL;
}

static int append(lua_State* lua, const void* bytes, size_t size, void* unused) {
  (void)lua, (void)unused;
  script.bytes = realloc(script.bytes, script.size + size);
  memcpy(script.bytes + script.size, bytes, size);
  script.size += size;
  return 0;
}

static void compile(const char* file) {
  lua_State* lua = luaL_newstate();
  must(lua, luaL_loadfile(lua, file));
  lua_dump(lua, append, NULL, 0);
  lua_close(lua);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s SCRIPT THREADS JOBS\n", argv[0]);
    return 2;
  }
  int thread_count = atoi(argv[2]), job_count = atoi(argv[3]);
  compile(argv[1]);
  shared_state = new_state();

  pthread_t* threads = calloc((size_t)thread_count + 1, sizeof *threads);
  for (int i = 0; i < thread_count; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  pthread_create(&threads[thread_count], NULL, producer, &job_count);

  lua_State* lua = new_state();
  for (int i = 0; i < job_count; ++i) {
    char* result = take(&results);
    call(lua, "collect", result);
    lua_pop(lua, 1);
    free(result);
  }
  for (int i = 0; i < thread_count; ++i) put(&jobs, "");
  for (int i = 0; i <= thread_count; ++i) pthread_join(threads[i], NULL);
  printf("%s\n%s\n", call(lua, "finish", ""), call(shared_state, "finish", ""));
  lua_close(lua);
  lua_close(shared_state);
  free(threads);
  free(script.bytes);
  return 0;
}
