// The line protocol of drive/worker.js for a C program: a library is three functions, the rest is here.
#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include "values.h"

struct library {
  // Builds the message from C values and marshals it. With `bytes`, gives a malloc'ed copy of the result: only when checked.
  void (*encode)(const struct message *message, uint8_t **bytes, size_t *length);
  // From bytes, validated, every value read; returns what values_sum does.
  uint64_t (*decode)(const uint8_t *bytes, size_t length);
  // From bytes only; 0 is valid.
  int (*validate)(const uint8_t *bytes, size_t length);
};

// argv[1] is the folder of the messages: ROW.once.LE, ROW.rotation.LE, ROW.once.BE, ROW.rotation.BE; each message is preceded by
// its length in 4 bytes (little-endian) and 4 bytes of zero, and followed by zeros up to a multiple of 8.
int protocol_run(int argc, char **argv, const struct library *library);

#endif
