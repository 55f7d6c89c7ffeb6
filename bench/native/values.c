#include "values.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
  const uint8_t *bytes;
  size_t at;
};

static void align(struct cursor *c, size_t alignment) { c->at = (c->at + alignment - 1) & ~(alignment - 1); }

static uint64_t number(struct cursor *c, size_t size) {
  uint64_t n = 0;
  align(c, size);
  memcpy(&n, c->bytes + c->at, size);
  c->at += size;
  return n;
}

int values_is_bulk(char element) { return element && strchr("ynqiuxtd", element) != NULL; }

size_t values_size(char element) {
  switch (element) {
  case 'y': return 1;
  case 'n': case 'q': return 2;
  case 'x': case 't': case 'd': return 8;
  default: return 4;
  }
}

static size_t alignment_of(char type) {
  switch (type) {
  case 'y': case 'g': case 'v': return 1;
  case 'n': case 'q': return 2;
  case 'x': case 't': case 'd': case '(': case '{': return 8;
  default: return 4;
  }
}

// The length of the complete type at `s`.
static size_t span(const char *s) {
  if (*s == 'a') return 1 + span(s + 1);
  if (*s != '(' && *s != '{') return 1;
  size_t n = 1;
  while (s[n] != ')' && s[n] != '}') n += span(s + n);
  return n + 1;
}

static void read_value(struct cursor *c, const char *type, struct value *value);

static struct value *push(struct value **list, uint32_t *count, uint32_t *room) {
  if (*count == *room) {
    *room = *room ? *room * 2 : 4;
    *list = realloc(*list, *room * sizeof **list);
  }
  return &(*list)[(*count)++];
}

static void read_array(struct cursor *c, const char *element, struct value *value) {
  size_t length = number(c, 4);
  align(c, alignment_of(*element));
  value->signature = strndup(element, span(element));
  if (values_is_bulk(*element)) {
    value->count = length / values_size(*element);
    value->bulk = c->bytes + c->at;
    c->at += length;
    return;
  }
  struct value *items = NULL;
  uint32_t count = 0, room = 0;
  for (size_t end = c->at + length; c->at < end;) read_value(c, element, push(&items, &count, &room));
  value->items = items;
  value->count = count;
}

static void read_struct(struct cursor *c, const char *type, struct value *value) {
  struct value *items = NULL;
  uint32_t count = 0, room = 0;
  align(c, 8);
  for (const char *s = type + 1; *s != ')' && *s != '}'; s += span(s)) read_value(c, s, push(&items, &count, &room));
  value->items = items;
  value->count = count;
}

static void read_value(struct cursor *c, const char *type, struct value *value) {
  memset(value, 0, sizeof *value);
  value->type = *type;
  switch (*type) {
  case 's': case 'o':
    value->count = number(c, 4);
    value->text = (const char *)c->bytes + c->at;
    c->at += value->count + 1;
    return;
  case 'g':
    value->count = number(c, 1);
    value->text = (const char *)c->bytes + c->at;
    c->at += value->count + 1;
    return;
  case 'v': {
    size_t length = number(c, 1);
    value->signature = (const char *)c->bytes + c->at;
    c->at += length + 1;
    value->items = malloc(sizeof *value->items);
    value->count = 1;
    read_value(c, value->signature, value->items);
    return;
  }
  case 'a': read_array(c, type + 1, value); return;
  case '(': case '{': read_struct(c, type, value); return;
  case 'd': {
    uint64_t bits = number(c, 8);
    memcpy(&value->real, &bits, 8);
    return;
  }
  case 'n': value->number = (uint64_t)(int64_t)(int16_t)number(c, 2); return;
  case 'i': value->number = (uint64_t)(int64_t)(int32_t)number(c, 4); return;
  default: value->number = number(c, values_size(*type));
  }
}

static void set_field(struct message *m, uint64_t code, const struct value *value) {
  switch (code) {
  case 1: m->path = value->text; break;
  case 2: m->interface = value->text; break;
  case 3: m->member = value->text; break;
  case 4: m->error_name = value->text; break;
  case 5: m->reply_serial = value->number; break;
  case 6: m->destination = value->text; break;
  case 7: m->sender = value->text; break;
  case 8: m->signature = value->text; break;
  }
}

void values_read(struct message *m, const uint8_t *bytes, size_t length) {
  memset(m, 0, sizeof *m);
  struct cursor c = {bytes, 8};
  m->bytes = bytes;
  m->length = length;
  m->type = bytes[1];
  m->flags = bytes[2];
  m->serial = number(&c, 4);
  m->signature = "";
  struct value fields;
  read_value(&c, "a(yv)", &fields);
  for (uint32_t i = 0; i < fields.count; i++) {
    const struct value *field = fields.items[i].items;
    set_field(m, field[0].number, field[1].items);
  }
  align(&c, 8);
  uint32_t room = 0;
  for (const char *s = m->signature; *s; s += span(s)) read_value(&c, s, push(&m->body, &m->count, &room));
}

static int same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static int same_value(const struct value *a, const struct value *b) {
  if (a->type != b->type || a->count != b->count) return 0;
  switch (a->type) {
  case 's': case 'o': case 'g': return memcmp(a->text, b->text, a->count) == 0;
  case 'v': case '(': case '{': case 'a':
    if (a->signature && strcmp(a->signature, b->signature) != 0) return 0;
    if (a->type == 'a' && values_is_bulk(*a->signature))
      return memcmp(a->bulk, b->bulk, a->count * values_size(*a->signature)) == 0;
    for (uint32_t i = 0; i < a->count; i++)
      if (!same_value(&a->items[i], &b->items[i])) return 0;
    return 1;
  default: return a->number == b->number;
  }
}

int values_compare(const struct message *a, const struct message *b) {
  if (a->type != b->type || a->serial != b->serial || a->reply_serial != b->reply_serial || a->count != b->count) return 1;
  if (!same_text(a->path, b->path) || !same_text(a->interface, b->interface) || !same_text(a->member, b->member)) return 2;
  if (!same_text(a->destination, b->destination) || !same_text(a->sender, b->sender)) return 3;
  if (!same_text(a->signature, b->signature)) return 4;
  for (uint32_t i = 0; i < a->count; i++)
    if (!same_value(&a->body[i], &b->body[i])) return 5;
  return 0;
}

static uint64_t sum_bulk(const struct value *v) {
  uint64_t sum = 0;
  const char element = *v->signature;
  if (v->count == 0) return 0;
  if (element == 'y') return *(const uint8_t *)v->bulk;
  for (uint32_t i = 0; i < v->count; i++) {
    if (element == 'd') sum += (uint64_t)(int64_t)((const double *)v->bulk)[i];
    else if (element == 'u') sum += ((const uint32_t *)v->bulk)[i];
    else if (element == 'i') sum += (uint64_t)(int64_t)((const int32_t *)v->bulk)[i];
  }
  return sum;
}

static uint64_t sum_value(const struct value *v) {
  switch (v->type) {
  case 's': case 'o': case 'g': return (uint8_t)v->text[0];
  case 'd': return (uint64_t)(int64_t)v->real;
  case 'a':
    if (values_is_bulk(*v->signature)) return sum_bulk(v);
    // fall through
  case 'v': case '(': case '{': {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < v->count; i++) sum += sum_value(&v->items[i]);
    return sum;
  }
  default: return v->number;
  }
}

uint64_t values_sum(const struct message *m) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < m->count; i++) sum += sum_value(&m->body[i]);
  return sum;
}
