// A one-pass validator of our own, as a measure of what validation has to cost: every rule of the specification as libdbus
// applies them, no allocation, nothing built, no value returned. The practical limit for codec.validate(). Plain C looks at
// texts eight bytes at a time; with -DVALIDATOR_SSE2 it is sixteen, which is printed beside it.
#include "validator.h"

#include <string.h>

#ifdef VALIDATOR_SSE2
#include <emmintrin.h>
#endif

enum { MAX_ARRAY = 1 << 26, MAX_MESSAGE = 1 << 27, MAX_NESTING = 32, MAX_DEPTH = 64 };

struct reader {
  const uint8_t *bytes;
  size_t at, end;
  int swap;
};

// Character classes.
enum { LETTER = 1, DIGIT = 2, DASH = 4, BASIC = 8, FIXED = 16 };

static uint8_t class_of[256], size_of[256], alignment_of[256];

void validator_init(void) {
  for (int c = 'a'; c <= 'z'; c++) class_of[c] = class_of[c - 32] = LETTER;
  for (int c = '0'; c <= '9'; c++) class_of[c] = DIGIT;
  class_of['_'] = LETTER;
  class_of['-'] = DASH;
  for (const char *s = "ybnqiuxtdsogh"; *s; s++) class_of[(uint8_t)*s] |= BASIC;
  for (const char *s = "y1n2q2b4i4u4h4x8t8d8"; *s; s += 2) {
    class_of[(uint8_t)*s] |= FIXED;
    size_of[(uint8_t)*s] = alignment_of[(uint8_t)*s] = s[1] - '0';
  }
  for (const char *s = "s4o4a4g1v1(8{8"; *s; s += 2) alignment_of[(uint8_t)*s] = s[1] - '0';
}

static inline uint32_t load32(const struct reader *r, size_t at) {
  uint32_t n;
  memcpy(&n, r->bytes + at, 4);
  return r->swap ? __builtin_bswap32(n) : n;
}

// Moves to the next multiple of the alignment over zero bytes, and says whether `size` more bytes are there.
static inline int take(struct reader *r, size_t alignment, size_t size) {
  const size_t start = (r->at + alignment - 1) & ~(alignment - 1);
  if (start > r->end || size > r->end - start) return 0;
  for (; r->at < start; r->at++)
    if (r->bytes[r->at]) return 0;
  return 1;
}

// The number of complete types in a signature, or -1.
static int check_signature(const uint8_t *s, size_t n) {
  uint8_t open[2 * MAX_NESTING], members[2 * MAX_NESTING + 1] = {0};
  int depth = 0, arrays = 0, structs = 0, dicts = 0, types = 0;
  for (size_t i = 0; i < n; i++) {
    const uint8_t c = s[i];
    const int is_key = depth && open[depth - 1] == '{' && members[depth] == 0;
    switch (c) {
    case 'a':
      if (++arrays > MAX_NESTING || is_key) return -1;
      continue;
    case '(':
      if (++structs > MAX_NESTING || is_key) return -1;
      break;
    case '{':
      if (++dicts > MAX_NESTING || arrays == 0) return -1;
      break;
    case ')':
      if (arrays || depth == 0 || open[depth - 1] != '(' || members[depth] == 0) return -1;
      structs--;
      depth--;
      goto complete;
    case '}':
      if (arrays || depth == 0 || open[depth - 1] != '{' || members[depth] != 2) return -1;
      dicts--;
      depth--;
      goto complete;
    default:
      if (!(class_of[c] & BASIC) && (c != 'v' || is_key)) return -1;
      arrays = 0;
      goto complete;
    }
    arrays = 0;
    open[depth++] = c;
    members[depth] = 0;
    continue;
  complete:
    if (depth == 0) types++;
    else members[depth]++;
  }
  return depth || arrays ? -1 : types;
}

// The first byte after the complete type at `s`.
static const uint8_t *skip_type(const uint8_t *s) {
  while (*s == 'a') s++;
  if (*s != '(' && *s != '{') return s + 1;
  for (int depth = 0;; s++) {
    if (*s == '(' || *s == '{') depth++;
    else if ((*s == ')' || *s == '}') && --depth == 0) return s + 1;
  }
}

