/* What both oracles share: records in, answers out, and the neutral JSON of test/vectors/values.jsonl.
 *
 *   question   0         4      5
 *              ┌─────────┬──────┬─ ─ ─ ─
 *              │ length  │ kind │ bytes          length counts kind and bytes; all numbers little-endian
 *              └─────────┴──────┴─ ─ ─ ─
 *   answer     0         1      2        4            8          12
 *              ┌─────────┬──────┬────────┬────────────┬──────────┬─ ─ ─ ─
 *              │ verdict │ 0    │ reason │ bytes left │ length   │ text or bytes
 *              └─────────┴──────┴────────┴────────────┴──────────┴─ ─ ─ ─
 *
 * A reason is a number; the first answer that uses it carries its text, so that a million answers carry fifty texts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERDICT_OK = 0, VERDICT_BAD = 1, VERDICT_MORE = 2 };
enum { ANSWER_HEAD = 12, FLUSH_AT = 1 << 18, REASONS = 512 };

typedef struct { uint8_t *bytes; size_t length, room; } Buffer;

static void die(const char *why) {
  fprintf(stderr, "oracle: %s\n", why);
  exit(1);
}

static uint8_t *reserve(Buffer *b, size_t more) {
  if (b->length + more > b->room) {
    b->room = (b->length + more) * 2;
    b->bytes = realloc(b->bytes, b->room);
    if (b->bytes == NULL) die("out of memory");
  }
  return b->bytes + b->length;
}

static void put(Buffer *b, const void *bytes, size_t n) {
  if (n > 0) memcpy(reserve(b, n), bytes, n);
  b->length += n;
}

static void put_text(Buffer *b, const char *text) { put(b, text, strlen(text)); }

static uint32_t load_u32(const uint8_t *p, int big) {
  return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
             : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void store_u32(uint8_t *p, uint32_t v, int big) {
  for (int i = 0; i < 4; i++) p[big ? 3 - i : i] = (uint8_t)(v >> 8 * i);
}

/* JSON. Text is UTF-8 that its library has accepted. */

