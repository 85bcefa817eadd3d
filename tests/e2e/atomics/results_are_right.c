// RUN: %e2e %s
// Instrumented atomics compute what the plain program computes: results and returned old values of each
// operation.
#include "e2e.h"

#define CHECK(type)                                                                                          \
  do {                                                                                                       \
    static type x = 12;                                                                                      \
    type e = 5;                                                                                              \
    require(__atomic_fetch_add(&x, (type)3, __ATOMIC_SEQ_CST) == 12 && x == 15, "add " #type);               \
    require(__atomic_fetch_sub(&x, (type)5, __ATOMIC_ACQUIRE) == 15 && x == 10, "sub " #type);               \
    require(__atomic_fetch_and(&x, (type)6, __ATOMIC_RELEASE) == 10 && x == 2, "and " #type);                \
    require(__atomic_fetch_or(&x, (type)8, __ATOMIC_ACQ_REL) == 2 && x == 10, "or " #type);                  \
    require(__atomic_fetch_xor(&x, (type)3, __ATOMIC_RELAXED) == 10 && x == 9, "xor " #type);                \
    require(__atomic_fetch_nand(&x, (type)1, __ATOMIC_RELAXED) == 9 && x == (type)~1, "nand " #type);        \
    __atomic_store_n(&x, (type) - 3, __ATOMIC_SEQ_CST);                                                      \
    require(__atomic_fetch_min(&x, (type) - 5, __ATOMIC_SEQ_CST) == (type) - 3 && x == (type) - 5,           \
            "min " #type);                                                                                   \
    require(__atomic_fetch_max(&x, (type)4, __ATOMIC_SEQ_CST) == (type) - 5, "max " #type);                  \
    require(x == ((type) - 1 < 0 ? (type)4 : (type) - 5), "signedness " #type);                              \
    require(!__atomic_compare_exchange_n(&x, &e, (type)1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED),            \
            "cas " #type);                                                                                   \
    require(e == x, "cas returns the value " #type);                                                         \
    require(__atomic_compare_exchange_n(&x, &e, (type)1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED),             \
            "cas " #type);                                                                                   \
    require(__atomic_exchange_n(&x, (type)9, __ATOMIC_SEQ_CST) == 1 &&                                       \
                __atomic_load_n(&x, __ATOMIC_SEQ_CST) == 9,                                                  \
            "exchange " #type);                                                                              \
  } while (0)

int main(void) {
  CHECK(signed char);
  CHECK(unsigned char);
  CHECK(short);
  CHECK(unsigned short);
  CHECK(int);
  CHECK(unsigned);
  CHECK(long);
  CHECK(unsigned long);
}
