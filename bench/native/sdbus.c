// sd-bus: messages are built and sealed (header and footer written, body complete). Its parser has no public way in from bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "protocol.h"

static sd_bus *bus;
static sd_bus_message *call; // what replies reply to
static int far_end;

static void append(sd_bus_message *m, const struct value *v) {
  switch (v->type) {
  case 'a':
    if (values_is_bulk(*v->signature)) {
      sd_bus_message_append_array(m, *v->signature, v->bulk, v->count * values_size(*v->signature));
      return;
    }
    sd_bus_message_open_container(m, 'a', v->signature);
    for (uint32_t i = 0; i < v->count; i++) append(m, &v->items[i]);
    sd_bus_message_close_container(m);
    return;
  case 'v':
    sd_bus_message_open_container(m, 'v', v->signature);
    append(m, v->items);
    sd_bus_message_close_container(m);
    return;
  case '(': case '{': {
    // The signature of the members: entries of dicts in the rows are all of two types.
    char members[256] = "";
    for (uint32_t i = 0; i < v->count; i++) {
      const struct value *item = &v->items[i];
      size_t n = strlen(members);
      if (item->type == 'a') snprintf(members + n, sizeof members - n, "a%s", item->signature);
      else snprintf(members + n, sizeof members - n, "%c", item->type);
    }
    sd_bus_message_open_container(m, v->type == '(' ? 'r' : 'e', members);
    for (uint32_t i = 0; i < v->count; i++) append(m, &v->items[i]);
    sd_bus_message_close_container(m);
    return;
  }
  case 's': case 'o': case 'g': sd_bus_message_append_basic(m, v->type, v->text); return;
  default: sd_bus_message_append_basic(m, v->type, &v->number);
  }
}

static sd_bus_message *build(const struct message *m) {
  sd_bus_message *message = NULL;
  if (m->type == SD_BUS_MESSAGE_METHOD_CALL)
    sd_bus_message_new_method_call(bus, &message, m->destination, m->path, m->interface, m->member);
  else if (m->type == SD_BUS_MESSAGE_SIGNAL) sd_bus_message_new_signal(bus, &message, m->path, m->interface, m->member);
  else {
    sd_bus_message_new_method_return(call, &message);
    sd_bus_message_set_destination(message, m->destination);
  }
  if (m->sender) sd_bus_message_set_sender(message, m->sender);
  for (uint32_t i = 0; i < m->count; i++) append(message, &m->body[i]);
  sd_bus_message_seal(message, m->serial, 0);
  return message;
}

// The bytes of a sealed message are not public: send it through the socket pair.
static void capture(sd_bus_message *message, uint8_t **bytes, size_t *length) {
  size_t room = 1 << 22, got = 0, want = 16;
  *bytes = malloc(room);
  sd_bus_send(bus, message, NULL);
  while (got < want) {
    sd_bus_process(bus, NULL);
    ssize_t n = recv(far_end, *bytes + got, want - got, MSG_DONTWAIT);
    if (n > 0) got += n;
    if (got == 16 && want == 16) {
      uint32_t body, fields;
      memcpy(&body, *bytes + 4, 4);
      memcpy(&fields, *bytes + 12, 4);
      want = 16 + (fields + 7) / 8 * 8 + body;
    }
  }
  *length = got;
}

static void encode(const struct message *m, uint8_t **bytes, size_t *length) {
  sd_bus_message *message = build(m);
  if (bytes) capture(message, bytes, length);
  sd_bus_message_unref(message);
}

// A bus needs a peer before it makes messages: this plays the server's side of the handshake.
static int connect_pair(void) {
  static const char AGREED[] = "OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n";
  int pair[2];
  char greeting[512];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) return -1;
  far_end = pair[1];
  sd_bus_new(&bus);
  sd_bus_set_fd(bus, pair[0], pair[0]);
  sd_bus_set_anonymous(bus, 1);
  if (sd_bus_start(bus) < 0) return -1;
  if (write(far_end, AGREED, sizeof AGREED - 1) < 0) return -1;
  for (int i = 0; i < 100 && sd_bus_is_ready(bus) <= 0; i++) sd_bus_process(bus, NULL);
  usleep(1000);
  recv(far_end, greeting, sizeof greeting, MSG_DONTWAIT);
  if (sd_bus_message_new_method_call(bus, &call, "a.b", "/", "a.b", "C") < 0) return -1;
  sd_bus_message_set_sender(call, ":1.1736");
  return sd_bus_message_seal(call, 2, 0);
}

int main(int argc, char **argv) {
  if (connect_pair() < 0) return 1;
  return protocol_run(argc, argv, &(struct library){encode, NULL, NULL});
}
