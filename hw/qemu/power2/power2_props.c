/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The card's properties: the node's geometry and what a miss costs, the clock; and at run time, errors that the memory corrects. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/power2/power2.h"

#define NOT_GIVEN UINT32_MAX

/* --- before the start -------------------------------------------------------------- */

void power2_nothing_given(Power2Device *s)
{
    s->dcache = s->icache = UINT64_MAX;
    s->dcache_ways = s->dcache_line = s->icache_ways = s->icache_line = NOT_GIVEN;
    s->tlb = s->tlb_ways = s->itlb = s->itlb_ways = NOT_GIVEN;
    s->dcache_penalty = s->tlb_penalty = s->icache_penalty = NOT_GIVEN;
}

static uint32_t or_nodes(uint32_t value, uint32_t nodes)
{
    return value == NOT_GIVEN ? nodes : value;
}

/* A size is clamped: no cache is that large, and p2_config_ok() says so. */
static uint32_t size_or_nodes(uint64_t value, uint32_t nodes)
{
    return value == UINT64_MAX ? nodes : MIN(value, UINT32_MAX);
}

bool power2_configure(Power2Device *s, P2Config *c, Error **errp)
{
    const char *isa = pb_cpu_isa();
    unsigned vcpus = current_machine->smp.max_cpus, most = MIN(P2_MOST_MONITORS, PB_MAX_VCPUS);
    enum P2Node node = P2_WIDE;
    char why[200];

    if (vcpus > most) {
        error_setg(errp, "power2-pm: -smp maxcpus=%u: it knows machines of 1 to %u vCPUs", vcpus, most);
        return false;
    }
    if (s->node && !p2_node_named(s->node, &node, why, sizeof(why))) {
        error_setg(errp, "power2-pm: %s", why);
        return false;
    }
    p2_config_default(c, node);
    c->clock_hz = s->clock;
    c->power = isa && !strcmp(isa, "ppc");
    c->own_mark = !c->power;
    c->stalls = s->stalls;
    c->geometry = (P2Geometry){
        .dcache = size_or_nodes(s->dcache, c->geometry.dcache),
        .dcache_ways = or_nodes(s->dcache_ways, c->geometry.dcache_ways),
        .dcache_line = or_nodes(s->dcache_line, c->geometry.dcache_line),
        .icache = size_or_nodes(s->icache, c->geometry.icache),
        .icache_ways = or_nodes(s->icache_ways, c->geometry.icache_ways),
        .icache_line = or_nodes(s->icache_line, c->geometry.icache_line),
        .tlb = or_nodes(s->tlb, c->geometry.tlb),
        .tlb_ways = or_nodes(s->tlb_ways, c->geometry.tlb_ways),
        .itlb = or_nodes(s->itlb, c->geometry.itlb),
        .itlb_ways = or_nodes(s->itlb_ways, c->geometry.itlb_ways),
        .bus = c->geometry.bus,
    };
    c->penalty = (P2Penalties){
        .dcache = or_nodes(s->dcache_penalty, c->penalty.dcache),
        .tlb = or_nodes(s->tlb_penalty, c->penalty.tlb),
        .icache = or_nodes(s->icache_penalty, c->penalty.icache),
    };
    if (!p2_config_ok(c, why, sizeof(why))) {
        error_setg(errp, "power2-pm: %s", why);
        return false;
    }
    return true;
}

bool power2_open_models(const P2Geometry *g, PbEventModels *models, Error **errp)
{
    CacheGeometry dcache = p2_dcache(g), icache = p2_icache(g);
    TlbGeometry tlb = p2_tlb(g), itlb = p2_itlb(g);
    char why[200];

    pb_bus_line(g->dcache_line);
    models->dcache = pb_model_caches(&dcache, why, sizeof(why));
    models->icache = models->dcache ? pb_model_fetches(&icache, why, sizeof(why)) : NULL;
    models->tlb = models->icache ? pb_model_tlb(&tlb, why, sizeof(why)) : NULL;
    models->itlb = models->tlb ? pb_model_fetch_tlb(&itlb, why, sizeof(why)) : NULL;
    if (!models->itlb) {
        error_setg(errp, "power2-pm: %s", why);
    }
    return models->itlb;
}

void power2_close_models(PbEventModels *models)
{
    PbModel *const all[] = { models->dcache, models->icache, models->tlb, models->itlb };

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        if (all[i]) {
            pb_model_close(all[i]);
        }
    }
    *models = (PbEventModels){ NULL };
    pb_bus_line(PB_BUS_LINE);
}

