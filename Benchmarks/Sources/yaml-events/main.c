// yaml-events FILE
//
// Parses a YAML file with libyaml's event parser and discards the events: the minimum work of any
// program that reads YAML with libyaml.

#include <stdio.h>
#include <yaml.h>

int main(int count, char **arguments) {
  if (count != 2) return 64;
  FILE *file = fopen(arguments[1], "rb");
  if (file == NULL) return 66;
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return 70;
  yaml_parser_set_input_file(&parser, file);
  unsigned long events = 0;
  for (int is_over = 0; !is_over; events++) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) return 65;
    is_over = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  fclose(file);
  printf("%lu\n", events);
  return 0;
}
