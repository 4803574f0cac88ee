# plot.py
#
# Draws the picture of an experiment from its measurements:
#
#	python3 bench/plot.py NAME FILE.tsv PICTURE.svg
#
# A picture is a row of panels.  A panel has a title and series: for each, the values
# at each place of the x axis, of which medians, lowest and highest are drawn.  The
# same data always give the same file.  Needs matplotlib (Debian: python3-matplotlib).

import csv
import statistics
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

COLUMNS = 4									# panels beside each other
COLORS = ["#336791", "#c8641e", "#2e8b57", "#9ebcd6", "#16324a", "#b04a8b", "#8a7a33"]

plt.rcParams.update({
    "svg.hashsalt": "commit_stats",			# names of parts are not random
    "svg.fonttype": "none",					# text stays text: small and searchable
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
})


def read(path):
    """Rows as dictionaries; what looks like a number is one, '' is None."""

    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None

    with open(path, newline="", encoding="utf-8") as file:
        return [{name: value(text) for name, text in row.items()}
                for row in csv.DictReader(file, delimiter="\t")]


def text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def by(rows, *columns):
    """The rows in groups of the same values in these columns, in their order."""
    groups = {}
    for row in rows:
        key = tuple(row[c] for c in columns)
        groups.setdefault(key[0] if len(columns) == 1 else key, []).append(row)
    return groups


def series(rows, name, x, y):
    """The values of y by x, for each value of the column "name"."""
    return {text(of): {place: [r[y] for r in there if r[y] is not None]
                       for place, there in by(rs, x).items()}
            for of, rs in by(rows, name).items()}


def ratios(rows, column, is_base):
    """The rows with y: the column as a ratio to that of the base row of the round."""
    base = {r["round"]: r[column] for r in rows if is_base(r)}
    return [{**r, "y": r[column] and base[r["round"]] and r[column] / base[r["round"]]}
            for r in rows]


def draw_panel(axis, title, lines, log):
    places = {x: None for of in lines.values() for x in of}
    places = sorted(places) if all(isinstance(x, float) for x in places) else list(places)

    for n, (name, of) in enumerate(lines.items()):
        of = {x: values for x, values in of.items() if values}
        medians = [statistics.median(values) for values in of.values()]
        axis.errorbar([places.index(x) + 0.1 * (n - len(lines) / 2) for x in of], medians,
                      yerr=[[m - min(v) for m, v in zip(medians, of.values())],
                            [max(v) - m for m, v in zip(medians, of.values())]],
                      fmt="o", markersize=4, capsize=2, label=name, color=COLORS[n % len(COLORS)])
    names = [text(x).replace(" and ", "\nand ").replace(", ", ",\n") for x in places]
    longest = max(map(len, names), default=0)
    axis.set_xticks(range(len(places)), names, rotation=90 if longest > 8 else 0,
                    fontsize=8 if len(places) > 6 or longest > 8 else None)
    axis.set_xlim(-0.6, len(places) - 0.4)
    axis.set_title(title)
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)
    if log:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
    elif min([0] + [v for of in lines.values() for values in of.values() for v in values]) >= 0:
        axis.set_ylim(bottom=0)


def draw(title, panels, rows, path):
    """Panels with the same series share the legend of the first."""
    columns = min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(lines, columns, squeeze=False, layout="constrained",
                                figsize=(max(2.6 * columns, 8), 2.8 * lines + 0.6))
    shown = set()

    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, (name, of, *log) in zip(axes.flat, panels):
        draw_panel(axis, name, of, bool(log))
        if len(of) > 1 and tuple(of) not in shown:
            axis.legend(fontsize=7)
        shown.add(tuple(of))
    figure.suptitle(f"{title}\nmedian, lowest to highest; {rows[0]['server'].split(' (')[0]}",
                    fontsize=10)
    # without date and version of matplotlib
    figure.savefig(path, metadata={"Date": None, "Creator": None}
                   if path.endswith(".svg") else None)


def limit_of(rows):
    limit = rows[0]["write_limit"]
    return f"at most {limit:g} writes/s" if limit else "no limit on the disk's writes"


def adaptive_delay(rows):
    """The cases of the set "clients", compared with the best fixed pair of each, on
    devices with several numbers of clients."""
    panels = []

    for device, of_device in by([r for r in rows if r["set"] == "clients"], "device").items():
        if len(by(of_device, "clients")) == 1:
            continue
        for column, what in ("commits_per_second", "commits/s"), ("p99", "p99"):
            compared = []
            for of in by(of_device, "filesystem", "clients").values():
                arms = {arm: statistics.median(r["commits_per_second"] for r in rs)
                        for arm, rs in by(of, "arm").items() if arm != "on"}
                best = max(arms, key=arms.get)
                base = statistics.median(r[column] for r in of if r["arm"] == best)
                compared += [{**r, "y": r[column] / base} for r in of if r["arm"] == "on"]
            name = f"{device:g} writes/s" if isinstance(device, float) else device
            panels.append((f"{name}: {what}", series(compared, "filesystem", "clients", "y"),
                           *["log"] * (column == "p99")))
    return ("Adaptive delay, by clients, as a ratio to the best fixed pair",
            panels or [("no case of the set clients was measured", {})])


