// SPDX-License-Identifier: GPL-2.0-or-later
// Until the event sources are there: none.
#include <glib.h>

#include "plugins/events.h"
PbEventSource* pb_event_source(const char*, unsigned, char** why) {
  *why = g_strdup("no event source is built in");
  return nullptr;
}
void pb_event_watch(PbEventSource*, bool) {}
uint64_t pb_event_total(const PbEventSource*) { return 0; }
void pb_event_retried(unsigned) {}
void* pb_event_models(size_t* bytes) {
  *bytes = 0;
  return nullptr;
}