static void put_string(Buffer *b, const char *text) {
  char escape[8];
  const char *from = text, *p = text;
  put(b, "\"", 1);
  for (; *p != 0; p++) {
    unsigned char c = (unsigned char)*p;
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    put(b, from, (size_t)(p - from));
    put(b, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
    from = p + 1;
  }
  put(b, from, (size_t)(p - from));
  put(b, "\"", 1);
}

static void put_text_or_null(Buffer *b, const char *text) {
  if (text == NULL) put_text(b, "null");
  else put_string(b, text);
}

static void put_hex(Buffer *b, const uint8_t *bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  put(b, "\"", 1);
  uint8_t *to = reserve(b, 2 * n);
  for (size_t i = 0; i < n; i++) {
    *to++ = (uint8_t)digits[bytes[i] >> 4];
    *to++ = (uint8_t)digits[bytes[i] & 15];
  }
  b->length += 2 * n;
  put(b, "\"", 1);
}

/* ["i",-5]; 64-bit numbers as text ["x","-5"]; doubles by their bits ["d","3ff0000000000000"]. */
static void put_number(Buffer *b, char type, long long v) {
  char text[48];
  const char *form = type == 'x' ? "[\"%c\",\"%lld\"]" : "[\"%c\",%lld]";
  put(b, text, (size_t)snprintf(text, sizeof text, form, type, v));
}

static void put_uint64(Buffer *b, unsigned long long v) {
  char text[48];
  put(b, text, (size_t)snprintf(text, sizeof text, "[\"t\",\"%llu\"]", v));
}

static void put_double(Buffer *b, double v) {
  char text[48];
  unsigned long long bits;
  memcpy(&bits, &v, 8);
  put(b, text, (size_t)snprintf(text, sizeof text, "[\"d\",\"%016llx\"]", bits));
}

static void put_typed_string(Buffer *b, char type, const char *text) {
  char head[] = "[\"s\",";
  head[2] = type;
  put_text(b, head);
  put_string(b, text);
  put(b, "]", 1);
}

/* Header facts in the order of values.jsonl; UINT64_MAX stands for "absent". */
typedef struct {
  const char *path, *interface, *member, *error, *destination, *sender, *signature;
  uint32_t serial;
  uint64_t reply_serial, unix_fds;
} Header;

static void put_header(Buffer *b, const uint8_t *m, const Header *h) {
  char text[96];
  put(b, text, (size_t)snprintf(text, sizeof text,
    "{\"endian\":\"%c\",\"type\":%u,\"flags\":%u,\"version\":%u,\"serial\":%u,\"path\":", m[0], m[1], m[2], m[3], h->serial));
  put_text_or_null(b, h->path);
  put_text(b, ",\"interface\":");
  put_text_or_null(b, h->interface);
  put_text(b, ",\"member\":");
  put_text_or_null(b, h->member);
  put_text(b, ",\"error\":");
  put_text_or_null(b, h->error);
  if (h->reply_serial == UINT64_MAX) put_text(b, ",\"reply_serial\":null");
  else put(b, text, (size_t)snprintf(text, sizeof text, ",\"reply_serial\":%u", (unsigned)h->reply_serial));
  put_text(b, ",\"destination\":");
  put_text_or_null(b, h->destination);
  put_text(b, ",\"sender\":");
  put_text_or_null(b, h->sender);
  put_text(b, ",\"signature\":");
  put_string(b, h->signature);
  if (h->unix_fds == UINT64_MAX) put_text(b, ",\"unix_fds\":null");
  else put(b, text, (size_t)snprintf(text, sizeof text, ",\"unix_fds\":%u", (unsigned)h->unix_fds));
  put_text(b, ",\"body\":");
}

/* Answers. */

static Buffer out;
static char *reasons[REASONS];

static void flush_answers(void) {
  for (size_t done = 0; done < out.length;) {
    ssize_t n = write(1, out.bytes + done, out.length - done);
    if (n <= 0) exit(0); /* the asker is gone */
    done += (size_t)n;
  }
  out.length = 0;
}

static void answer(uint8_t verdict, const char *reason, uint32_t left, const void *bytes, size_t n) {
  uint8_t head[ANSWER_HEAD] = { verdict };
  if (reason != NULL) {
    int i = 1;
    while (i < REASONS && reasons[i] != NULL && strcmp(reasons[i], reason) != 0) i++;
    if (i == REASONS) i--; /* texts with names in them: the last number is re-used, its text sent each time */
    if (reasons[i] == NULL || i == REASONS - 1) {
      free(reasons[i]);
      reasons[i] = strdup(reason);
      bytes = reasons[i];
      n = strlen(reasons[i]);
    }
    head[2] = (uint8_t)i;
    head[3] = (uint8_t)(i >> 8);
  }
  store_u32(head + 4, left, 0);
  store_u32(head + 8, (uint32_t)n, 0);
  put(&out, head, ANSWER_HEAD);
  put(&out, bytes, n);
  if (out.length >= FLUSH_AT) flush_answers();
}

/* Calls `ask` for each record until standard input ends. The bytes may be changed in place; one byte past them is free. */
static int serve(void (*ask)(uint8_t kind, uint8_t *bytes, uint32_t length)) {
  Buffer in = { 0 };
  size_t at = 0;
  for (;;) {
    while (in.length - at >= 4) {
      uint32_t length = load_u32(in.bytes + at, 0);
      if (length == 0) die("a record without a kind");
      if (in.length - at - 4 < length) break;
      uint8_t *record = in.bytes + at + 4;
      uint8_t after = record[length];
      ask(record[0], record + 1, length - 1);
      record[length] = after;
      at += 4 + (size_t)length;
    }
    if (at > 0) memmove(in.bytes, in.bytes + at, in.length - at);
    in.length -= at;
    at = 0;
    flush_answers();
    ssize_t n = read(0, reserve(&in, FLUSH_AT + 1), FLUSH_AT);
    if (n < 0) die("cannot read");
    if (n == 0) return in.length == 0 ? 0 : 1;
    in.length += (size_t)n;
  }
}
