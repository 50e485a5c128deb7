/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/core/inject.h"

char *pb_injection_range(const PbInjection *j)
{
    return j->words ? g_strjoinv(", ", (char **)j->words) : g_strdup_printf("0 to %" PRIu64, j->most);
}

static void refuse(const PbInjection *j, const char *value, Error **errp)
{
    g_autofree char *range = pb_injection_range(j);
    error_setg(errp, "%s=%s: legal are %s", j->property, value, range);
}

bool pb_injection_parse(const PbInjection *j, const char *word, uint64_t *value, Error **errp)
{
    for (uint64_t i = 0; j->words && j->words[i]; i++) {
        if (!strcmp(j->words[i], word)) {
            *value = i;
            return true;
        }
    }
    if (!j->words && *word >= '0' && *word <= '9') {
        char *end;
        errno = 0;
        *value = g_ascii_strtoull(word, &end, 0);
        if (!*end && !errno && *value <= j->most) {
            return true;
        }
    }
    refuse(j, word, errp);
    return false;
}
