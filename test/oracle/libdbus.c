/* What libdbus says about bytes, by its public functions only. Kinds of question:
 *   m verdict on a message   d the same and its values   n the same and the message in this machine's byte order
 *   g signature   p path   i interface   M member   e error name   b bus name
 * The traps of dbus_message_demarshal that are dealt with here:
 *   - a cut message answers NoMemory: bytes_needed tells "more" first;
 *   - it goes on to the bytes after the first message: the record is cut to that message, what is left is reported;
 *   - it never has descriptors, so UNIX_FDS > 0 is always refused: see descriptors(). */
#include <dbus/dbus.h>

#include "protocol.h"

static const char MISSING_DESCRIPTOR[] = "Unix file descriptor missing";

/* "Message is corrupted (Bad path)" -> "Bad path" */
static const char *reason_of(DBusError *error) {
  static char text[256];
  const char *open = strstr(error->message, "corrupted (");
  snprintf(text, sizeof text, "%s", open == NULL ? error->message : open + 11);
  size_t n = strlen(text);
  if (open != NULL && n > 0 && text[n - 1] == ')') text[n - 1] = 0;
  return text;
}

static DBusMessage *demarshal(const uint8_t *bytes, uint32_t length, const char **reason) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *message = dbus_message_demarshal((const char *)bytes, (int)length, &error);
  *reason = NULL;
  if (message == NULL) {
    if (dbus_error_has_name(&error, DBUS_ERROR_NO_MEMORY)) die("libdbus says it has no memory");
    *reason = reason_of(&error);
    dbus_error_free(&error);
  }
  return message;
}

/* Descriptors are counted last, so by now all else is valid and only the place of the field is unknown. Each place that looks
 * like it is set to 0 in turn: the right one is the one that changes libdbus's mind, however an unknown field's bytes look. */
static DBusMessage *without_descriptors(uint8_t *bytes, uint32_t length, uint32_t *place, uint32_t *count) {
  int big = bytes[0] == 'B';
  uint32_t end = 16 + load_u32(bytes + 12, big);
  for (uint32_t at = 16; at + 8 <= end; at += 8) {
    if (bytes[at] != 9 || bytes[at + 1] != 1 || bytes[at + 2] != 'u' || bytes[at + 3] != 0) continue;
    const char *reason;
    *place = at + 4;
    *count = load_u32(bytes + *place, big);
    store_u32(bytes + *place, 0, big);
    DBusMessage *message = demarshal(bytes, length, &reason);
    if (message != NULL) return message;
    store_u32(bytes + *place, *count, big);
  }
  die("no UNIX_FDS field found");
  return NULL;
}

static void put_values(Buffer *b, DBusMessageIter *iter);

static void put_array(Buffer *b, DBusMessageIter *iter) {
  DBusMessageIter sub;
  dbus_message_iter_recurse(iter, &sub);
  if (dbus_message_iter_get_element_type(iter) == DBUS_TYPE_BYTE) {
    const uint8_t *bytes = NULL;
    int n = 0;
    dbus_message_iter_get_fixed_array(&sub, &bytes, &n);
    put_text(b, "[\"ay\",");
    put_hex(b, bytes, (size_t)n);
  } else {
    char *signature = dbus_message_iter_get_signature(iter);
    put_text(b, "[\"a\",");
    put_string(b, signature + 1);
    put_text(b, ",");
    dbus_free(signature);
    put_values(b, &sub);
  }
  put_text(b, "]");
}

static void put_container(Buffer *b, DBusMessageIter *iter, int type) {
  DBusMessageIter sub;
  dbus_message_iter_recurse(iter, &sub);
  if (type == DBUS_TYPE_STRUCT) {
    put_text(b, "[\"(\",");
    put_values(b, &sub);
  } else {
    size_t at = b->length;
    put_text(b, "[\"{\"");
    put_values(b, &sub);
    b->bytes[at + 4] = ','; /* "[" of the list of key and value becomes the comma, its "]" closes the entry */
    return;
  }
  put_text(b, "]");
}

static void put_value(Buffer *b, DBusMessageIter *iter) {
  DBusBasicValue v;
  DBusMessageIter sub;
  char *signature;
  int type = dbus_message_iter_get_arg_type(iter);
  if (type == DBUS_TYPE_ARRAY) { put_array(b, iter); return; }
  if (type == DBUS_TYPE_STRUCT || type == DBUS_TYPE_DICT_ENTRY) { put_container(b, iter, type); return; }
  if (type == DBUS_TYPE_VARIANT) {
    dbus_message_iter_recurse(iter, &sub);
    signature = dbus_message_iter_get_signature(&sub);
    put_text(b, "[\"v\",");
    put_string(b, signature);
    put_text(b, ",");
    dbus_free(signature);
    put_value(b, &sub);
    put_text(b, "]");
    return;
  }
  if (type == DBUS_TYPE_UNIX_FD) { put_text(b, "[\"h\",null]"); return; } /* the index is not to be had from libdbus */
  dbus_message_iter_get_basic(iter, &v);
  switch (type) {
    case DBUS_TYPE_BYTE: put_number(b, 'y', v.byt); break;
    case DBUS_TYPE_BOOLEAN: put_text(b, v.bool_val ? "[\"b\",true]" : "[\"b\",false]"); break;
    case DBUS_TYPE_INT16: put_number(b, 'n', v.i16); break;
    case DBUS_TYPE_UINT16: put_number(b, 'q', v.u16); break;
    case DBUS_TYPE_INT32: put_number(b, 'i', v.i32); break;
    case DBUS_TYPE_UINT32: put_number(b, 'u', v.u32); break;
    case DBUS_TYPE_INT64: put_number(b, 'x', v.i64); break;
    case DBUS_TYPE_UINT64: put_uint64(b, v.u64); break;
    case DBUS_TYPE_DOUBLE: put_double(b, v.dbl); break;
    default: put_typed_string(b, (char)type, v.str);
  }
}

