/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/scenario_file.h"

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

static bool read_line(GArray *lines, const char *file, const char *text, unsigned number)
{
    PbScenarioLine l = { .number = number, .words = words_of(text) };
    guint n = g_strv_length(l.words);

    if (n == 0) {
        g_strfreev(l.words);
        return true;
    }
    if (n != 4) {
        return pb_scenario_refuse(file, number, "it has %u words; legal are four: TIME DEVICE inject-PROPERTY VALUE", n);
    }
    if (!parse_time(l.words[0], &l.ns)) {
        return pb_scenario_refuse(file, number, "time '%s': legal are a number and ns, us, ms or s, as in 1.5ms", l.words[0]);
    }
    g_array_append_val(lines, l);
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
    GArray *lines;

    if (!g_file_get_contents(file, &text, NULL, &error)) {
        fprintf(stderr, "perfboard: scenario=%s: %s\n", file, error->message);
        return NULL;
    }
    lines = g_array_new(false, false, sizeof(PbScenarioLine));
    all = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; all[i]; i++) {
        if (!read_line(lines, file, all[i], i + 1)) {
            return NULL; /* QEMU ends */
        }
    }
    g_array_sort(lines, by_time);
    return lines;
}
