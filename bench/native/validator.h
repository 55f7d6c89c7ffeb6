#ifndef BENCH_VALIDATOR_H
#define BENCH_VALIDATOR_H

#include <stddef.h>
#include <stdint.h>

void validator_init(void);

// 0 when the bytes are one whole valid message.
int validator_check(const uint8_t *bytes, size_t length);

#endif
