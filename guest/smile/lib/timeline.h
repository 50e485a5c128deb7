/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside smilelib: what goes into the timeline, if one is recorded. Begin and end of something, by layer. errno stays. */
#ifndef PERFBOARD_SMILE_TIMELINE_H
#define PERFBOARD_SMILE_TIMELINE_H

void smile_timeline_begin(const char *layer, const char *what);
void smile_timeline_end(void);

#endif
