/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter of a small Lisp, of the kind of SPEC's li: cells, an environment as a list, a collector that marks and sweeps. It runs the eight
 * queens' problem on a smaller board, as li does.
 *
 * The forms: quote if define lambda and or. Functions: cons car cdr null? + - = <. Numbers are cells, small ones once.
 * What a function of this file still needs across an allocation is on the stack `kept`, or reachable from there: cell() may collect.
 */
#include "study.h"

#include <string.h>

#include "guest/common/fatal.h"

static const char program[] =
	"(define append (lambda (a b) (if (null? a) b (cons (car a) (append (cdr a) b)))))"
	"(define apart (lambda (row away queens)"
	"  (or (null? queens)"
	"      (and (if (= row (car queens)) nil t)"
	"           (if (= (- row away) (car queens)) nil t)"
	"           (if (= (+ row away) (car queens)) nil t)"
	"           (apart row (+ away 1) (cdr queens))))))"
	"(define each-row (lambda (row size queens)"
	"  (if (= row size) nil"
	"      (append (if (apart row 1 queens) (place size (cons row queens)) nil)"
	"              (each-row (+ row 1) size queens)))))"
	"(define length (lambda (l) (if (null? l) 0 (+ 1 (length (cdr l))))))"
	"(define place (lambda (size queens) (if (= (length queens) size) (cons queens nil) (each-row 0 size queens))))"
	"(define answer (length (place 6 nil)))";
enum { SOLUTIONS = 4, CELLS = 12000, DEPTH = 4096, SMALL = 64, SYMBOLS = 64 };

enum kind { PAIR, NUMBER, SYMBOL, BUILTIN, CLOSURE };

typedef struct cell cell;
struct cell {
	unsigned char kind;
	bool marked;
	union {
		long number;
		struct {
			cell *first, *rest; /* CLOSURE: (parameters body), environment. SYMBOL: value, NULL if there is none */
		};
		cell *(*call)(cell *arguments);
	};
};

static cell *heap, *unused, *kept[DEPTH], *small[SMALL], *symbols[SYMBOLS];
static size_t depth, symbol_count;
static char names[SYMBOLS][16];
static cell *sym_quote, *sym_if, *sym_define, *sym_lambda, *sym_and, *sym_or, *sym_t;
static const char *text;

static void give_up(const char *what)
{
	refuse("lisp: %s", what);
	exit(1);
}

static cell *keep(cell *c)
{
	if (depth == DEPTH)
		give_up("too deep");
	return kept[depth++] = c;
}

static void mark(cell *c)
{
	while (c && !c->marked) {
		c->marked = true;
		if (c->kind == PAIR || c->kind == CLOSURE || c->kind == SYMBOL)
			mark(c->first);
		c = c->kind == PAIR || c->kind == CLOSURE ? c->rest : NULL;
	}
}

static void collect(void)
{
	for (size_t i = 0; i < depth; i++)
		mark(kept[i]);
	for (size_t i = 0; i < symbol_count; i++)
		mark(symbols[i]);
	for (size_t i = 0; i < SMALL; i++)
		mark(small[i]);
	for (size_t i = 0; i < CELLS; i++) {
		if (!heap[i].marked) {
			heap[i].kind = PAIR;
			heap[i].first = NULL;
			heap[i].rest = unused;
			unused = &heap[i];
		}
		heap[i].marked = false;
	}
}

static cell *new_cell(enum kind kind)
{
	cell *c;

	if (!unused)
		collect();
	if (!unused)
		give_up("no cell is left");
	c = unused;
	unused = c->rest;
	c->kind = (unsigned char)kind;
	c->first = c->rest = NULL;
	return c;
}

/* Both are kept by the caller. */
static cell *pair(enum kind kind, cell *first, cell *rest)
{
	cell *c = new_cell(kind);

	c->first = first;
	c->rest = rest;
	return c;
}

static cell *number(long value)
{
	cell *c;

	if (value >= 0 && value < SMALL && small[value])
		return small[value];
	c = new_cell(NUMBER);
	c->number = value;
	return c;
}

