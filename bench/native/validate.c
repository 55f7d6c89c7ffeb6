// Our own one-pass validator behind the line protocol; with --verdicts, reads messages as lines of hex and says 1 (valid) or 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"
#include "validator.h"

static int verdicts(void) {
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  while ((n = getline(&line, &room, stdin)) > 0) {
    size_t length = (n - 1) / 2;
    uint8_t *bytes = malloc(length + 64);
    for (size_t i = 0; i < length; i++) {
      unsigned byte;
      sscanf(line + 2 * i, "%2x", &byte);
      bytes[i] = byte;
    }
    puts(validator_check(bytes, length) == 0 ? "1" : "0");
    free(bytes);
  }
  free(line);
  return 0;
}

int main(int argc, char **argv) {
  validator_init();
  if (argc > 1 && strcmp(argv[1], "--verdicts") == 0) return verdicts();
  return protocol_run(argc, argv, &(struct library){NULL, NULL, validator_check});
}
