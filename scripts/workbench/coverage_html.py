# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `perfboard coverage --html`: one file, no network, light or dark as the reader's system is.

All of it is there without JavaScript; with it the tables can be sorted and filtered, and the address keeps what was chosen:
#q=ISCR&show=missing&sort=count. A count with a link leads to the accesses, where the log has them, and these lead back. Texts of the files are escaped, and the page's own policy forbids everything from outside.
"""

import html
import re

from workbench.coverage_data import FAULTS, KINDS, percent, share, shown, verdict
from workbench.logline import seconds

STYLE = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1c1e21; --soft: #656b73; --line: #d9dde2; --card: #f5f6f8;
  --yes: #1a7f4b; --no: #c0392b; --idle: #8a6d1a; --bar: #dfe3e8; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181b; --fg: #e4e6e9; --soft: #9aa1aa; --line: #33383e; --card: #1f2226; --yes: #4cc38a; --no: #ff7b6b;
    --idle: #d9b44a; --bar: #33383e; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--bg); color: var(--fg);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h2 b { float: right; font-variant-numeric: tabular-nums; }
nav { position: sticky; top: 0; background: var(--bg); padding: .6rem 0; border-bottom: 1px solid var(--line); display: flex;
  gap: .6rem; flex-wrap: wrap; align-items: center; }
nav input, nav select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 5px;
  padding: .3rem .5rem; }
nav input { flex: 1 1 16rem; }
#told { color: var(--soft); }
.kinds { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .6rem; margin-bottom: 1rem; }
.kinds div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; }
.kinds p { display: flex; justify-content: space-between; gap: .5rem; margin: 0; }
.kinds span { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
meter { display: block; width: 100%; height: 6px; margin-top: .35rem; appearance: none; background: var(--bar); border: 0;
  border-radius: 3px; }
meter::-webkit-meter-bar { background: var(--bar); border: 0; border-radius: 3px; height: 6px; }
meter::-webkit-meter-optimum-value { background: var(--yes); border-radius: 3px; }
meter::-moz-meter-bar { background: var(--yes); border-radius: 3px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
.at { margin: 0 0 1.2rem; width: auto; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; padding: .28rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--soft); }
th[aria-sort=ascending] button::after { content: " \\25b4"; }
th[aria-sort=descending] button::after { content: " \\25be"; }
td.n, th[data-sort=count] { text-align: right; font-variant-numeric: tabular-nums; }
td.name { font-family: ui-monospace, monospace; white-space: nowrap; }
[id] { scroll-margin-top: 4rem; }
a { color: inherit; }
:target { outline: 2px solid var(--idle); }
.at td.name { white-space: normal; }
td small { color: var(--soft); display: block; }
td ol { margin: .2rem 0 0; padding-left: 1.6rem; font-family: ui-monospace, monospace; font-size: .9em; }
.yes .s { color: var(--yes); } .missing .s, .fault .s { color: var(--no); font-weight: 600; } .ignored .s { color: var(--idle); }
li.no { color: var(--no); }
[hidden] { display: none; }
"""

SCRIPT = """
'use strict';
const q = document.getElementById('q'), show = document.getElementById('show'), told = document.getElementById('told');
const rows = [...document.querySelectorAll('.items tbody tr')];
let sort = '';
const hash = new URLSearchParams(location.hash.slice(1));
function filter() {
  const words = q.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let seen = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !((show.value === 'all' || row.classList.contains(show.value)) && words.every(w => text.includes(w)));
    seen += !row.hidden;
  }
  told.textContent = seen + ' of ' + rows.length;
}
function key(row, column) {
  const cell = row.querySelector('td.' + column);
  return column === 'n' ? BigInt(cell.textContent) : cell.textContent.toLowerCase();
}
function order() {
  const down = sort.startsWith('-'), column = {status: 's', kind: 'k', name: 'name', count: 'n', meaning: 'm', source: 'p'}[sort.replace('-', '')];
  for (const table of document.querySelectorAll('.items')) {
    const body = table.tBodies[0], mine = [...body.rows];
    const place = row => Number(row.dataset.place);
    mine.sort((a, b) => {
      const x = column ? key(a, column) : 0, y = column ? key(b, column) : 0;
      const first = x < y ? -1 : x > y ? 1 : 0;
      return (down ? -first : first) || place(a) - place(b);
    });
    body.append(...mine);
    for (const th of table.tHead.rows[0].cells) {
      if (th.dataset.sort === sort.replace('-', '')) th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    }
  }
}
function keep() {
  const kept = new URLSearchParams();
  if (q.value) kept.set('q', q.value);
  if (show.value !== 'all') kept.set('show', show.value);
  if (sort) kept.set('sort', sort);
  try { history.replaceState(null, '', '#' + kept); } catch (e) { /* a page that was not loaded from an address */ }
}
document.querySelector('nav').hidden = false;
for (const th of document.querySelectorAll('.items th')) {
  const button = document.createElement('button');
  button.append(...th.childNodes);
  th.append(button);
  button.onclick = () => { sort = sort === th.dataset.sort ? '-' + sort : th.dataset.sort; order(); keep(); };
}
q.oninput = show.onchange = () => { filter(); keep(); };
q.value = hash.get('q') || '';
if ([...show.options].some(o => o.value === hash.get('show'))) show.value = hash.get('show');
sort = hash.get('sort') || '';
order();
filter();
window.onhashchange = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || !target.hidden) return;
  q.value = ''; show.value = 'all';
  filter();
  target.scrollIntoView();
};
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<nav hidden>
<input id="q" type="search" placeholder="Filter: a register, a word, a page" aria-label="Filter">
<select id="show" aria-label="Which rows">
<option value="all">all</option><option value="missing">not covered</option><option value="yes">covered</option>
<option value="ignored">ignored</option><option value="fault">mistakes</option>
</select>
<span id="told"></span>
</nav>
{boards}
<script>{script}</script>
</body>
</html>
"""