def commit_delay(rows):
    sweeps = [r for of in by(rows, "kind").values()
              for r in ratios(of, "commits_per_second", lambda r: r["commit_delay"] == 0)]
    albe = {r["commit_delay"]: r for r in rows}
    fixed = [r for r in rows if r["kind"] == "fixed"]

    return f"commit_delay (us), {limit_of(rows)}", [
        ("commits/s, ratio to no delay",
         {**series(sweeps, "kind", "commit_delay", "y"),
          "Albe (2024)": {d: [r["albe_commits"] / albe[0]["albe_commits"]] for d, r in albe.items()}}),
        ("of the disk, each second",
         {**{what: {d: [r[column] for r in of if r[column]] for d, of in by(fixed, "commit_delay").items()}
             for column, what in (("writes_per_second", "writes"), ("flushes_per_second", "flushes"))},
          "writes, Albe": {d: [r["albe_writes"]] for d, r in albe.items()}})]


def commit_siblings(rows):
    panels = []

    for clients, of in sorted(by(rows, "clients").items()):
        base = statistics.median(r["commits_per_second"] for r in of if r["commit_delay"] == 0)
        compared = [{**r, "name": f"siblings {r['commit_siblings']:g}",
                     "y": r["commits_per_second"] / base} for r in of]
        panels.append((f"{clients:g} clients", series(compared, "name", "commit_delay", "y")))
    return f"Commits/s by commit_delay (us), ratio to no delay, {limit_of(rows)}", panels


def group_commit(rows):
    rows = [{**r, "name": f"commit_delay {r['commit_delay']:g}"} for r in rows
            if not r["followed_by"]]
    return "Flushes of a one-row INSERT, by clients", [
        (title, series(rows, "name", "clients", column))
        for title, column in (("commits in a flush", "commits_per_flush"),
                              ("commits/s", "commits_per_second"), ("flushes/s", "flushes_per_second"))]


def mixed_load(rows):
    panels = []

    for title, column, theirs in (("operations/s", "ops_per_second", 13.82),
                                  ("connections that wait", "waiting", -1),
                                  ("time the WAL's disk is busy", "wal_busy", -10)):
        changes = []
        for (limit, _), of in by(rows, "write_limit", "clients").items():
            changes += [{**r, "name": "limited" if limit else "disk as it is", "y": r["y"] and 100 * (r["y"] - 1)}
                        for r in ratios(of, column, lambda r: r["commit_delay"] == 0) if r["commit_delay"]]
        panels.append((title, {**series(changes, "name", "clients", "y"),
                               "PG_HAZEL": {r["clients"]: [theirs] for r in rows}}))
    return "Change in % by commit_delay, by connections", panels


def synchronous_commit(rows):
    compared = ratios(rows, "commits_per_second", lambda r: r["setting"] == "on (sync)")
    moppel = {r["setting"]: r["moppel"] for r in rows if r["moppel"]}
    return "synchronous_commit with a standby on the same machine", [
        ("commits/s, ratio to on (sync)",
         {"here": {s: [r["y"] for r in of] for s, of in by(compared, "setting").items()},
          "Moppel (2016)": {s: [n / moppel["on (sync)"]] for s, n in moppel.items()}}),
        ("latency, ms",
         {what: {s: [r[column] for r in of if r[column]] for s, of in by(rows, "setting").items()}
          for column, what in (("commit_ms", "COMMIT, mean"), ("p50", "p50"), ("p99", "p99"))}, "log")]


def checkpoint_distance(rows):
    return f"The same {rows[0]['commits']:,.0f} transactions, by checkpoint distance", [
        (title, {"": {d: [figure(r) for r in of] for d, of in by(rows, "distance").items()}})
        for title, figure in (("WAL bytes per commit", lambda r: r["wal_bytes"] / r["commits"]),
                              ("... of full-page images", lambda r: r["image_bytes"] / r["commits"]),
                              ("WAL records per commit", lambda r: r["records"] / r["commits"]))]


def whatif(rows):
    return "Commits/s by commit_delay (us)", [
        (f"{disk} disk, {script}, {clients:g} clients",
         dict(sorted(series(of, "kind", "commit_delay", "commits_per_second").items())))
        for (disk, script, clients), of in by(rows, "disk", "script", "clients").items()]


def cost(rows):
    """Instructions in each layout of memory; transactions/s in each pair of servers."""
    counted = [r for r in rows if r["kind"] == "instructions" and r["max_connections"] == 100]
    base = {(r["workload"], r["round"]): r["instructions"] for r in counted
            if r["preloaded"] == "nothing"}
    more = [{**r, "y": r["instructions"] - base[r["workload"], r["round"]]} for r in counted
            if r["preloaded"] != "nothing" and "SET" not in r["workload"]]
    panels = [("instructions more per transaction", series(more, "workload", "preloaded", "y"))]
    changes = [{**r, "y": 100 * (r["y"] - 1)}
               for kind, workload in by([r for r in rows if r["kind"] in ("same", "cost")], "kind", "workload")
               for r in ratios([r for r in rows if (r["kind"], r["workload"]) == (kind, workload)],
                               "per_second", lambda r: r["preloaded"] == "without")
               if r["preloaded"] != "without"]
    if changes:
        names = {"same": "two servers without the library", "cost": "without and with it"}
        panels.append(("transactions/s, change in %",
                       series([{**r, "kind": names[r["kind"]]} for r in changes], "kind", "workload", "y")))
    return "What commit_stats costs", panels


PICTURES = {function.__name__.replace("_", "-"): function
            for function in (adaptive_delay, checkpoint_distance, commit_delay, commit_siblings,
                             cost, group_commit, mixed_load, synchronous_commit, whatif)}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in PICTURES:
        sys.exit(f"usage: python3 bench/plot.py {'|'.join(PICTURES)} FILE.tsv PICTURE.svg")
    measured = read(sys.argv[2])
    draw(*PICTURES[sys.argv[1]](measured), measured, sys.argv[3])
