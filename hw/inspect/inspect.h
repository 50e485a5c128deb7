/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbInspect - whoever looks at a board: what the bus's glue tells it, in C.
 *
 *   PbInspect *in = pb_inspect_new(&(PbInspectBoard){ .view = ..., .model = ..., .board = "surfboard", .unit = "2" });
 *   pb_inspect_log(in, "run.log", "text", PB_INSPECT_LOG_SIZE, why, sizeof why)      and filter, recent, break, coverage: who looks
 *   if (pb_inspect_looking(in))                                 nobody: nothing below need be called
 *       pb_inspect_begin(in, &access);  ... the model ...  pb_inspect_end(in, value);
 *   pb_inspect_effect(), _mistake(), _irq(), _reset(), _injected()   at any time, from any thread
 *
 * An access belongs to the thread that makes it: what the board tells of in that thread until the end is the access's doing, and all
 * else stands alone. So several threads may be in the middle of accesses at once. pb_inspect_given_up() says that the thread's
 * access will be made again later; what the board told of meanwhile has happened, and then stands alone.
 *
 * Setters answer false for what a user has given wrongly; `why` then gets the value and what is legal. Listeners are called one at a
 * time. Nothing of it changes the board, calls the model's entry points or reads a clock but PbInspectBoard.now().
 */
#ifndef PERFBOARD_INSPECT_INSPECT_H
#define PERFBOARD_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbInspect PbInspect;
typedef struct PbInspectAwait PbInspectAwait;

typedef struct PbInspectBoard {
    const void *view;  /* perfboard::BoardView; NULL: there is none, and accesses have offsets instead of names */
    const void *model; /* for the view's functions */
    const char *board; /* its name, if there is no view: "surfboard" */
    const char *unit;  /* which of several: "slot2", "04.0"; copied */
    void *opaque;      /* for the functions */
    /* Virtual ns; asked where no access is under way. */
    uint64_t (*now)(void *opaque);
    /* Around a look at the model. NULL: whoever begins, ends and asks for registers holds what is needed. */
    void (*lock)(void *opaque, bool on);
    /* Text for a log named "-". NULL: it goes to stderr. */
    void (*log)(const char *text, size_t bytes);
    /* An event that break= names has happened. Any thread, with the model's lock held perhaps. NULL: nobody cares. */
    void (*broke)(void *opaque);
} PbInspectBoard;

typedef struct PbInspectAccess {
    uint64_t ns;     /* virtual time */
    int vcpu;        /* -1: no processor makes it */
    bool has_pc;
    uint64_t pc;     /* of the instruction, guest-virtual */
    unsigned window; /* of the view's */
    uint64_t offset; /* bytes in the window */
    uint32_t bytes;  /* 1 to 8 */
    bool write;
    bool big;        /* the window is big-endian: the value's highest byte is at `offset` */
    bool none;       /* the board does not answer (it is gone) */
    uint64_t value;  /* of a write */
} PbInspectAccess;

PbInspect *pb_inspect_new(const PbInspectBoard *board);
/* The board goes: nobody looks any more, and what was told is in its files. An access may be in the middle yet. */
void pb_inspect_leave(PbInspect *in);
void pb_inspect_free(PbInspect *in); /* no access is; also of one that has not left */

/* --- who looks -------------------------------------------------------------- */

#define PB_INSPECT_WHY 320 /* room for a line that says what is wrong */

/* file: "-" is PbInspectBoard.log. format: "text" or "json"; NULL: text. size: bytes, or 0: no limit. Boards that name one file share it. */
#define PB_INSPECT_LOG_LEAST (1ull << 16)
#define PB_INSPECT_LOG_MOST (1ull << 50)
#define PB_INSPECT_LOG_SIZE (256ull << 20) /* where nobody says one: some two million lines */
bool pb_inspect_log(PbInspect *in, const char *file, const char *format, uint64_t size, char *why, size_t why_size);
/* Patterns (pattern.h), ';' between: what the log keeps; '!' in front: what it leaves out. "" or NULL: it keeps all. */
bool pb_inspect_filter(PbInspect *in, const char *patterns, char *why, size_t why_size);
/* One pattern; "" or NULL: none. */
bool pb_inspect_break(PbInspect *in, const char *pattern, char *why, size_t why_size);
/* The last n accesses and lone events are kept for pb_inspect_registers(). */
#define PB_INSPECT_MOST_RECENT 65536u
bool pb_inspect_recent(PbInspect *in, uint32_t n, char *why, size_t why_size);
/* come() is called at the next access or event that the pattern fits, in its thread and with its time, under no lock of the inspector's; after that
 * not until pb_inspect_await_on() switches it on again. NULL: `why` says what is wrong. */
PbInspectAwait *pb_inspect_await(PbInspect *in, const char *pattern, void (*come)(void *opaque, uint64_t ns), void *opaque, char *why, size_t why_size);
/* Off: nobody need look for it any more, also if it has come. */
void pb_inspect_await_on(PbInspect *in, PbInspectAwait *await, bool on);
/* What the guest touches of the board is counted, and added to the file by pb_inspect_flush() (coverage_file.h). */
bool pb_inspect_coverage(PbInspect *in, const char *file, char *why, size_t why_size);
bool pb_inspect_looking(const PbInspect *in);
/* break= names accesses: pb_inspect_breaks() is to be asked before each. */
bool pb_inspect_may_break(const PbInspect *in);

/* --- what happens ----------------------------------------------------------- */

/* Whether break= names this access, which has not begun. Of a read the value is what the board would say without side effects. */
bool pb_inspect_breaks(PbInspect *in, const PbInspectAccess *access);
void pb_inspect_begin(PbInspect *in, const PbInspectAccess *access);
void pb_inspect_end(PbInspect *in, uint64_t value); /* value: of a read */
void pb_inspect_given_up(void); /* the calling thread's access, if it is in the middle of one */

void pb_inspect_effect(PbInspect *in, unsigned number, uint64_t value);
void pb_inspect_mistake(PbInspect *in, unsigned number, const char *line);
void pb_inspect_irq(PbInspect *in, bool level);
void pb_inspect_reset(PbInspect *in);
void pb_inspect_injected(PbInspect *in, const char *property, uint64_t value); /* one that the view does not list is left out */

/* All that was logged and counted is in the files: the machine stands still, or ends. */
void pb_inspect_flush(void);

/* --- the registers ---------------------------------------------------------- */

/* One caller at a time. JSON: every register that can be peeked at, decoded, and the last accesses (README.md). free() it. ns: virtual time now. */
char *pb_inspect_registers(PbInspect *in, uint64_t ns, bool irq);
/* What asks for an interrupt, by the view's conditions: "ISCR.TP never acknowledged (write ISCR.TP=1)", commas between; "": none. free() it. */
char *pb_inspect_unserviced_irq(PbInspect *in, uint64_t ns);

#ifdef __cplusplus
}
#endif
#endif
