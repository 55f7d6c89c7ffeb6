// libdbus: the reference implementation, through its public API.
#include <dbus/dbus.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

static void append(DBusMessageIter *iter, const struct value *v);

static void append_array(DBusMessageIter *iter, const struct value *v) {
  DBusMessageIter inner;
  dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, v->signature, &inner);
  if (values_is_bulk(*v->signature)) dbus_message_iter_append_fixed_array(&inner, *v->signature, &v->bulk, v->count);
  else
    for (uint32_t i = 0; i < v->count; i++) append(&inner, &v->items[i]);
  dbus_message_iter_close_container(iter, &inner);
}

static void append(DBusMessageIter *iter, const struct value *v) {
  DBusMessageIter inner;
  switch (v->type) {
  case 'a': append_array(iter, v); return;
  case 'v':
    dbus_message_iter_open_container(iter, DBUS_TYPE_VARIANT, v->signature, &inner);
    append(&inner, v->items);
    dbus_message_iter_close_container(iter, &inner);
    return;
  case '(': case '{':
    dbus_message_iter_open_container(iter, v->type == '(' ? DBUS_TYPE_STRUCT : DBUS_TYPE_DICT_ENTRY, NULL, &inner);
    for (uint32_t i = 0; i < v->count; i++) append(&inner, &v->items[i]);
    dbus_message_iter_close_container(iter, &inner);
    return;
  default:
    // Numbers lie at the front of the union on a little-endian machine, whatever their size; texts as a pointer.
    dbus_message_iter_append_basic(iter, v->type, &v->number);
  }
}

static void encode(const struct message *m, uint8_t **bytes, size_t *length) {
  DBusMessage *message = dbus_message_new(m->type);
  if (m->path) dbus_message_set_path(message, m->path);
  if (m->destination) dbus_message_set_destination(message, m->destination);
  if (m->interface) dbus_message_set_interface(message, m->interface);
  if (m->member) dbus_message_set_member(message, m->member);
  if (m->reply_serial) dbus_message_set_reply_serial(message, m->reply_serial);
  if (m->sender) dbus_message_set_sender(message, m->sender);
  if (m->count) {
    DBusMessageIter iter;
    dbus_message_iter_init_append(message, &iter);
    for (uint32_t i = 0; i < m->count; i++) append(&iter, &m->body[i]);
  }
  dbus_message_set_serial(message, m->serial);
  char *data = NULL;
  int n = 0;
  dbus_message_marshal(message, &data, &n);
  if (bytes) {
    *bytes = malloc(n);
    memcpy(*bytes, data, n);
    *length = n;
  }
  dbus_free(data);
  dbus_message_unref(message);
}

static uint64_t sum_values(DBusMessageIter *iter);

static uint64_t sum_array(DBusMessageIter *iter) {
  DBusMessageIter inner;
  uint64_t sum = 0;
  int element = dbus_message_iter_get_element_type(iter);
  dbus_message_iter_recurse(iter, &inner);
  if (!values_is_bulk(element)) return sum_values(&inner);
  const void *data = NULL;
  int count = 0;
  if (dbus_message_iter_get_arg_type(&inner) == DBUS_TYPE_INVALID) return 0;
  dbus_message_iter_get_fixed_array(&inner, &data, &count);
  if (element == 'y') return count ? *(const uint8_t *)data : 0;
  for (int i = 0; i < count; i++) {
    if (element == 'd') sum += (uint64_t)(int64_t)((const double *)data)[i];
    else if (element == 'u') sum += ((const uint32_t *)data)[i];
    else if (element == 'i') sum += (uint64_t)(int64_t)((const int32_t *)data)[i];
  }
  return sum;
}

static uint64_t sum_values(DBusMessageIter *iter) {
  uint64_t sum = 0;
  int type;
  while ((type = dbus_message_iter_get_arg_type(iter)) != DBUS_TYPE_INVALID) {
    DBusMessageIter inner;
    DBusBasicValue basic = {0};
    switch (type) {
    case DBUS_TYPE_ARRAY: sum += sum_array(iter); break;
    case DBUS_TYPE_VARIANT: case DBUS_TYPE_STRUCT: case DBUS_TYPE_DICT_ENTRY:
      dbus_message_iter_recurse(iter, &inner);
      sum += sum_values(&inner);
      break;
    default:
      dbus_message_iter_get_basic(iter, &basic);
      switch (type) {
      case 's': case 'o': case 'g': sum += (uint8_t)basic.str[0]; break;
      case 'd': sum += (uint64_t)(int64_t)basic.dbl; break;
      case 'n': sum += (uint64_t)(int64_t)basic.i16; break;
      case 'i': sum += (uint64_t)(int64_t)basic.i32; break;
      case 'y': sum += basic.byt; break;
      case 'q': sum += basic.u16; break;
      case 'x': case 't': sum += basic.u64; break;
      default: sum += basic.u32;
      }
    }
    dbus_message_iter_next(iter);
  }
  return sum;
}

static uint64_t decode(const uint8_t *bytes, size_t length) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *message = dbus_message_demarshal((const char *)bytes, length, &error);
  if (!message) return UINT64_MAX;
  DBusMessageIter iter;
  uint64_t sum = dbus_message_iter_init(message, &iter) ? sum_values(&iter) : 0;
  dbus_message_unref(message);
  return sum;
}

static int validate(const uint8_t *bytes, size_t length) {
  DBusMessage *message = dbus_message_demarshal((const char *)bytes, length, NULL);
  if (!message) return 1;
  dbus_message_unref(message);
  return 0;
}

int main(int argc, char **argv) { return protocol_run(argc, argv, &(struct library){encode, decode, validate}); }