static void put_values(Buffer *b, DBusMessageIter *iter) {
  put_text(b, "[");
  for (int first = 1; dbus_message_iter_get_arg_type(iter) != DBUS_TYPE_INVALID; first = 0) {
    if (!first) put_text(b, ",");
    put_value(b, iter);
    dbus_message_iter_next(iter);
  }
  put_text(b, "]");
}

static void put_message(Buffer *b, const uint8_t *bytes, DBusMessage *m, uint64_t unix_fds) {
  DBusMessageIter iter;
  uint32_t reply = dbus_message_get_reply_serial(m);
  Header header = {
    .path = dbus_message_get_path(m), .interface = dbus_message_get_interface(m), .member = dbus_message_get_member(m),
    .error = dbus_message_get_error_name(m), .destination = dbus_message_get_destination(m),
    .sender = dbus_message_get_sender(m), .signature = dbus_message_get_signature(m), .serial = dbus_message_get_serial(m),
    .reply_serial = reply == 0 ? UINT64_MAX : reply, .unix_fds = unix_fds,
  };
  put_header(b, bytes, &header);
  dbus_message_iter_init(m, &iter);
  put_values(b, &iter);
  put_text(b, "}");
}

/* Looking at the body makes libdbus swap a foreign message to its own order; marshal gives the result. */
static void put_native(Buffer *b, DBusMessage *m, uint32_t place, uint32_t count) {
  DBusMessageIter iter;
  char *bytes;
  int length;
  dbus_message_iter_init(m, &iter);
  if (!dbus_message_marshal(m, &bytes, &length)) die("cannot marshal");
  size_t at = b->length;
  put(b, bytes, (size_t)length);
  dbus_free(bytes);
  if (place != 0) store_u32(b->bytes + at + place, count, b->bytes[at] == 'B');
}

static void ask_message(uint8_t kind, uint8_t *bytes, uint32_t length) {
  static Buffer text;
  const char *reason;
  uint32_t left = 0, place = 0, count = 0;
  int needed = dbus_message_demarshal_bytes_needed((const char *)bytes, (int)length);
  if (needed == 0 || needed > (int)length) { answer(VERDICT_MORE, NULL, 0, NULL, 0); return; }
  if (needed > 0) {
    left = length - (uint32_t)needed;
    length = (uint32_t)needed;
  }
  DBusMessage *message = demarshal(bytes, length, &reason);
  if (message == NULL && strcmp(reason, MISSING_DESCRIPTOR) == 0) {
    message = without_descriptors(bytes, length, &place, &count);
  }
  text.length = 0;
  if (message == NULL) { answer(VERDICT_BAD, reason, left, NULL, 0); return; }
  if (kind == 'd') put_message(&text, bytes, message, place == 0 ? UINT64_MAX : count);
  if (kind == 'n') put_native(&text, message, place, count);
  dbus_message_unref(message);
  answer(VERDICT_OK, NULL, left, text.bytes, text.length);
}

static void ask(uint8_t kind, uint8_t *bytes, uint32_t length) {
  static dbus_bool_t (*const names[128])(const char *, DBusError *) = {
    ['g'] = dbus_signature_validate, ['p'] = dbus_validate_path, ['i'] = dbus_validate_interface, ['M'] = dbus_validate_member,
    ['e'] = dbus_validate_error_name, ['b'] = dbus_validate_bus_name,
  };
  if (kind == 'm' || kind == 'd' || kind == 'n') { ask_message(kind, bytes, length); return; }
  if (kind >= 128 || names[kind] == NULL) die("a record of unknown kind");
  DBusError error = DBUS_ERROR_INIT;
  bytes[length] = 0;
  /* These functions take C strings: a NUL inside would hide what follows it. */
  if (memchr(bytes, 0, length) != NULL) answer(VERDICT_BAD, "NUL inside", 0, NULL, 0);
  else if (names[kind]((const char *)bytes, &error)) answer(VERDICT_OK, NULL, 0, NULL, 0);
  else {
    /* The texts on names repeat the name: of no use, and without end. */
    answer(VERDICT_BAD, kind == 'g' ? error.message : "Bad name", 0, NULL, 0);
    dbus_error_free(&error);
  }
}

int main(void) {
  return serve(ask);
}