// Strict UTF-8 without NUL: no overlong forms, no surrogates, nothing over U+10FFFF.
static int check_utf8(const uint8_t *s, size_t n) {
  const uint8_t *end = s + n;
  while (s < end) {
#ifdef VALIDATOR_SSE2
    const __m128i zero = _mm_setzero_si128();
    while (end - s >= 64) {
      const __m128i a = _mm_loadu_si128((const __m128i *)s), b = _mm_loadu_si128((const __m128i *)(s + 16));
      const __m128i c = _mm_loadu_si128((const __m128i *)(s + 32)), d = _mm_loadu_si128((const __m128i *)(s + 48));
      // As signed bytes, NUL and everything beyond ASCII are the ones not over zero.
      const __m128i least = _mm_and_si128(_mm_and_si128(_mm_cmpgt_epi8(a, zero), _mm_cmpgt_epi8(b, zero)),
                                          _mm_and_si128(_mm_cmpgt_epi8(c, zero), _mm_cmpgt_epi8(d, zero)));
      if (_mm_movemask_epi8(least) != 0xffff) break;
      s += 64;
    }
    while (end - s >= 16 && _mm_movemask_epi8(_mm_cmpgt_epi8(_mm_loadu_si128((const __m128i *)s), zero)) == 0xffff) s += 16;
#endif
    while (end - s >= 8) {
      uint64_t w;
      memcpy(&w, s, 8);
      if ((w | (w - 0x0101010101010101u)) & 0x8080808080808080u) break;
      s += 8;
    }
    while (s < end && (int8_t)*s > 0) s++;
    while (s < end && *s >= 0x80) {
      const uint8_t a = *s;
      if (a < 0xc2) return 0;
      if (a < 0xe0) {
        if (end - s < 2 || (s[1] & 0xc0) != 0x80) return 0;
        s += 2;
      } else if (a < 0xf0) {
        if (end - s < 3 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80) return 0;
        if ((a == 0xe0 && s[1] < 0xa0) || (a == 0xed && s[1] > 0x9f)) return 0;
        s += 3;
      } else {
        if (a > 0xf4 || end - s < 4 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 || (s[3] & 0xc0) != 0x80) return 0;
        if ((a == 0xf0 && s[1] < 0x90) || (a == 0xf4 && s[1] > 0x8f)) return 0;
        s += 4;
      }
    }
    if (s < end && *s == 0) return 0;
  }
  return 1;
}

static int check_path(const uint8_t *s, size_t n) {
  if (n == 0 || s[0] != '/') return 0;
  if (n == 1) return 1;
  int slash = 1;
  for (size_t i = 1; i < n; i++) {
    if (class_of[s[i]] & (LETTER | DIGIT)) slash = 0;
    else if (s[i] == '/' && !slash) slash = 1;
    else return 0;
  }
  return !slash;
}

// Elements of the allowed classes split by dots; `first` are those that may stand first in an element.
static int check_elements(const uint8_t *s, size_t n, int first, int rest) {
  int dots = 0, start = 1;
  if (n == 0 || n > 255) return 0;
  for (size_t i = 0; i < n; i++) {
    if (class_of[s[i]] & (start ? first : rest)) start = 0;
    else if (s[i] == '.' && !start) {
      start = 1;
      dots++;
    } else return 0;
  }
  return dots > 0 && !start;
}

static int check_interface(const uint8_t *s, size_t n) { return check_elements(s, n, LETTER, LETTER | DIGIT); }

static int check_member(const uint8_t *s, size_t n) {
  if (n == 0 || n > 255 || !(class_of[s[0]] & LETTER)) return 0;
  for (size_t i = 1; i < n; i++)
    if (!(class_of[s[i]] & (LETTER | DIGIT))) return 0;
  return 1;
}

static int check_bus_name(const uint8_t *s, size_t n) {
  const int all = LETTER | DIGIT | DASH;
  if (n && s[0] == ':') return n <= 255 && check_elements(s + 1, n - 1, all, all);
  return check_elements(s, n, LETTER | DASH, all);
}

static int check_text(struct reader *r, uint8_t type) {
  if (!take(r, 4, 4)) return 0;
  const size_t n = load32(r, r->at);
  r->at += 4;
  if (n >= r->end - r->at || r->bytes[r->at + n]) return 0;
  if (type == 's' ? !check_utf8(r->bytes + r->at, n) : !check_path(r->bytes + r->at, n)) return 0;
  r->at += n + 1;
  return 1;
}

// A signature value; `types` is the number of complete types.
static int check_signature_value(struct reader *r, const uint8_t **signature, int *types) {
  if (r->at >= r->end) return 0;
  const size_t n = r->bytes[r->at];
  if (n + 2 > r->end - r->at || r->bytes[r->at + n + 1]) return 0;
  *signature = r->bytes + r->at + 1;
  // One basic type is by far the most frequent signature of a variant.
  *types = n == 1 && class_of[**signature] & BASIC ? 1 : check_signature(*signature, n);
  r->at += n + 2;
  return *types >= 0;
}

static const uint8_t *check_value(struct reader *r, const uint8_t *type, int depth);

static int check_variant(struct reader *r, int depth) {
  const uint8_t *signature;
  int types;
  return check_signature_value(r, &signature, &types) && types == 1 && check_value(r, signature, depth + 1) != NULL;
}