/* What is not given is the node's: such a property has no default of its own. */
#define OF_NODE(name, field) DEFINE_PROP_UNSIGNED_NODEFAULT(name, Power2Device, field, qdev_prop_uint32, uint32_t)
#define SIZE_OF_NODE(name, field) DEFINE_PROP_UNSIGNED_NODEFAULT(name, Power2Device, field, qdev_prop_size, uint64_t)

const PbProperty power2_properties[] = {
    { DEFINE_PROP_STRING("node", Power2Device, node), "thin, thin2 or wide (default): geometry and penalties of that node of the SP2" },
    { SIZE_OF_NODE("dcache", dcache), "data cache, bytes" },
    { OF_NODE("dcache-ways", dcache_ways), "its associativity" },
    { OF_NODE("dcache-line", dcache_line), "its lines, bytes" },
    { SIZE_OF_NODE("icache", icache), "instruction cache, bytes" },
    { OF_NODE("icache-ways", icache_ways), "its associativity" },
    { OF_NODE("icache-line", icache_line), "its lines, bytes" },
    { OF_NODE("tlb", tlb), "data TLB, entries" },
    { OF_NODE("tlb-ways", tlb_ways), "its associativity" },
    { OF_NODE("itlb", itlb), "instruction TLB, entries" },
    { OF_NODE("itlb-ways", itlb_ways), "its associativity" },
    { OF_NODE("dcache-penalty", dcache_penalty), "cycles that a miss of the data cache takes, 0 to 10000" },
    { OF_NODE("tlb-penalty", tlb_penalty), "of a TLB" },
    { OF_NODE("icache-penalty", icache_penalty), "of the instruction cache" },
    { DEFINE_PROP_UINT32("clock", Power2Device, clock, P2_DEFAULT_CLOCK), "of the processor, Hz, as the card tells it" },
    { DEFINE_PROP_BOOL("stalls", Power2Device, stalls, true), "off: misses take no cycles, and the cycle counter needs no model of a cache" },
    { DEFINE_PROP_STRING("opcodes", Power2Device, file[P2_OPCODES].name), "file for how often each opcode was executed" },
    { DEFINE_PROP_STRING("profile", Power2Device, file[P2_PROFILE].name), "file for what each instruction of a command was worth (perfboard profile)" },
    { DEFINE_PROP_STRING("profile-kernel", Power2Device, profile_kernel), "where the guest's kernel has its functions, as perfboard profile writes it" },
    { DEFINE_PROP_BOOL("profile-misses", Power2Device, profile_misses, false), "on: what each instruction missed, too" },
    { DEFINE_PROP_BOOL("profile-marked", Power2Device, profile_marked, false), "on: only while the process mark is set" },
    { DEFINE_PROP_STRING("profile-events", Power2Device, profile_events), "FROM:TO, data of two trace events: only from one to the other" },
    { DEFINE_PROP_BOOL("profile-calls", Power2Device, profile_calls, false), "on: who called whom, too" },
    { { NULL } }
};

/* --- at run time --------------------------------------------------------------------- */

static void set_errors(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    Power2Device *s = POWER2_PM(obj);
    uint32_t n;

    if (visit_type_uint32(v, name, &n, errp)) {
        if (!s->card.monitors) {
            error_setg(errp, "power2-pm: correctable-errors can be set in a running machine only");
            return;
        }
        p2_correctable_errors(&s->card.monitors[s->card.errors_cpu], n);
    }
}

static void get_errors_cpu(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &POWER2_PM(obj)->card.errors_cpu, errp);
}

static void set_errors_cpu(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    unsigned vcpus = current_machine->smp.max_cpus;
    uint32_t cpu;

    if (!visit_type_uint32(v, name, &cpu, errp)) {
        return;
    }
    if (cpu >= vcpus) {
        error_setg(errp, "power2-pm: correctable-errors-cpu=%u: legal are 0 to %u", cpu, vcpus - 1);
        return;
    }
    POWER2_PM(obj)->card.errors_cpu = cpu;
}

void power2_add_properties(ObjectClass *klass)
{
    pb_board_add(klass, "correctable-errors", "uint32", NULL, set_errors, "at run time: the memory corrects so many errors more");
    pb_board_add(klass, "correctable-errors-cpu", "uint32", get_errors_cpu, set_errors_cpu, "whose monitor counts them");
}
