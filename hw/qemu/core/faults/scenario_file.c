/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/faults/scenario.h"

bool pb_scenario_refuse(const char *file, unsigned number, const char *format, ...)
{
    va_list words;

    fprintf(stderr, "perfboard: %s:%u: ", file, number);
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "1.5ms": exact, without floating point. */
static bool parse_time(const char *text, uint64_t *ns)
{
    static const struct { const char *name; uint64_t ns; } units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
    const char *p = text;
    uint64_t number = 0, places = 1;
    bool point = false;

    if (!is_digit(*p)) {
        return false;
    }
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        number = 10 * number + (*p - '0');
        places *= point ? 10 : 1;
        if (number > INT64_MAX / 10 || places > 1000000000) {
            return false;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if (!strcmp(p, units[i].name) && !__builtin_mul_overflow(number, units[i].ns, ns)) {
            bool whole = *ns % places == 0;
            *ns /= places;
            return whole && *ns <= INT64_MAX / 2;
        }
    }
    return false;
}

static char **words_of(const char *text)
{
    g_autofree char *bare = g_strndup(text, strcspn(text, "#"));
    g_auto(GStrv) split = g_strsplit_set(bare, " \t\r", -1);
    GPtrArray *words = g_ptr_array_new();

    for (char **w = split; *w; w++) {
        if (**w) {
            g_ptr_array_add(words, g_strdup(*w));
        }
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, false);
}

static void add_part(GArray *parts, unsigned number, char **words)
{
    PbScenarioPart part = { .number = number, .lines = g_array_new(false, false, sizeof(PbScenarioLine)) };

    if (words) {
        part.after = g_new0(char *, 3);
        part.after[0] = g_strdup(words[1]);
        part.after[1] = g_strjoinv(" ", words + 2);
    }
    g_array_append_val(parts, part);
}

static bool read_after(GArray *parts, const char *file, char **words, unsigned number)
{
    if (g_strv_length(words) < 3) {
        return pb_scenario_refuse(file, number, "behind 'after' stand a device and an access, as in: after surf0 write HTCR.TRG=1");
    }
    if (parts->len > PB_SCENARIO_AFTER) {
        return pb_scenario_refuse(file, number, "more than %d lines 'after'", PB_SCENARIO_AFTER);
    }
    add_part(parts, number, words);
    return true;
}

static bool read_line(GArray *parts, const char *file, const char *text, unsigned number)
{
    PbScenarioLine l = { .number = number, .words = words_of(text) };
    guint n = g_strv_length(l.words);
    bool later = n && l.words[0][0] == '+';

    if (n == 0) {
        g_strfreev(l.words);
        return true;
    }
    if (!strcmp(l.words[0], "after")) {
        return read_after(parts, file, l.words, number);
    }
    if (n != 4) {
        return pb_scenario_refuse(file, number, "it has %u words; legal are four: TIME DEVICE inject-PROPERTY VALUE", n);
    }
    if (later && parts->len == 1) {
        return pb_scenario_refuse(file, number, "time '%s': above it a line 'after DEVICE ACCESS' must stand, from which it counts", l.words[0]);
    }
    if (!parse_time(l.words[0] + later, &l.ns)) {
        return pb_scenario_refuse(file, number, "time '%s': legal are a number and ns, us, ms or s, as in 1.5ms", l.words[0]);
    }
    g_array_append_val(g_array_index(parts, PbScenarioPart, later ? parts->len - 1 : 0).lines, l);
    return true;
}

/* The number in the file decides between equal times. */
static gint by_time(gconstpointer a, gconstpointer b)
{
    const PbScenarioLine *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : (x->number > y->number) - (x->number < y->number);
}

GArray *pb_scenario_file(const char *file)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) all = NULL;
    GArray *parts;

    if (!g_file_get_contents(file, &text, NULL, &error)) {
        fprintf(stderr, "perfboard: scenario=%s: %s\n", file, error->message);
        return NULL;
    }
    parts = g_array_new(false, false, sizeof(PbScenarioPart));
    add_part(parts, 0, NULL);
    all = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; all[i]; i++) {
        if (!read_line(parts, file, all[i], i + 1)) {
            return NULL; /* QEMU ends */
        }
    }
    for (guint i = 0; i < parts->len; i++) {
        g_array_sort(g_array_index(parts, PbScenarioPart, i).lines, by_time);
    }
    return parts;
}

/* --- its devices ------------------------------------------------------------------------ */

Object *pb_scenario_find(const char *name, bool *ambiguous)
{
    Object *board = object_resolve_path_component(machine_get_container("peripheral"), name);
    const char *device = pb_board_device(name);

    *ambiguous = false;
    return !board && object_class_by_name(device) ? object_resolve_path_type("", device, ambiguous) : board;
}

Object *pb_scenario_board(const char *file, unsigned number, const char *name)
{
    bool ambiguous;
    Object *board = pb_scenario_find(name, &ambiguous);

    if (ambiguous) {
        pb_scenario_refuse(file, number, "device '%s': the machine has several; give each an id= and name that", name);
        return NULL;
    }
    if (!board) {
        pb_scenario_refuse(file, number, "device '%s': the machine has no device with this id, and no board of this name", name);
    }
    return board;
}

/* --- values of injections, as words ------------------------------------------------------ */

char *pb_injection_range(const PbInjection *j)
{
    return j->words ? g_strjoinv(", ", (char **)j->words) : g_strdup_printf("0 to %" PRIu64, j->most);
}

static void refuse_value(const PbInjection *j, const char *value, Error **errp)
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
    refuse_value(j, word, errp);
    return false;
}