static cell *symbol(const char *name, size_t length)
{
	for (size_t i = 0; i < symbol_count; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return symbols[i];
	if (symbol_count == SYMBOLS || length >= sizeof(names[0]))
		give_up("too many names, or one too long");
	memcpy(names[symbol_count], name, length);
	symbols[symbol_count] = new_cell(SYMBOL);
	return symbols[symbol_count++];
}

/* --- reading --- */

static cell *read_list(void);

static cell *read_one(void)
{
	const char *word;
	size_t length;

	text += strspn(text, " ");
	if (*text == '(') {
		text++;
		return read_list();
	}
	word = text;
	length = strcspn(word, " ()");
	text += length;
	if (*word >= '0' && *word <= '9')
		return number(atol(word));
	if (length == 3 && !memcmp(word, "nil", 3))
		return NULL;
	return symbol(word, length);
}

static cell *read_list(void)
{
	const size_t before = depth;
	cell *first, *list;

	text += strspn(text, " ");
	if (*text == ')') {
		text++;
		return NULL;
	}
	first = keep(read_one());
	list = keep(read_list());
	list = pair(PAIR, first, list);
	depth = before;
	return list;
}

/* --- evaluating --- */

static cell *eval(cell *form, cell *env);

static cell *look_up(cell *name, const cell *env)
{
	for (; env; env = env->rest)
		if (env->first->first == name)
			return env->first->rest;
	if (!name->first)
		give_up("a name without a value");
	return name->first;
}

static cell *eval_list(cell *forms, cell *env)
{
	const size_t before = depth;
	cell *first, *list;

	if (!forms)
		return NULL;
	first = keep(eval(forms->first, env));
	list = keep(eval_list(forms->rest, env));
	list = pair(PAIR, first, list);
	depth = before;
	return list;
}

/* The closure's environment, and a value for each parameter. */
static cell *bind(cell *closure, cell *arguments)
{
	const size_t before = depth;
	cell *env = closure->rest;

	for (cell *name = closure->first->first; name; name = name->rest, arguments = arguments->rest) {
		cell *binding;

		keep(env);
		binding = keep(pair(PAIR, name->first, arguments->first));
		env = pair(PAIR, binding, env);
		depth = before;
	}
	return env;
}

/* The form that `if` selects; and, or: the first that decides, the last as a tail. */
static cell *chosen(cell *form, cell *env)
{
	cell *rest = form->rest;

	if (form->first == sym_if)
		return eval(rest->first, env) ? rest->rest->first : rest->rest->rest->first;
	for (; rest->rest; rest = rest->rest)
		if (!eval(rest->first, env) == (form->first == sym_and))
			return form->first == sym_and ? NULL : sym_t;
	return rest->first;
}

static cell *eval(cell *form, cell *env)
{
	const size_t before = depth;
	cell *value;

	for (;;) {
		depth = before;
		if (!form || form->kind == NUMBER)
			return form;
		if (form->kind == SYMBOL)
			return look_up(form, env);
		keep(form);
		keep(env);
		if (form->first == sym_if || form->first == sym_and || form->first == sym_or) {
			form = chosen(form, env);
			continue;
		}
		if (form->first == sym_quote)
			value = form->rest->first;
		else if (form->first == sym_lambda)
			value = pair(CLOSURE, form->rest, env);
		else if (form->first == sym_define)
			value = form->rest->first->first = eval(form->rest->rest->first, env);
		else {
			cell *function = keep(eval(form->first, env)), *arguments = keep(eval_list(form->rest, env));

			if (function->kind == CLOSURE) {
				item(depth);
				env = bind(function, arguments);
				form = function->first->rest->first;
				continue;
			}
			if (function->kind != BUILTIN)
				give_up("no function");
			value = function->call(arguments);
		}
		depth = before;
		return value;
	}
}

static cell *truth(bool is) { return is ? sym_t : NULL; }
static cell *do_cons(cell *a) { return pair(PAIR, a->first, a->rest->first); }
static cell *do_car(cell *a) { return a->first->first; }
static cell *do_cdr(cell *a) { return a->first->rest; }
static cell *do_null(cell *a) { return truth(!a->first); }
static cell *do_plus(cell *a) { return number(a->first->number + a->rest->first->number); }
static cell *do_minus(cell *a) { return number(a->first->number - a->rest->first->number); }
static cell *do_equal(cell *a) { return truth(a->first->number == a->rest->first->number); }
static cell *do_less(cell *a) { return truth(a->first->number < a->rest->first->number); }

static cell *named(const char *name) { return symbol(name, strlen(name)); }

static void define(const char *name, cell *(*call)(cell *))
{
	cell *function = new_cell(BUILTIN);

	function->call = call;
	named(name)->first = function;
}

static void prepare(void) { heap = pages(CELLS * sizeof(*heap)); }

/* From an empty heap: the same in each run. */
static void queens(void)
{
	memset(heap, 0, CELLS * sizeof(*heap));
	memset(small, 0, sizeof(small));
	memset(names, 0, sizeof(names));
	depth = symbol_count = 0;
	unused = NULL;
	collect();
	for (long n = 0; n < SMALL; n++)
		small[n] = number(n);
	sym_quote = named("quote");
	sym_if = named("if");
	sym_define = named("define");
	sym_lambda = named("lambda");
	sym_and = named("and");
	sym_or = named("or");
	sym_t = named("t");
	sym_t->first = sym_t;
	define("cons", do_cons);
	define("car", do_car);
	define("cdr", do_cdr);
	define("null?", do_null);
	define("+", do_plus);
	define("-", do_minus);
	define("=", do_equal);
	define("<", do_less);
	for (text = program; *text;) {
		depth = 0;
		eval(keep(read_one()), NULL);
	}
}

static bool right(void)
{
	const cell *answer = named("answer")->first;

	return answer && answer->kind == NUMBER && answer->number == SOLUTIONS;
}

static const struct variant variants[] = { { "queens", queens }, { 0 } };
const struct workload lisp = { "lisp", prepare, variants, right };
