// The shadow call stack and the calling-context tree. A node is (context of the caller, return address),
// hash-consed, so equal stacks have equal ids and a stack costs one node per frame that was never seen in
// that place before. Recursion is folded, or a tree walk would make a context of every path: a call that is twice in
// the stack already goes back to its last occurrence, so a stack shows two rounds of a recursion and both ends. Invariant: a frame's node, if not 0, is the context of the frames from the base up to
// and including it. Concurrency: a Context is its thread's own; the tree is shared (intern_table.h).
#include "runtime/context.h"

#include "base/mapping_cache.h"
#include "runtime/intern_table.h"
#include "runtime/recording.h"
#include "runtime/thread.h"

namespace footrace {
namespace {

struct ContextNode {
  uptr pc;
  ContextId parent;
  ContextId folded; // 0, or the context that stands for this one
  bool same(const ContextNode& other) const { return pc == other.pc && parent == other.parent; }
  u64 hash() const { return mix_hash(pc ^ mix_hash(parent)); }
};

constexpr u32 kMaxContexts = 64u << 20;
InternTable<ContextNode, kMaxContexts> g_contexts;

// A real frame takes at least 16 bytes of stack (return address and alignment), so as many bytes of Frames as
// of stack are enough; an unlimited stack is cut here, and deeper frames are simply not pushed.
constexpr u64 kMinStackBytes = 64u << 10, kMaxStackBytes = 1ull << 30;
constexpr u32 kFirstHeldLocks = 1023;
constexpr u64 kHeldBytes = round_up(kFirstHeldLocks * sizeof(HeldLock) + sizeof(Frame), 4096);

MappingCache
    g_areas; // one per thread: the locks it holds, the frame below the outermost one, then its frames

PlaceNow place_now(ThreadState& state, Frame*) {
  Thread* t = static_cast<Thread*>(&state);
  return {current_context(t), current_lock_set(t)};
}
void forget_own_places(ThreadState& state) { forget_places(static_cast<Thread&>(state).context); }

// A fiber that went to another thread without a word left the top in the stack of the thread that it came from.
bool is_own_top(const Context& c) { return c.top >= c.base && c.top <= c.limit; }

void no_frames(Context& c) {
  c.outside = {};
  c.base = c.top = c.limit = &c.outside + 1;
  c.area = 0;
  c.held = nullptr;
  c.held_count = c.held_capacity = 0;
}

} // namespace

void forget_places(Context& c) {
  if (!is_own_top(c)) return;
  for (Frame* frame = c.base - 1; frame != c.top; ++frame) frame->era = 0;
}

void context_start(Thread* t, u64 stack_bytes) {
  Context& c = t->context;
  no_frames(c);
  const u64 bytes = round_up(max(min(stack_bytes, kMaxStackBytes), kMinStackBytes), 4096);
  c.area_bytes = kHeldBytes + bytes;
  c.area = g_areas.take(c.area_bytes);
  if (c.area) {
    c.held = reinterpret_cast<HeldLock*>(c.area);
    c.base = c.top = reinterpret_cast<Frame*>(c.area + kHeldBytes);
    c.limit = reinterpret_cast<Frame*>(c.area + c.area_bytes);
    c.held_capacity = kFirstHeldLocks;
    c.base[-1] = {};
  }
  t->log.place_now = place_now;
  t->log.forget_places = forget_own_places;
  t->log.take = take_before_turn;
  log_start(*t);
}

void context_finish(Thread* t) {
  log_finish(*t);
  Context& c = t->context;
  if (uptr(c.held) != c.area) unmap_memory(uptr(c.held), c.held_capacity * sizeof(HeldLock));
  if (c.area) g_areas.give_back(c.area, c.area_bytes);
  no_frames(c);
}

namespace {
constexpr u32 kRounds = 2;

// The innermost call of `pc` in the stack if it is there often enough, else 0.
ContextId last_round(ContextId parent, uptr pc) {
  ContextId innermost = 0;
  u32 rounds = 0;
  for (const ContextNode* node; (node = g_contexts.get(parent)); parent = node->parent) {
    if (node->pc != pc) continue;
    if (!innermost) innermost = parent;
    if (++rounds == kRounds) return innermost;
  }
  return 0;
}
} // namespace

ContextId context_below(ContextId parent, uptr pc) {
  ContextNode node = {pc, parent, 0};
  ContextId id = g_contexts.find(node);
  if (!id) {
    node.folded = last_round(parent, pc);
    id = g_contexts.intern(node);
  }
  if (!id) return parent; // the tree is full: a shorter stack is better than none
  ContextId folded = g_contexts.get(id)->folded;
  return folded ? folded : id;
}

namespace {
// The same without the shared table, mostly: calls repeat.
ContextId remembered_below(Context& c, ContextId parent, uptr pc) {
  ContextMemo& memo = context_memo(c, parent, pc);
  if (FR_LIKELY(memo.pc == pc && memo.caller == parent && memo.node)) return memo.node;
  memo = {pc, parent, context_below(parent, pc)};
  return memo.node;
}
} // namespace

ContextId current_context(Thread* t) {
  Context& c = t->context;
  Frame* frame = c.top;
  if (FR_UNLIKELY(!is_own_top(c))) return 0;
  while (frame != c.base && !frame[-1].node) --frame;
  ContextId id = frame == c.base ? 0 : frame[-1].node;
  for (; frame != c.top; ++frame) frame->node = id = remembered_below(c, id, frame->pc);
  return id;
}

// The frames below the call that reached us: a call-out frame names that very call again.
ContextId context_of_callers(Thread* t) {
  Context& c = t->context;
  bool called_out = c.top != c.base && c.top[-1].call_out;
  c.top -= called_out;
  ContextId id = current_context(t);
  c.top += called_out;
  return id;
}

ContextId context_at(Thread* t, uptr pc) {
  if (const ContextId known = known_context_at(t->context, pc)) return known;
  return remembered_below(t->context, context_of_callers(t), pc);
}

u32 context_count() { return g_contexts.count(); }
uptr context_node(ContextId id, ContextId* caller) {
  const ContextNode* node = g_contexts.get(id);
  *caller = node->parent;
  return node->pc;
}

u32 context_frames(ContextId id, uptr* out, u32 capacity) {
  u32 count = 0;
  for (const ContextNode* node; count < capacity && (node = g_contexts.get(id)); id = node->parent)
    out[count++] = node->pc;
  return count;
}

} // namespace footrace
