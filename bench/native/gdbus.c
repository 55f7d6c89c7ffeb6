// GDBus: GLib's D-Bus, through GDBusMessage and GVariant.
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

static GVariant *build(const struct value *v) {
  switch (v->type) {
  case 'y': return g_variant_new_byte(v->number);
  case 'b': return g_variant_new_boolean(v->number);
  case 'n': return g_variant_new_int16(v->number);
  case 'q': return g_variant_new_uint16(v->number);
  case 'i': return g_variant_new_int32(v->number);
  case 'u': return g_variant_new_uint32(v->number);
  case 'x': return g_variant_new_int64(v->number);
  case 't': return g_variant_new_uint64(v->number);
  case 'd': return g_variant_new_double(v->real);
  case 's': return g_variant_new_string(v->text);
  case 'o': return g_variant_new_object_path(v->text);
  case 'g': return g_variant_new_signature(v->text);
  case 'v': return g_variant_new_variant(build(v->items));
  case '{': {
    GVariant *key = build(&v->items[0]);
    return g_variant_new_dict_entry(key, build(&v->items[1]));
  }
  default: break;
  }
  if (v->type == 'a' && values_is_bulk(*v->signature)) {
    const char element[2] = {*v->signature, 0};
    return g_variant_new_fixed_array(G_VARIANT_TYPE(element), v->bulk, v->count, values_size(*v->signature));
  }
  GVariant **items = g_newa(GVariant *, v->count + 1);
  for (uint32_t i = 0; i < v->count; i++) items[i] = build(&v->items[i]);
  if (v->type == '(') return g_variant_new_tuple(items, v->count);
  return g_variant_new_array(G_VARIANT_TYPE(v->signature), items, v->count);
}

static void encode(const struct message *m, uint8_t **bytes, size_t *length) {
  GDBusMessage *message = g_dbus_message_new();
  g_dbus_message_set_message_type(message, m->type);
  g_dbus_message_set_flags(message, m->flags);
  g_dbus_message_set_serial(message, m->serial);
  if (m->path) g_dbus_message_set_path(message, m->path);
  if (m->interface) g_dbus_message_set_interface(message, m->interface);
  if (m->member) g_dbus_message_set_member(message, m->member);
  if (m->destination) g_dbus_message_set_destination(message, m->destination);
  if (m->sender) g_dbus_message_set_sender(message, m->sender);
  if (m->reply_serial) g_dbus_message_set_reply_serial(message, m->reply_serial);
  if (m->count) {
    GVariant *items[8];
    for (uint32_t i = 0; i < m->count; i++) items[i] = build(&m->body[i]);
    g_dbus_message_set_body(message, g_variant_new_tuple(items, m->count));
  }
  gsize n = 0;
  guchar *blob = g_dbus_message_to_blob(message, &n, G_DBUS_CAPABILITY_FLAGS_NONE, NULL);
  if (bytes && blob) {
    *bytes = malloc(n);
    memcpy(*bytes, blob, n);
    *length = n;
  }
  g_free(blob);
  g_object_unref(message);
}

static uint64_t sum(GVariant *v);

static uint64_t sum_array(GVariant *v) {
  const char element = g_variant_get_type_string(v)[1];
  gsize count = 0;
  uint64_t total = 0;
  if (!values_is_bulk(element)) {
    count = g_variant_n_children(v);
    for (gsize i = 0; i < count; i++) {
      GVariant *child = g_variant_get_child_value(v, i);
      total += sum(child);
      g_variant_unref(child);
    }
    return total;
  }
  const void *data = g_variant_get_fixed_array(v, &count, values_size(element));
  if (element == 'y') return count ? *(const uint8_t *)data : 0;
  for (gsize i = 0; i < count; i++) {
    if (element == 'd') total += (uint64_t)(int64_t)((const double *)data)[i];
    else if (element == 'u') total += ((const uint32_t *)data)[i];
    else if (element == 'i') total += (uint64_t)(int64_t)((const int32_t *)data)[i];
  }
  return total;
}

static uint64_t sum(GVariant *v) {
  switch (g_variant_classify(v)) {
  case G_VARIANT_CLASS_BYTE: return g_variant_get_byte(v);
  case G_VARIANT_CLASS_BOOLEAN: return g_variant_get_boolean(v);
  case G_VARIANT_CLASS_INT16: return (uint64_t)(int64_t)g_variant_get_int16(v);
  case G_VARIANT_CLASS_UINT16: return g_variant_get_uint16(v);
  case G_VARIANT_CLASS_INT32: return (uint64_t)(int64_t)g_variant_get_int32(v);
  case G_VARIANT_CLASS_UINT32: return g_variant_get_uint32(v);
  case G_VARIANT_CLASS_INT64: return (uint64_t)g_variant_get_int64(v);
  case G_VARIANT_CLASS_UINT64: return g_variant_get_uint64(v);
  case G_VARIANT_CLASS_DOUBLE: return (uint64_t)(int64_t)g_variant_get_double(v);
  case G_VARIANT_CLASS_STRING: case G_VARIANT_CLASS_OBJECT_PATH: case G_VARIANT_CLASS_SIGNATURE:
    return (uint8_t)g_variant_get_string(v, NULL)[0];
  case G_VARIANT_CLASS_ARRAY: return sum_array(v);
  default: {
    uint64_t total = 0;
    gsize count = g_variant_n_children(v);
    for (gsize i = 0; i < count; i++) {
      GVariant *child = g_variant_get_child_value(v, i);
      total += sum(child);
      g_variant_unref(child);
    }
    return total;
  }
  }
}

static uint64_t decode(const uint8_t *bytes, size_t length) {
  GDBusMessage *message = g_dbus_message_new_from_blob((guchar *)bytes, length, G_DBUS_CAPABILITY_FLAGS_NONE, NULL);
  if (!message) return UINT64_MAX;
  GVariant *body = g_dbus_message_get_body(message);
  uint64_t total = body ? sum(body) : 0;
  g_object_unref(message);
  return total;
}

static int validate(const uint8_t *bytes, size_t length) {
  GDBusMessage *message = g_dbus_message_new_from_blob((guchar *)bytes, length, G_DBUS_CAPABILITY_FLAGS_NONE, NULL);
  if (!message) return 1;
  g_object_unref(message);
  return 0;
}

int main(int argc, char **argv) { return protocol_run(argc, argv, &(struct library){encode, decode, validate}); }
