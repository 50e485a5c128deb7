/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A QEMU as the object sees it while it is loaded, for the emulators that are not installed.
 *
 *   guard-host [--user] [--kvm] [--loaded] [--words] [--vcpus=N] TARGET SERIES OBJECT [OPTION...]
 *   guard-host ppc64 10.0 perfboard.so help=on
 *
 * It opens OBJECT with all symbols bound at once, as QEMU does, and calls qemu_plugin_install(). It ends with
 * status 1 if that refuses. A type that is registered is told on stdout as "registered TYPE", and ends the
 * program with status 0: what comes after needs a whole QEMU.
 *
 * meson.build links it three times. guard-host exports every name of symbols.h (guard_symbols.c). guard-host-lacks
 * exports all but two of them, guard-host-bare none.
 */
#include "qemu/osdep.h"
#include <dlfcn.h>
#include "qapi/qapi-commands-control.h"
#include "qom/object.h"
#include "qemu/plugin.h"
#include PB_SERIES

typedef int Install(qemu_plugin_id_t, const qemu_info_t *, int, char **);

static VersionTriple version;
static bool loaded, words; /* words: of accesses it tells in another way */
bool tcg_allowed = true;

VersionInfo *qmp_query_version(Error **errp)
{
    static VersionInfo info = { .qemu = &version };
    return &info;
}

ObjectClass *object_class_by_name(const char *name)
{
    static char some_class[1];
    return loaded ? (ObjectClass *)some_class : NULL;
}

Type type_register_static(const TypeInfo *info)
{
    printf("registered %s\n", info->name);
    exit(0);
}

void type_register_static_array(const TypeInfo *infos, int count)
{
    type_register_static(infos);
}

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
    return info >> (PB_INFO_MODE_BITS + words) & 7;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
    return info >> 16 & QEMU_PLUGIN_MEM_W;
}

/* The versions of the plugin API that a QEMU takes. */
static bool is_taken(const char *series, int api)
{
    if (strverscmp(series, "11.1") >= 0) {
        return api == 7;
    }
    if (strverscmp(series, "9.0") >= 0) {
        return api >= 2 && api <= (strverscmp(series, "10.1") >= 0 ? 5 : 4);
    }
    return api <= 1;
}

int main(int argc, char **argv)
{
    qemu_info_t info = { .system_emulation = true, .system = { 1, 1 } };
    Install *install;
    void *object;

    for (argv++, argc--; argc > 0 && g_str_has_prefix(*argv, "--"); argv++, argc--) {
        if (!strcmp(*argv, "--user")) {
            info.system_emulation = false;
        } else if (!strcmp(*argv, "--kvm")) {
            tcg_allowed = false;
        } else if (!strcmp(*argv, "--loaded")) {
            loaded = true;
        } else if (!strcmp(*argv, "--words")) {
            words = true;
        } else if (g_str_has_prefix(*argv, "--vcpus=")) {
            info.system.max_vcpus = atoi(*argv + strlen("--vcpus="));
        }
    }
    if (argc < 3 || sscanf(argv[1], "%" SCNd64 ".%" SCNd64, &version.major, &version.minor) != 2) {
        fprintf(stderr, "guard-host: TARGET SERIES OBJECT expected\n");
        return 2;
    }
    info.target_name = argv[0];
    object = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        fprintf(stderr, "guard-host: %s\n", dlerror());
        return 2;
    }
    /* Where no name is exported, the object cannot know. */
    if (dlsym(RTLD_DEFAULT, "qmp_query_version") && !is_taken(argv[1], *(int *)dlsym(object, "qemu_plugin_version"))) {
        fprintf(stderr, "guard-host: plugin requires another API version\n");
        return 2;
    }
    install = (Install *)dlsym(object, "qemu_plugin_install");
    return install(1, &info, argc - 3, argv + 3) ? 1 : 0;
}