static int check_array(struct reader *r, const uint8_t *element, int depth) {
  if (!take(r, 4, 4)) return 0;
  const size_t n = load32(r, r->at);
  r->at += 4;
  if (n > MAX_ARRAY || !take(r, alignment_of[*element], n)) return 0;
  const size_t end = r->at + n;
  if (class_of[*element] & FIXED) {
    if (n & (size_of[*element] - 1)) return 0;
    if (*element == 'b')
      for (size_t at = r->at; at < end; at += 4)
        if (load32(r, at) > 1) return 0;
    r->at = end;
    return 1;
  }
  if (n == 0) return 1;
  if (depth + 1 > MAX_DEPTH) return 0;
  const size_t outer = r->end;
  r->end = end;
  while (r->at < end)
    if (!check_value(r, element, depth + 1)) return 0;
  r->end = outer;
  return 1;
}

// Checks one value; gives the type after it, NULL when the value is not valid.
static const uint8_t *check_value(struct reader *r, const uint8_t *type, int depth) {
  if (depth > MAX_DEPTH) return NULL;
  switch (*type) {
  case 's': case 'o': return check_text(r, *type) ? type + 1 : NULL;
  case 'v': return check_variant(r, depth) ? type + 1 : NULL;
  case 'a':
    return check_array(r, type + 1, depth) ? skip_type(type) : NULL;
  case '(': case '{':
    if (depth + 1 > MAX_DEPTH || !take(r, 8, 1)) return NULL;
    for (type++; *type != ')' && *type != '}';)
      if (!(type = check_value(r, type, depth + 1))) return NULL;
    return type + 1;
  case 'g': {
    const uint8_t *signature;
    int types;
    return check_signature_value(r, &signature, &types) ? type + 1 : NULL;
  }
  default: {
    const size_t size = size_of[*type];
    if (!take(r, size, size) || (*type == 'b' && load32(r, r->at) > 1)) return NULL;
    r->at += size;
    return type + 1;
  }
  }
}

static int is(const uint8_t *s, size_t n, const char *text) { return n == strlen(text) && memcmp(s, text, n) == 0; }

struct header {
  uint32_t seen;
  const uint8_t *signature;
  size_t signature_length;
};

// One header field, already aligned: code, and a variant.
static int check_field(struct reader *r, struct header *h) {
  static const uint8_t TYPES[10] = {0, 'o', 's', 's', 's', 'u', 's', 's', 'g', 'u'};
  const size_t start = r->at;
  const uint8_t code = r->bytes[r->at++];
  if (!check_variant(r, 2) || code == 0) return 0;
  if (code > 9) return 1;
  if (r->bytes[start + 1] != 1 || r->bytes[start + 2] != TYPES[code] || h->seen & 1u << code) return 0;
  h->seen |= 1u << code;
  const uint8_t *text = r->bytes + start + 8;
  const size_t n = code == 8 ? r->bytes[start + 4] : load32(r, start + 4);
  switch (code) {
  case 1: return !is(text, n, "/org/freedesktop/DBus/Local");
  case 2: return !is(text, n, "org.freedesktop.DBus.Local") && check_interface(text, n);
  case 3: return check_member(text, n);
  case 4: return check_interface(text, n);
  case 5: return n != 0;
  case 6: case 7: return check_bus_name(text, n);
  case 8:
    h->signature = r->bytes + start + 5;
    h->signature_length = n;
    return 1;
  default: return 1;
  }
}

int validator_check(const uint8_t *bytes, size_t length) {
  // Required header fields by message type: call PATH MEMBER, return REPLY_SERIAL, error ERROR_NAME REPLY_SERIAL,
  // signal PATH INTERFACE MEMBER.
  static const uint32_t REQUIRED[5] = {0, 1 << 1 | 1 << 3, 1 << 5, 1 << 4 | 1 << 5, 1 << 1 | 1 << 2 | 1 << 3};
  const uint16_t one = 1;
  if (length < 16 || (bytes[0] != 'l' && bytes[0] != 'B')) return 1;
  struct reader r = {bytes, 16, length, (bytes[0] == 'l') != *(const uint8_t *)&one};
  const size_t body = load32(&r, 4), fields = load32(&r, 12);
  if (fields > MAX_ARRAY || body > MAX_MESSAGE) return 1;
  const size_t header_end = 16 + ((fields + 7) & ~(size_t)7);
  if (header_end + body > MAX_MESSAGE || header_end + body != length) return 1;
  if (bytes[1] == 0 || bytes[3] != 1 || load32(&r, 8) == 0) return 1;
  struct header h = {0};
  r.end = 16 + fields;
  while (r.at < r.end)
    if (!take(&r, 8, 1) || !check_field(&r, &h)) return 1;
  r.end = length;
  if (!take(&r, 8, 0)) return 1;
  if (bytes[1] <= 4 && (h.seen & REQUIRED[bytes[1]]) != REQUIRED[bytes[1]]) return 1;
  r.at = header_end;
  const uint8_t *type = h.signature, *type_end = h.signature + h.signature_length;
  while (type < type_end)
    if (!(type = check_value(&r, type, 0))) return 1;
  return r.at != length;
}
