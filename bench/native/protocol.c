#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct list {
  char key[128];
  uint32_t count, at;
  struct message *messages; // with values for encoding; of big-endian files only bytes and length are set
  struct list *next;
};

static struct list *lists;

static uint8_t *read_file(const char *name, size_t *length) {
  FILE *file = fopen(name, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  uint8_t *bytes = aligned_alloc(64, (*length + 127) / 64 * 64);
  size_t got = fread(bytes, 1, *length, file);
  fclose(file);
  return got == *length ? bytes : NULL;
}

static struct list *list_of(const char *folder, const char *row, const char *kind, int big) {
  char key[128], name[1024];
  snprintf(key, sizeof key, "%s.%s.%s", row, kind, big ? "BE" : "LE");
  for (struct list *l = lists; l; l = l->next)
    if (strcmp(l->key, key) == 0) return l;
  snprintf(name, sizeof name, "%s/%s", folder, key);
  size_t length = 0;
  uint8_t *bytes = read_file(name, &length);
  if (!bytes) return NULL;
  struct list *l = calloc(1, sizeof *l);
  strcpy(l->key, key);
  uint32_t room = 0;
  for (size_t at = 0; at < length;) {
    uint32_t n;
    memcpy(&n, bytes + at, 4);
    if (l->count == room) {
      room = room ? room * 2 : 1;
      l->messages = realloc(l->messages, room * sizeof *l->messages);
    }
    struct message *m = &l->messages[l->count++];
    if (big) *m = (struct message){.bytes = bytes + at + 8, .length = n};
    else values_read(m, bytes + at + 8, n);
    at += 8 + (n + 7) / 8 * 8;
  }
  l->next = lists;
  return lists = l;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static volatile uint64_t sink;

static void run(const struct library *library, char operation, const struct message *m) {
  if (operation == 'e') library->encode(m, NULL, NULL);
  else if (operation == 'd') sink += library->decode(m->bytes, m->length);
  else sink += library->validate(m->bytes, m->length);
}

// Nanoseconds this thread has been ready to run and was not let: other programs' doing, taken off as in drive/clock.js.
static double waited(void) {
  unsigned long long run = 0, wait = 0;
  FILE *file = fopen("/proc/self/schedstat", "r");
  if (!file) return 0;
  int got = fscanf(file, "%llu %llu", &run, &wait);
  fclose(file);
  return got == 2 ? wait : 0;
}

static void time_it(const struct library *library, char operation, struct list *l, double milliseconds) {
  double spent = 0;
  uint64_t count = 0, batch = 1;
  while (spent < milliseconds * 1e6) {
    double waited_before = waited(), start = now(), end = start + milliseconds * 1e6 - spent, t = start;
    while (t < end) {
      for (uint64_t i = 0; i < batch; i++) {
        run(library, operation, &l->messages[l->at]);
        if (++l->at == l->count) l->at = 0;
      }
      count += batch;
      double after = now();
      if (after - t < 5e5) batch *= 2;
      t = after;
    }
    double took = t - start, clean = took - (waited() - waited_before);
    spent += clean > took / 10 ? clean : took / 10;
  }
  printf("ok %.3f %llu\n", spent / count, (unsigned long long)count);
}

static const char *check(const struct library *library, char operation, struct list *l, int big) {
  for (uint32_t i = 0; i < l->count; i += l->count > 100 ? l->count / 100 : 1) {
    const struct message *m = &l->messages[i];
    if (operation == 'v') {
      if (library->validate(m->bytes, m->length) != 0) return "found a valid message invalid";
    } else if (operation == 'd') {
      uint64_t sum = library->decode(m->bytes, m->length);
      if (!big && sum != values_sum(m)) return "values differ";
    } else {
      uint8_t *bytes = NULL;
      size_t length = 0;
      library->encode(m, &bytes, &length);
      if (!bytes) return "no bytes";
      struct message again;
      values_read(&again, bytes, length);
      int differs = values_compare(m, &again);
      free(bytes);
      if (differs) return differs == 5 ? "body differs" : "header differs";
    }
  }
  return NULL;
}

int protocol_run(int argc, char **argv, const struct library *library) {
  char line[256], command[32], row[64], operation[32], kind[32];
  double milliseconds = 0;
  if (argc < 2) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    int words = sscanf(line, "%31s %63s %31s %31s %lf", command, row, operation, kind, &milliseconds);
    if (words < 4) {
      puts(strcmp(command, "drop") == 0 ? "ok" : "no");
      continue;
    }
    char what = operation[0];
    int big = strstr(operation, "_be") != NULL;
    int able = what == 'e' ? library->encode != NULL : what == 'd' ? library->decode != NULL : library->validate != NULL;
    struct list *l = able && !strstr(operation, "_view") ? list_of(argv[1], row, kind, big) : NULL;
    if (!l) {
      puts("no");
      continue;
    }
    if (strcmp(command, "check") == 0) {
      const char *fault = check(library, what, l, big);
      if (fault) printf("bad %s\n", fault);
      else puts("ok");
    } else time_it(library, what, l, milliseconds);
  }
  return 0;
}
