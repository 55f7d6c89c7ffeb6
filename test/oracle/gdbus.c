/* What GDBus makes of a message. Kinds of question: m verdict   d verdict and values. GDBus is laxer and stricter than the
 * specification in many places: its verdict is information, its values count where libdbus accepts the message as well. */
#include <gio/gio.h>

#include "protocol.h"

static void put_children(Buffer *b, GVariant *value);

static void put_array(Buffer *b, GVariant *value) {
  const GVariantType *element = g_variant_type_element(g_variant_get_type(value));
  if (g_variant_type_equal(element, G_VARIANT_TYPE_BYTE)) {
    gsize n = 0;
    const guint8 *bytes = g_variant_get_fixed_array(value, &n, 1);
    put_text(b, "[\"ay\",");
    put_hex(b, bytes, n);
  } else {
    gchar *type = g_variant_type_dup_string(element);
    put_text(b, "[\"a\",");
    put_string(b, type);
    put_text(b, ",");
    g_free(type);
    put_text(b, "[");
    put_children(b, value);
    put_text(b, "]");
  }
  put_text(b, "]");
}

static void put_value(Buffer *b, GVariant *v) {
  GVariant *inner;
  GVariantClass type = g_variant_classify(v);
  switch (type) {
    case G_VARIANT_CLASS_BYTE: put_number(b, 'y', g_variant_get_byte(v)); break;
    case G_VARIANT_CLASS_BOOLEAN: put_text(b, g_variant_get_boolean(v) ? "[\"b\",true]" : "[\"b\",false]"); break;
    case G_VARIANT_CLASS_INT16: put_number(b, 'n', g_variant_get_int16(v)); break;
    case G_VARIANT_CLASS_UINT16: put_number(b, 'q', g_variant_get_uint16(v)); break;
    case G_VARIANT_CLASS_INT32: put_number(b, 'i', g_variant_get_int32(v)); break;
    case G_VARIANT_CLASS_UINT32: put_number(b, 'u', g_variant_get_uint32(v)); break;
    case G_VARIANT_CLASS_INT64: put_number(b, 'x', g_variant_get_int64(v)); break;
    case G_VARIANT_CLASS_UINT64: put_uint64(b, g_variant_get_uint64(v)); break;
    case G_VARIANT_CLASS_HANDLE: put_number(b, 'h', (guint32)g_variant_get_handle(v)); break;
    case G_VARIANT_CLASS_DOUBLE: put_double(b, g_variant_get_double(v)); break;
    case G_VARIANT_CLASS_ARRAY: put_array(b, v); break;
    case G_VARIANT_CLASS_TUPLE:
      put_text(b, "[\"(\",[");
      put_children(b, v);
      put_text(b, "]]");
      break;
    case G_VARIANT_CLASS_DICT_ENTRY:
      put_text(b, "[\"{\",");
      put_children(b, v);
      put_text(b, "]");
      break;
    case G_VARIANT_CLASS_VARIANT:
      inner = g_variant_get_variant(v);
      put_text(b, "[\"v\",");
      put_string(b, g_variant_get_type_string(inner));
      put_text(b, ",");
      put_value(b, inner);
      put_text(b, "]");
      g_variant_unref(inner);
      break;
    default: put_typed_string(b, (char)type, g_variant_get_string(v, NULL));
  }
}

static void put_children(Buffer *b, GVariant *value) {
  gsize n = g_variant_n_children(value);
  for (gsize i = 0; i < n; i++) {
    GVariant *child = g_variant_get_child_value(value, i);
    if (i > 0) put_text(b, ",");
    put_value(b, child);
    g_variant_unref(child);
  }
}

static uint64_t number_field(GDBusMessage *m, GDBusMessageHeaderField field) {
  GVariant *value = g_dbus_message_get_header(m, field);
  if (value == NULL || !g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32)) return UINT64_MAX;
  return g_variant_get_uint32(value);
}

static void put_message(Buffer *b, const uint8_t *bytes, GDBusMessage *m) {
  Header header = {
    .path = g_dbus_message_get_path(m), .interface = g_dbus_message_get_interface(m), .member = g_dbus_message_get_member(m),
    .error = g_dbus_message_get_error_name(m), .destination = g_dbus_message_get_destination(m),
    .sender = g_dbus_message_get_sender(m), .signature = g_dbus_message_get_signature(m),
    .serial = g_dbus_message_get_serial(m),
    .reply_serial = number_field(m, G_DBUS_MESSAGE_HEADER_FIELD_REPLY_SERIAL),
    .unix_fds = number_field(m, G_DBUS_MESSAGE_HEADER_FIELD_NUM_UNIX_FDS),
  };
  put_header(b, bytes, &header);
  GVariant *body = g_dbus_message_get_body(m);
  put_text(b, "[");
  if (body != NULL) put_children(b, body);
  put_text(b, "]}");
}

static void ask(uint8_t kind, uint8_t *bytes, uint32_t length) {
  static Buffer text;
  GError *error = NULL;
  if (kind != 'm' && kind != 'd') die("a record of unknown kind");
  guchar *blob = g_memdup2(bytes, length == 0 ? 1 : length);
  GDBusMessage *m = g_dbus_message_new_from_blob(blob, length, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING, &error);
  text.length = 0;
  if (m == NULL) {
    answer(VERDICT_BAD, error->message, 0, NULL, 0);
    g_error_free(error);
  } else {
    if (kind == 'd') put_message(&text, bytes, m);
    answer(VERDICT_OK, NULL, 0, text.bytes, text.length);
    g_object_unref(m);
  }
  g_free(blob);
}

/* GLib prints a warning for some malformed input; the answer says it already. */
static GLogWriterOutput hush(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data) {
  (void)level, (void)fields, (void)n, (void)data;
  return G_LOG_WRITER_HANDLED;
}

int main(void) {
  g_log_set_writer_func(hush, NULL, NULL);
  return serve(ask);
}
