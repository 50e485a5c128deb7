/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perfboard.so itself: it opens the object for the QEMU that loads it, perfboard-SERIES.so beside it, and hands on to that one's entry.c.
 *
 * QEMU reads qemu_plugin_version behind the constructors, so a constructor chooses. Where no object is for this QEMU, another one is
 * opened: its guard says what is wrong. All of QEMU that is used here is the same in each series, so this file is compiled once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

/* qapi/control.json: what it begins with. */
typedef struct {
    struct {
        int64_t major, minor, micro;
    } *qemu;
} VersionInfo;
VersionInfo *qmp_query_version(void *errp) __attribute__((weak));

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static int (*install)(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);
static char *why_not;

static char *path_of(const char *series)
{
    g_autofree char *folder = NULL;
    Dl_info here;
    char *path;

    dladdr((void *)&qemu_plugin_version, &here);
    path = realpath(here.dli_fname, NULL); /* perfboard.so may be a link */
    folder = g_path_get_dirname(path ? path : here.dli_fname);
    free(path);
    return g_strdup_printf("%s/perfboard-%s.so", folder, series);
}

__attribute__((constructor)) static void choose(void)
{
    const VersionInfo *v = qmp_query_version ? qmp_query_version(NULL) : NULL; /* for as long as the process lives */
    g_autofree char *series = v ? g_strdup_printf("%" PRId64 ".%" PRId64, v->qemu->major, v->qemu->minor) : g_strdup("0");
    g_autofree char *path = path_of(series);
    bool fits = g_file_test(path, G_FILE_TEST_EXISTS);
    void *object;

    if (!fits) {
        g_free(path);
        path = path_of(PERFBOARD_LAST_SERIES);
    }
    object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object) {
        install = (typeof(install))dlsym(object, "qemu_plugin_install");
        qemu_plugin_version = *(int *)dlsym(object, "qemu_plugin_version");
    } else {
        why_not = g_strdup(dlerror());
    }
    if (!fits && v) { /* one that QEMU takes, as it must call the guard */
        qemu_plugin_version = strverscmp(series, "11.1") >= 0 ? 7 : strverscmp(series, "9.0") >= 0 ? 2 : 1;
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (!install) {
        fprintf(stderr, "perfboard: cannot be used here: %s\n", why_not);
        return 1;
    }
    return install(id, info, argc, argv);
}