def state(item):
    """Its class, and the word in its first column; None: nothing is to be said of it."""
    if not item.counts():
        return ("fault", item.kind) if item.count else None
    if item.count:
        return "yes", "covered"
    return ("ignored", "ignored") if item.ignored else ("missing", "not covered")


def anchor(name, item):
    return html.escape(re.sub(r"[^\w.=:\[\]-]", "_", f"{name}:{item.kind}:{item.name}"))


def row(name, items, item, place):
    e = html.escape
    kind, word = state(item)
    more = ""
    if item.ignored:
        more = f"<small>ignored: {e(item.ignored)}</small>"
    elif item.missing() and verdict(items, item) != KINDS[item.kind][1]:
        more = f"<small>{e(verdict(items, item))}</small>"
    if item.steps:
        more += "<ol>" + "".join(f"<li{'' if n else ' class=no'}>{e(step)} ({n})</li>" for step, n in item.steps) + "</ol>"
    at = anchor(name, item)
    count = f'<a href="#at:{at}">{item.count}</a>' if item.places else item.count
    return (f'<tr class="{kind}" id="{at}" data-place="{place}"><td class="s">{word}</td><td class="k">{item.kind}</td>'
            f'<td class="name">{e(item.name)}</td><td class="n">{count}</td><td class="m">{e(item.text)}{more}</td>'
            f'<td class="p">{e(item.source)}</td></tr>')


def accesses(name, items):
    """A table for all items that have the same places."""
    e, groups = html.escape, {}
    for i in items:
        if i.places:
            groups.setdefault(repr(i.places), []).append(i)
    if groups:
        yield "<h3>Accesses</h3>"
    for group in groups.values():
        back = ", ".join(f'<a id="at:{anchor(name, i)}" href="#{anchor(name, i)}">{e(i.name)}</a> {i.kind}' for i in group)
        yield (f'<div class="wide"><table class="at"><caption>{back}</caption>'
               '<tr><th>place<th>how often<th>first, s<th>line of the log</tr>'
               + "".join(f'<tr><td class="name">{e(p.text)}<td class="n">{p.count}<td class="n">{seconds(p.ns)}<td>{e(p.log)}:{p.line}</tr>'
                         for p in group[0].places) + "</table></div>")


def board(name, items):
    tiles = []
    for kind, (heading, _) in KINDS.items():
        of_kind = [i for i in items if i.kind == kind]
        if of_kind:
            covered, total = share(of_kind)
            tiles.append(f'<div><p>{heading} <span>{covered} of {total}</span></p>'
                         f'<meter min="0" max="100" value="{percent(of_kind):.2f}"></meter></div>')
    told = [i for kind in [*FAULTS, *KINDS] for i in items if i.kind == kind and state(i)]
    told.sort(key=lambda i: {"fault": 0, "missing": 1}.get(state(i)[0], 2))  # what is to be done first; then the view's order
    heads = "".join(f'<th data-sort="{h}" scope="col">{h}</th>' for h in ("status", "kind", "name", "count", "meaning", "source"))
    covered, total = share(items)
    return (f'<section><h2 id="{html.escape(name)}">{html.escape(name)} <b>{shown(percent(items))} %, {covered} of {total}</b></h2>\n'
            f'<div class="kinds">{"".join(tiles)}</div>\n<div class="wide"><table class="items"><thead><tr>{heads}</tr></thead>\n<tbody>\n'
            + "\n".join(row(name, items, i, n) for n, i in enumerate(told)) + "\n</tbody></table></div>\n" + "\n".join(accesses(name, told)) + "</section>")


def page(boards):
    title = "Coverage of " + (", ".join(boards) if boards else "no board")
    return PAGE.format(title=html.escape(title), style=STYLE, script=SCRIPT, boards="\n".join(board(n, i) for n, i in boards.items()))
