// The parts of libstdc++'s containers that are code of libstdc++.so: links of lists and of red-black trees (std::list, map, set and their multi kinds), and the
// hash of bytes. What the header does itself is checked in the program; without these, a lookup during an insertion would meet the new links unseen.
// Layouts are part of libstdc++'s ABI. Writes only, of what changes the tree: whoever else changes it also writes the number of its nodes, in the header.
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/cxx_lookup.h"

using namespace footrace;

namespace {

// What the caller of the interceptor does to memory; nothing if it is not judged.
class Checks {
public:
  explicit Checks(Caller caller) : t_(checked_caller(caller)), caller_(caller) {}
  bool are_made() const { return t_; }
  template <class T> T read(const T& field) {
    if (t_) check_read(t_, caller_, &field, sizeof(T));
    return field;
  }
  template <class T> void write(T& field) {
    if (t_) check_write(t_, caller_, &field, sizeof(T));
  }
  void read_bytes(const void* data, u64 size) {
    if (t_ && size) check_read(t_, caller_, data, size);
  }

private:
  Thread* t_;
  Caller caller_;
};

// -- Lists

struct ListNode {
  ListNode *next, *previous;
};

void check_hook(Checks checks, ListNode* node, ListNode* before) {
  checks.write(*node);
  checks.write(checks.read(before->previous)->next);
  checks.write(before->previous);
}
void check_unhook(Checks checks, ListNode* node) {
  ListNode *next = checks.read(node->next), *previous = checks.read(node->previous);
  checks.write(previous->next);
  checks.write(next->previous);
}
// [first, last) goes from its list to before `to`.
void check_transfer(Checks checks, ListNode* to, ListNode* first, ListNode* last) {
  if (to == last) return;
  ListNode* const places[] = {to, first, last};
  for (ListNode* place : places) {
    checks.write(checks.read(place->previous)->next);
    checks.write(place->previous);
  }
}
void check_reverse(Checks checks, ListNode* list) {
  ListNode* node = list;
  do {
    checks.write(*node);
    node = node->next;
  } while (node != list);
}
// The heads change places: so do the links of their neighbours.
void check_list_swap(Checks checks, ListNode* a, ListNode* b) {
  ListNode* const lists[] = {a, b};
  for (ListNode* list : lists) {
    if (checks.read(list->next) != list) {
      checks.write(list->next->previous);
      checks.write(checks.read(list->previous)->next);
    }
    checks.write(*list);
  }
}

// -- Trees. The header is a node too: its parent is the root, left and right are the ends.

enum class Color : u32 { Red, Black };
struct TreeNode {
  Color color;
  TreeNode *parent, *left, *right;
};

bool is_black(const TreeNode* node) { return !node || node->color == Color::Black; }

TreeNode* tree_next(Checks checks, TreeNode* x) {
  if (TreeNode* right = checks.read(x->right)) {
    while (TreeNode* left = checks.read(right->left)) right = left;
    return right;
  }
  TreeNode* y = checks.read(x->parent);
  while (x == checks.read(y->right)) {
    x = y;
    y = checks.read(y->parent);
  }
  return x->right != y ? y : x; // x is the header, and the root is the last node
}

TreeNode* tree_previous(Checks checks, TreeNode* x) {
  if (checks.read(x->color) == Color::Red && checks.read(checks.read(x->parent)->parent) == x)
    return checks.read(x->right); // x is the header
  if (TreeNode* left = checks.read(x->left)) {
    while (TreeNode* right = checks.read(left->right)) left = right;
    return left;
  }
  TreeNode* y = checks.read(x->parent);
  while (x == checks.read(y->left)) {
    x = y;
    y = checks.read(y->parent);
  }
  return y;
}

// Nodes that a change of a tree may touch, as they were before. No more than those around one rotation: further up, only colors change.
class TreeChange {
public:
  explicit TreeChange(Checks checks) : checks_(checks) {}

  void add(TreeNode* node) {
    if (!node || count_ == kMost) return;
    for (u32 i = 0; i < count_; ++i)
      if (nodes_[i] == node) return;
    nodes_[count_] = node;
    before_[count_++] = *node;
  }
  void add_below(TreeNode* node, u32 levels) {
    if (!node) return;
    add(node);
    if (!levels) return;
    add_below(node->left, levels - 1);
    add_below(node->right, levels - 1);
  }
  void recolor(TreeNode* node) { checks_.write(node->color); }

