// D-Bus values as plain C data: what the programs here encode from. Read once from the bytes of a message, before any timing.
#ifndef BENCH_VALUES_H
#define BENCH_VALUES_H

#include <stddef.h>
#include <stdint.h>

//   type  what is set
//   y b n q i u h x t   number
//   d                   real
//   s o g               text (ends with NUL), count = its length
//   v                   signature of the content, items[0]
//   ( {                 items, count
//   a                   signature of the element; bulk and count when the element is one of y n q i u x t d, else items and count
struct value {
  char type;
  uint32_t count;
  union {
    uint64_t number;
    double real;
    const char *text;
    struct value *items;
    const void *bulk;
  };
  const char *signature;
};

struct message {
  const uint8_t *bytes;
  size_t length;
  uint8_t type;
  uint8_t flags;
  uint32_t serial;
  uint32_t reply_serial;
  const char *path, *interface, *member, *error_name, *destination, *sender;
  const char *signature; // "" when there is none
  uint32_t count;        // complete types in the body
  struct value *body;
};

// Fills `message` from little-endian bytes that are known to be valid. The texts point into the bytes.
void values_read(struct message *message, const uint8_t *bytes, size_t length);

// 0 when header and body are the same.
int values_compare(const struct message *a, const struct message *b);

// What a decoder that reads every value has to come to: numbers added up, each text and each `ay` by its first byte.
uint64_t values_sum(const struct message *message);

int values_is_bulk(char element); // whether an array of this element is one run of numbers or bytes
size_t values_size(char element); // bytes of a fixed-size element

#endif