  // To be called when the change was made.
  void check() {
    for (u32 i = 0; i < count_; ++i) {
      TreeNode &now = *nodes_[i], &before = before_[i];
      if (now.color != before.color) checks_.write(now.color);
      if (now.parent != before.parent) checks_.write(now.parent);
      if (now.left != before.left) checks_.write(now.left);
      if (now.right != before.right) checks_.write(now.right);
    }
  }

private:
  static constexpr u32 kMost = 32;
  Checks checks_;
  TreeNode* nodes_[kMost];
  TreeNode before_[kMost];
  u32 count_ = 0;
};

// `node` is to be a child of `parent`: colors change until a node has a black uncle, and there the tree is turned.
void follow_insert(TreeChange& change, TreeNode* node, TreeNode* parent, TreeNode* header) {
  change.add(node);
  change.add(parent);
  change.add(header);
  bool is_linked = false; // a new node has no links yet
  while (parent != header && parent->color == Color::Red) {
    TreeNode* const above = parent->parent;
    TreeNode* const uncle = parent == above->left ? above->right : above->left;
    if (is_black(uncle)) {
      change.add(above->parent);
      change.add(above);
      change.add_below(parent, 1);
      if (is_linked) change.add_below(node, 1);
      return;
    }
    change.recolor(parent);
    change.recolor(uncle);
    change.recolor(above);
    node = above;
    parent = above->parent;
    is_linked = true;
  }
}

// `node` is to go. If it has two children, its successor goes to its place; what remains there is one node short of black
// ones: colors change upwards as long as all around is black, and then the tree is turned.
void follow_erase(TreeChange& change, TreeNode* node, TreeNode* header) {
  TreeNode* gone = node;
  if (node->left && node->right)
    for (gone = node->right; gone->left;) gone = gone->left;
  TreeNode* rest = gone->left ? gone->left : gone->right;
  TreeNode* const touched[] = {header, node, node->parent, node->left, node->right, gone, gone->parent, rest};
  for (TreeNode* each : touched) change.add(each);
  if (gone->color == Color::Red) return;
  TreeNode* place = gone; // which `rest` gets
  for (TreeNode* above = gone->parent; above != header && is_black(rest); above = above->parent) {
    TreeNode* const sibling = above->left == place ? above->right : above->left;
    if (!sibling) return;
    if (sibling->color == Color::Red || !is_black(sibling->left) || !is_black(sibling->right)) {
      change.add(above->parent);
      change.add(above);
      change.add_below(sibling, 3);
      return;
    }
    change.recolor(sibling);
    place = rest = above;
  }
  change.add(rest);
}

} // namespace

// -- The functions, by their names in libstdc++.so

#define FR_CONTAINER_FUNCTION(ret, name, parameters, arguments, check)                                       \
  FR_REPLACEMENT(ret, name, FR_UNPACK parameters) {                                                          \
    static ret (*real)(FR_UNPACK parameters);                                                                \
    Checks checks(FR_CALLER());                                                                              \
    if (checks.are_made()) check;                                                                            \
    if (!real) real = real_cxx<ret(FR_UNPACK parameters)>(#name, FR_CALLER_PC());                            \
    return real arguments;                                                                                   \
  }
#define FR_UNPACK(...) __VA_ARGS__

FR_CONTAINER_FUNCTION(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_, (ListNode * node, ListNode* before),
                      (node, before), check_hook(checks, node, before))
FR_CONTAINER_FUNCTION(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (ListNode * node), (node),
                      check_unhook(checks, node))
FR_CONTAINER_FUNCTION(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
                      (ListNode * to, ListNode* first, ListNode* last), (to, first, last),
                      check_transfer(checks, to, first, last))
FR_CONTAINER_FUNCTION(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, (ListNode * list), (list),
                      check_reverse(checks, list))
FR_CONTAINER_FUNCTION(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_, (ListNode * a, ListNode* b), (a, b),
                      check_list_swap(checks, a, b))
FR_CONTAINER_FUNCTION(u64, _ZSt11_Hash_bytesPKvmm, (const void* data, u64 size, u64 seed), (data, size, seed),
                      checks.read_bytes(data, size))

FR_REPLACEMENT(TreeNode*, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, TreeNode* node) {
  return tree_next(Checks(FR_CALLER()), node);
}
FR_REPLACEMENT(TreeNode*, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, TreeNode* node) {
  return tree_next(Checks(FR_CALLER()), node);
}
FR_REPLACEMENT(TreeNode*, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, TreeNode* node) {
  return tree_previous(Checks(FR_CALLER()), node);
}
FR_REPLACEMENT(TreeNode*, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, TreeNode* node) {
  return tree_previous(Checks(FR_CALLER()), node);
}

FR_REPLACEMENT(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, bool left,
               TreeNode* node, TreeNode* parent, TreeNode* header) {
  static void (*real)(bool, TreeNode*, TreeNode*, TreeNode*);
  if (!real)
    real = real_cxx<void(bool, TreeNode*, TreeNode*, TreeNode*)>(
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", FR_CALLER_PC());
  Checks checks(FR_CALLER());
  if (!checks.are_made()) return real(left, node, parent, header);
  TreeChange change(checks);
  follow_insert(change, node, parent, header);
  real(left, node, parent, header);
  change.check();
}

FR_REPLACEMENT(TreeNode*, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, TreeNode* node,
               TreeNode* header) {
  static TreeNode* (*real)(TreeNode*, TreeNode*);
  if (!real)
    real = real_cxx<TreeNode*(TreeNode*, TreeNode*)>(
        "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", FR_CALLER_PC());
  Checks checks(FR_CALLER());
  if (!checks.are_made()) return real(node, header);
  TreeChange change(checks);
  follow_erase(change, node, header);
  TreeNode* const erased = real(node, header);
  change.check();
  return erased;
}
