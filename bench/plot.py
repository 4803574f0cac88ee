# plot.py
#
# Draws the picture of an experiment from its measurements:
#
#	python3 bench/plot.py NAME FILE.tsv PICTURE.svg
#
# Each picture has a function of the experiment's name.  The same data always give
# the same file.  Needs matplotlib (Debian: python3-matplotlib).

import csv
import statistics
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import LogNorm
from matplotlib.ticker import FuncFormatter, NullFormatter

OURS, THEIRS, COMMIT = "#336791", "#c8641e", "#2e8b57"
SHADES = ["#9ebcd6", "#336791", "#16324a"]		# light to dark

plt.rcParams.update({
    "svg.hashsalt": "commit_stats",				# names of parts are not random
    "svg.fonttype": "none",						# text stays text: small and searchable
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 9,
})


def save(figure, path):
    """Without date and version of matplotlib, if it is an SVG."""
    svg = path.endswith(".svg")
    figure.savefig(path, metadata={"Date": None, "Creator": None} if svg else None)


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


def median_and_error(values):
    """Median, and how far lowest and highest are from it, for error bars."""
    median = statistics.median(values)
    return median, [[median - min(values)], [max(values) - median]]


def plain_log_axis(axis, ticks):
    """A logarithmic x axis with plain numbers at these places only."""
    axis.set_xscale("log")
    axis.set_xticks(ticks)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.minorticks_off()
    axis.grid(axis="x", color="#dddddd", linewidth=0.8)


def ratios_to(rows, column, setting):
    """For each setting its ratios to another one, each within a round."""
    base = {r["round"]: r[column] for r in rows if r["setting"] == setting}
    ratios = {}
    for r in rows:
        ratios.setdefault(r["setting"], []).append(r[column] / base[r["round"]])
    return ratios


def draw_commit_ratios(axis, rows, settings, base):
    """Commits/s as ratios, with Moppel's beside them."""
    ratios = ratios_to(rows, "commits_per_second", base)
    theirs = {r["setting"]: r["moppel"] for r in rows}
    everything = []

    for y, setting in enumerate(settings):
        median, error = median_and_error(ratios[setting])
        axis.errorbar(median, y - 0.12, xerr=error, fmt="o", color=OURS, capsize=3,
                      label="measured here: median, lowest to highest" if y == 0 else None)
        axis.annotate(f"{median:.2f}", (median, y - 0.12), xytext=(0, 6),
                      textcoords="offset points", ha="center", fontsize=8.5, color=OURS)
        everything += ratios[setting]
        if theirs[setting]:
            ratio = theirs[setting] / theirs[base]
            axis.plot(ratio, y + 0.2, "D", color=THEIRS, markerfacecolor="white",
                      label="Moppel (2016), two machines" if y == 0 else None)
            axis.annotate(f"{ratio:.2f}", (ratio, y + 0.2), xytext=(8, -3),
                          textcoords="offset points", fontsize=8.5, color=THEIRS)
            everything.append(ratio)
    axis.axvline(1, color="#999999", linewidth=0.8)
    plain_log_axis(axis, [t for t in (0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20)
                          if min(everything) / 1.25 < t < max(everything) * 1.25])
    axis.set_xlim(min(everything) / 1.12, max(everything) * 1.2)
    axis.set_xlabel(f"commits/s, ratio to {base} (log)")
    axis.legend(loc="upper center", bbox_to_anchor=(0.45, -0.13))


def draw_latencies(axis, rows, settings):
    """Percentiles of the transactions' latency, and what COMMIT is of it."""
    series = [("commit_ms", "COMMIT alone, mean", "s", COMMIT)] + [
        (name, name, "o", color) for name, color in zip(("p50", "p95", "p99"), SHADES)]

    for place, (column, name, marker, color) in enumerate(series):
        for y, setting in enumerate(settings):
            values = [r[column] for r in rows if r["setting"] == setting and r[column]]
            if not values:						# nobody waited for a flush
                continue
            median, error = median_and_error(values)
            axis.errorbar(median, y + (place - 1.5) * 0.15, xerr=error, fmt=marker,
                          markersize=5, color=color, capsize=2.5,
                          label=name if setting == settings[-1] else None)
    values = [r[c] for r in rows for c in ("p50", "p99", "commit_ms") if r[c]]
    plain_log_axis(axis, [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
                          if min(values) / 1.5 < t < max(values) * 1.5])
    axis.set_xlabel("latency of a transaction, ms (log)")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=4, columnspacing=1,
                handletextpad=0.3)


def synchronous_commit(rows):
    settings = ["off (async)", "on (async)", "remote_write (sync)", "on (sync)",
                "local (sync)", "remote_apply (sync)"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.9), sharey=True)

    draw_commit_ratios(left, rows, settings, "on (sync)")
    draw_latencies(right, rows, settings)
    left.set_yticks(range(len(settings)), settings)
    left.set_ylim(len(settings) - 0.5, -0.5)
    figure.suptitle(
        "synchronous_commit with a streaming standby on the same machine\n"
        f"{rows[0]['clients']:g} pgbench clients, TPC-B, "
        f"{max(r['round'] for r in rows):g} rounds of {rows[0]['seconds']:g} s, "
        f"{rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.subplots_adjust(left=0.175, right=0.98, top=0.87, bottom=0.23, wspace=0.06)
    return figure


def draw_wal_per_commit(axis, rows):
    """What a commit logs: full-page images, and all else."""
    names = []

    for x, distance in enumerate(("short", "long")):
        of = [r for r in rows if r["distance"] == distance]
        other = statistics.median((r["wal_bytes"] - r["image_bytes"]) / r["commits"] for r in of)
        total, error = median_and_error([r["wal_bytes"] / r["commits"] for r in of])
        axis.bar(x, other, 0.6, color=SHADES[2],
                 label="other WAL" if x == 0 else None)
        axis.bar(x, total - other, 0.6, bottom=other, yerr=error, capsize=4, color=SHADES[0],
                 label="full-page images" if x == 0 else None)
        axis.annotate(f"{total:,.0f} bytes\n{100 * (total - other) / total:.0f}% images",
                      (x, total + error[1][0]), xytext=(0, 5), textcoords="offset points",
                      ha="center", fontsize=9)
        checkpoints = statistics.median(r["checkpoints"] for r in of)
        names.append(f"{distance}\n{checkpoints:g} checkpoints\n"
                     f"max_wal_size {of[0]['max_wal_size']}")
    axis.set_xticks([0, 1], names)
    axis.set_xlim(-0.6, 1.6)
    axis.margins(y=0.2)
    axis.set_ylabel("WAL per commit, bytes")
    axis.set_title("WAL of a commit")
    handles, labels = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], labels[::-1], loc="upper right")


def draw_distance_ratios(axis, rows):
    """Short to long, as ratios; Schönig's where he has one."""

    def ratios(figure):
        of = {(r["round"], r["distance"]): figure(r) for r in rows}
        return [of[n, "short"] / of[n, "long"] for n, d in of if d == "short"]

    bars = [("WAL bytes,\nSchönig", lambda r: r["schoenig_bytes"], THEIRS),
            ("WAL bytes", lambda r: r["wal_bytes"], OURS),
            ("full-page\nimages", lambda r: r["images"], OURS),
            ("WAL records", lambda r: r["records"], OURS)]
    for y, (_, figure, color) in enumerate(bars):
        median, error = median_and_error(ratios(figure))
        axis.errorbar(median, y, xerr=error, fmt="D" if color == THEIRS else "o",
                      color=color, capsize=3, markerfacecolor="white" if color == THEIRS else color)
        axis.annotate(f"{median:.1f}", (median, y), xytext=(0, 8),
                      textcoords="offset points", ha="center", fontsize=9, color=color)
    axis.axvline(1, color="#999999", linewidth=0.8)
    axis.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axis.set_ylim(len(bars) - 0.5, -0.5)
    plain_log_axis(axis, [1, 2, 5, 10, 20, 50, 100])
    axis.set_xlim(0.8, 1.5 * max(max(ratios(figure)) for _, figure, _ in bars))
    axis.set_xlabel("short distance / long distance (log)")
    axis.set_title("What the short distance adds")


def checkpoint_distance(rows):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.6))

    draw_wal_per_commit(left, rows)
    draw_distance_ratios(right, rows)
    figure.suptitle(
        f"The same {rows[0]['commits']:,.0f} transactions with short and long checkpoint distance\n"
        f"{rows[0]['clients']:g} pgbench clients, TPC-B, scale {rows[0]['scale']:g}, "
        f"{max(r['round'] for r in rows):g} rounds, lowest to highest, "
        f"{rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.subplots_adjust(left=0.085, right=0.98, top=0.82, bottom=0.19, wspace=0.32)
    return figure


def by(rows, *columns):
    """The rows in groups of the same values in these columns."""
    groups = {}
    for r in rows:
        key = tuple(r[c] for c in columns)
        groups.setdefault(key[0] if len(key) == 1 else key, []).append(r)
    return groups


def limit_of(rows):
    """What the disk was limited to."""
    limit = rows[0]["write_limit"]
    return f"at most {limit:g} writes/s" if limit else "no limit on the disk's writes"


def ratios_to_no_delay(rows):
    """For each commit_delay the commits/s, each as a ratio to 0 of its round."""
    base = {r["round"]: r["commits_per_second"] for r in rows if r["commit_delay"] == 0}
    return {delay: [r["commits_per_second"] / base[r["round"]] for r in of]
            for delay, of in by(rows, "commit_delay").items()}


def draw_points(axis, values, shift=0, line="-", **look):
    """Medians of the lists of values, at their places, from lowest to highest."""
    places = sorted(values)
    medians, errors = zip(*(median_and_error(values[x]) for x in places))
    axis.errorbar([x + shift for x in places], medians,
                  yerr=[[e[0][0] for e in errors], [e[1][0] for e in errors]],
                  linestyle=line, capsize=2.5, **look)


def draw_delay_ratios(axis, rows):
    """Commits/s by commit_delay: alone, in the sweeps, and Albe's."""
    kinds = by(rows, "kind")
    albe = {r["commit_delay"]: r["albe_commits"] for r in rows}

    draw_points(axis, ratios_to_no_delay(kinds["fixed"]), fmt="o", color=OURS,
                label="each delay alone: median, lowest to highest")
    draw_points(axis, ratios_to_no_delay(kinds["sweep"]), shift=12, line="none", fmt="s",
                markersize=4.5, color=COMMIT, label="commit_delay_sweep(), all delays in turn")
    axis.plot(sorted(albe), [albe[d] / albe[0] for d in sorted(albe)], "D--", color=THEIRS,
              markerfacecolor="white", markersize=5, linewidth=1, label="Albe (2024), 8 processors")
    for r in kinds["sweep"]:
        if r["is_best"] == "t":
            axis.plot(r["commit_delay"], 0.03 + 0.03 * (r["round"] - 1), "^", color=COMMIT,
                      transform=axis.get_xaxis_transform(), clip_on=False,
                      label="best delay of a sweep" if r["round"] == 1 else None)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("commit_delay, us")
    axis.set_title("commits/s, ratio to no delay")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))


def draw_delay_writes(axis, rows):
    """What the disk had to do for it."""
    fixed = [r for r in rows if r["kind"] == "fixed"]
    albe = {r["commit_delay"]: r["albe_writes"] for r in rows}

    for column, name, marker, color in (("writes_per_second", "writes/s of the server", "o", OURS),
                                        ("flushes_per_second", "flushes/s", "s", SHADES[0])):
        of = {d: [r[column] for r in rs if r[column] is not None]
              for d, rs in by(fixed, "commit_delay").items()}
        if all(of.values()):
            draw_points(axis, of, fmt=marker, markersize=5, color=color, label=name)
    axis.plot(sorted(albe), [albe[d] for d in sorted(albe)], "D--", color=THEIRS,
              markerfacecolor="white", markersize=5, linewidth=1, label="IOPS, Albe")
    axis.set_ylim(bottom=0)
    axis.set_xlabel("commit_delay, us")
    axis.set_title("what the disk does, each second")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))


def commit_delay(rows):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5.2))

    draw_delay_ratios(left, rows)
    draw_delay_writes(right, rows)
    figure.suptitle(
        f"commit_delay with {limit_of(rows)}\n"
        f"{rows[0]['clients']:g} pgbench clients, simple-update, scale {rows[0]['scale']:g}, "
        f"{max(r['round'] for r in rows):g} rounds of {rows[0]['seconds']:g} s, "
        f"{rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.subplots_adjust(left=0.06, right=0.98, top=0.83, bottom=0.29, wspace=0.16)
    return figure


def draw_pairs(axis, rows, colors):
    """One field for each pair, with its ratio written in it."""
    delays = sorted({r["commit_delay"] for r in rows} - {0})
    siblings = sorted({r["commit_siblings"] for r in rows})
    none = statistics.median(r["commits_per_second"] for r in rows if r["commit_delay"] == 0)
    pairs = {k: v[0] for k, v in by(rows, "commit_delay", "commit_siblings").items()}
    ratios = [[pairs[d, s]["commits_per_second"] / none for d in delays] for s in siblings]

    picture = axis.imshow(ratios, norm=colors, cmap="RdBu", origin="lower", aspect="auto")
    for y, s in enumerate(siblings):
        for x, d in enumerate(delays):
            best = pairs[d, s]["is_best"] == "t"
            strong = abs(colors(ratios[y][x]) - 0.5) > 0.32
            axis.text(x, y, f"{ratios[y][x]:.2f}", ha="center", va="center", fontsize=9,
                      color="white" if strong else "black", fontweight="bold" if best else None)
            if best:
                axis.add_patch(plt.Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False,
                                             edgecolor="black", linewidth=1.5))
    axis.set_xticks(range(len(delays)), [f"{d:g}" for d in delays])
    axis.set_yticks(range(len(siblings)), [f"{s:g}" for s in siblings])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    axis.set_xlabel("commit_delay, us")
    return picture


def commit_siblings(rows):
    sweeps = by([r for r in rows if r["kind"] == "sweep"], "clients")
    figure, axes = plt.subplots(1, len(sweeps), figsize=(9.6, 3.5), sharey=True)
    highest = max(r["commits_per_second"] / statistics.median(
        o["commits_per_second"] for o in of if o["commit_delay"] == 0)
        for of in sweeps.values() for r in of)
    highest = max(highest, 1.1)

    for axis, (clients, of) in zip(axes, sorted(sweeps.items())):
        picture = draw_pairs(axis, of, LogNorm(1 / highest, highest))
        axis.set_title(f"{clients:g} clients")
    axes[0].set_ylabel("commit_siblings")
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 1 / highest <= t <= highest]
    bar = figure.colorbar(picture, cax=figure.add_axes([0.925, 0.15, 0.015, 0.62]), ticks=ticks)
    bar.ax.set_yticklabels([f"{t:g}" for t in ticks])
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    figure.suptitle(
        f"Commits/s by commit_delay and commit_siblings, ratio to no delay, {limit_of(rows)}\n"
        "one commit_delay_sweep() each, its best pair framed; simple-update, "
        f"scale {rows[0]['scale']:g}, {rows[0]['server'].split(' (')[0]}", fontsize=11, y=0.985)
    figure.subplots_adjust(left=0.06, right=0.91, top=0.77, bottom=0.15, wspace=0.07)
    return figure


def draw_sizes(axis, rows):
    """How many commits flushes carry, for each number of clients and delay."""
    sizes = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 9), (10, 19), (20, 50)]
    runs = by([r for r in rows if not r["followed_by"]], "clients", "commit_delay")
    colors = plt.get_cmap("viridis_r")
    names = []

    for y, ((clients, delay), of) in enumerate(sorted(runs.items())):
        total = sum(r["flushes"] for r in of)
        left = 0
        for place, (low, high) in enumerate(sizes):
            share = 100 * sum(r["flushes"] for r in of
                              if low <= r["commits_in_flush"] <= high) / total
            axis.barh(y + 0.12 * (1 if delay == 0 else -1), share, 0.72, left=left,
                      color=colors((place + 0.4) / len(sizes)),
                      label=(f"{low}" if low == high else f"{low}-{high}") if y == 0 else None)
            if share >= 5:
                axis.text(left + share / 2, y + 0.12 * (1 if delay == 0 else -1), f"{share:.0f}",
                          ha="center", va="center", fontsize=8,
                          color="white" if place > 2 else "black")
            left += share
        mean = statistics.median(r["commits_per_flush"] for r in of)
        names.append(f"{clients:g} client{'s'[:clients > 1]}, " + ("no delay" if delay == 0 else f"{delay:g} us"))
        axis.text(101, y + 0.12 * (1 if delay == 0 else -1), f"{mean:.1f}", va="center", fontsize=9)
    axis.text(101, -0.75, "mean", va="center", fontsize=9)
    axis.set_yticks([y + 0.12 * (1 if y % 2 == 0 else -1) for y in range(len(names))], names)
    axis.set_ylim(len(names) - 0.4, -1)
    axis.set_xlim(0, 100)
    axis.set_xlabel("flushes that carry so many commits, %")
    axis.legend(loc="upper center", bbox_to_anchor=(0.4, -0.12), ncol=8, columnspacing=0.9,
                handlelength=1, handletextpad=0.3)


def draw_order(axis, rows):
    """How often a flush of n commits is followed by one of another size."""
    rows = [r for r in rows if r["followed_by"]]
    heikki = [4, 1, 4, 1, 4, 1, 4, 1, 3, 2, 3, 2, 3, 2, 3]
    pairs = [(4, 1), (1, 4), (3, 2), (2, 3), (4, 4), (1, 1)]
    total = sum(r["flushes"] for r in rows)

    for y, (n, following) in enumerate(pairs):
        of_n = sum(r["flushes"] for r in rows if r["commits_in_flush"] == n)
        both = sum(r["flushes"] for r in rows
                   if (r["commits_in_flush"], r["followed_by"]) == (n, following))
        chance = 100 * sum(r["flushes"] for r in rows if r["followed_by"] == following) / total
        his = [b for a, b in zip(heikki, heikki[1:]) if a == n]
        axis.barh(y, 100 * both / of_n if of_n else 0, 0.55, color=SHADES[0],
                  label="measured here" if y == 0 else None)
        axis.plot([chance, chance], [y - 0.38, y + 0.38], color=SHADES[2],
                  label="if they came in any order" if y == 0 else None)
        axis.plot(100 * his.count(following) / len(his), y, "D", color=THEIRS,
                  markerfacecolor="white", clip_on=False,
                  label="Heikki (2007), 15 flushes" if y == 0 else None)
    axis.set_yticks(range(len(pairs)), [f"{a} then {b}" for a, b in pairs])
    axis.set_ylim(len(pairs) - 0.4, -0.6)
    axis.set_xlim(0, 100)
    axis.set_xlabel("of the flushes of the first size, %")
    axis.set_title(f"what follows what: {rows[0]['clients']:g} clients, no delay")
    axis.legend(loc="upper center", bbox_to_anchor=(0.45, -0.12))


def group_commit(rows):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5), width_ratios=[1.5, 1])

    draw_sizes(left, rows)
    draw_order(right, rows)
    figure.suptitle(
        "Commits in a flush, a one-row INSERT\n"
        f"{max(r['round'] for r in rows):g} rounds of {rows[0]['seconds']:g} s, "
        f"{rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.subplots_adjust(left=0.165, right=0.98, top=0.85, bottom=0.25, wspace=0.35)
    return figure


def draw_change(axis, rows, column, theirs):
    """What the delay changes in a column, for each number of connections."""
    looks = {None: ("disk as it is", OURS, "o")}
    looks.update({r["write_limit"]: (f"at most {r['write_limit']:g} writes/s", COMMIT, "s")
                  for r in rows if r["write_limit"]})
    numbers = sorted({r["clients"] for r in rows})

    for limit, (name, color, marker) in looks.items():
        of = {(r["round"], r["clients"], r["commit_delay"] > 0): r[column]
              for r in rows if r["write_limit"] == limit}
        changes = {}
        for (turn, clients, delayed), value in of.items():
            without = of[turn, clients, False]
            if delayed and value is not None and without:
                changes.setdefault(numbers.index(clients), []).append(100 * (value / without - 1))
        if changes:
            draw_points(axis, changes, fmt=marker, markersize=5, color=color, label=name)
    axis.axhline(0, color="#999999", linewidth=0.8)
    axis.axhline(theirs, color=THEIRS, linestyle="--", linewidth=1.2,
                 label="PG_HAZEL (2025), average")
    axis.set_xticks(range(len(numbers)), [f"{n:g}" for n in numbers])
    axis.set_xlabel("connections")


def mixed_load(rows):
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 4.2))

    for axis, (column, title, theirs) in zip(axes, (
            ("ops_per_second", "operations/s, %", 13.82),
            ("waiting", "connections that wait, %", -1),
            ("wal_busy", "time the WAL's disk is busy, %", -10))):
        draw_change(axis, rows, column, theirs)
        axis.set_title(title)
    axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)
    delay = max(r["commit_delay"] for r in rows)
    figure.suptitle(
        f"What commit_delay = {delay:g} changes: 50 select, 30 select and update, 15 insert\n"
        f"{max(r['round'] for r in rows):g} rounds of {rows[0]['seconds']:g} s, lowest to highest, "
        f"{rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.subplots_adjust(left=0.06, right=0.98, top=0.79, bottom=0.23, wspace=0.24)
    return figure


def whatif(rows):
    """Commits/s by commit_delay: predicted, in the sweep, and alone; a panel per load."""
    loads = list(dict.fromkeys((r["disk"], r["script"], r["clients"]) for r in rows))
    columns = 4
    lines = -(-len(loads) // columns)
    height = 2.6 * lines + 0.8
    figure, axes = plt.subplots(lines, columns, figsize=(11, height), squeeze=False)
    kinds = [("fixed", "measured alone", "o", OURS), ("sweep", "sweep", "s", COMMIT),
             ("whatif", "predicted from 10 s without a delay", "D", THEIRS)]

    for axis in axes.flat[len(loads):]:
        axis.set_visible(False)
    for axis, load in zip(axes.flat, loads):
        of = [r for r in rows if (r["disk"], r["script"], r["clients"]) == load]
        places = {d: i for i, d in enumerate(sorted({r["commit_delay"] for r in of}))}
        for shift, (kind, name, marker, color) in enumerate(kinds):
            for delay, place in places.items():
                values = [r["commits_per_second"] for r in of
                          if r["kind"] == kind and r["commit_delay"] == delay]
                if not values:
                    continue
                median, error = median_and_error(values)
                axis.errorbar(place + (shift - 1) * 0.2, median, yerr=error, fmt=marker,
                              color=color, capsize=2, markersize=4,
                              label=name if place == 0 else None)
        axis.set_xticks(range(len(places)), [f"{d:g}" for d in places])
        axis.set_ylim(bottom=0)
        axis.tick_params(labelsize=8)
        axis.set_title(f"{load[0]} disk, {load[1]}, {load[2]:g} clients", fontsize=8.5)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=3)
    figure.suptitle("Commits/s by commit_delay (us): "
                    f"{max(r['round'] for r in rows):g} rounds, median, lowest to highest\n"
                    f"{rows[0]['server'].split(' (')[0]}", fontsize=11, y=1 - 0.15 / height)
    figure.subplots_adjust(left=0.06, right=0.985, top=1 - 0.85 / height,
                           bottom=0.75 / height, hspace=0.42, wspace=0.25)
    return figure


def draw_instructions(axis, rows):
    """What each thing preloaded adds to a transaction, in instructions."""
    fewest = min(r["max_connections"] for r in rows)
    of = {(r["workload"], r["preloaded"], r["round"]): r["instructions"] for r in rows
          if r["max_connections"] == fewest}
    workloads = list(dict.fromkeys(w for w, p, _ in of if p == "pg_stat_statements"))
    preloads = [p for p in dict.fromkeys(p for _, p, _ in of) if p != "nothing"]
    colors = SHADES[1], SHADES[0], COMMIT

    for place, workload in enumerate(workloads):
        for y, preloaded in enumerate(preloads):
            cost = statistics.median(count - of[workload, "nothing", layout]
                                     for (w, p, layout), count in of.items()
                                     if (w, p) == (workload, preloaded))
            at = y + (place - 1) * 0.26
            axis.barh(at, cost, 0.24, color=colors[place],
                      label=f"{workload} ({of[workload, 'nothing', 1]:,.0f} without)"
                      if y == 0 else None)
            axis.annotate(f"{cost:,.0f}", (max(cost, 0), at), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=7.5)
    axis.set_yticks(range(len(preloads)), [p.replace(" and ", "\nand ") for p in preloads])
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.set_title("instructions more per transaction, by what is preloaded")
    axis.legend(loc="upper center", bbox_to_anchor=(0.4, -0.09))


def draw_throughput_cost(axis, rows):
    """Change of transactions/s, each pair of measurements a point."""
    loads = list(dict.fromkeys(r["workload"] for r in rows))
    kinds = [("same", "two servers without the library", "#999999"),
             ("cost", "without and with the library", OURS)]

    for shift, (kind, name, color) in zip((-0.15, 0.15), kinds):
        for y, load in enumerate(loads):
            of = {(r["round"], r["preloaded"]): r["per_second"] for r in rows
                  if r["kind"] == kind and r["workload"] == load}
            changes = [100 * (value / of[turn, "without"] - 1)
                       for (turn, preloaded), value in of.items() if preloaded != "without"]
            axis.plot(changes, [y + shift] * len(changes), "o", markersize=3.5, color=color,
                      alpha=0.5, label=name if y == 0 else None)
            median = statistics.median(changes)
            axis.plot([median] * 2, [y + shift - 0.11, y + shift + 0.11], color=color)
            axis.annotate(f"{median:+.1f}", (median, y + shift - 0.12), ha="center",
                          va="bottom", fontsize=8, color=color)
    axis.axvline(0, color="#999999", linewidth=0.8)
    axis.set_yticks(range(len(loads)), [load.replace(", ", ",\n") for load in loads])
    axis.set_ylim(len(loads) - 0.5, -0.5)
    axis.set_title("transactions/s, change in %")
    axis.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09))


def cost(rows):
    counted = [r for r in rows if r["kind"] == "instructions"]
    timed = [r for r in rows if r["kind"] in ("same", "cost")]
    figure, axes = plt.subplots(1, 2 if timed else 1, figsize=(11 if timed else 7, 5.4),
                                squeeze=False)

    draw_instructions(axes[0, 0], counted)
    if timed:
        draw_throughput_cost(axes[0, 1], timed)
    figure.suptitle(f"What commit_stats costs, {rows[0]['server'].split(' (')[0]}", fontsize=11)
    figure.tight_layout()
    return figure


def medians(rows, column):
    """For each arm the median of a column."""
    return {arm: statistics.median(r[column] for r in of)
            for arm, of in by([r for r in rows if r[column] is not None], "arm").items()}


def draw_to_best_pair(axis, rows, column, numbers):
    """No and the adaptive delay as ratios to the best fixed pair of each number of clients."""
    looks = {0: ("no delay", "#999999", "s"), "on": ("adaptive delay", OURS, "o")}

    for place, (arm, (name, color, marker)) in enumerate(looks.items()):
        ratios = {}
        for clients, of in by(rows, "clients").items():
            fixed = {a: c for a, c in medians(of, "commits_per_second").items()
                     if a != "on"}
            values = [r[column] for r in of if r["arm"] == arm and r[column] is not None]
            if fixed and values:
                to = medians(of, column)[max(fixed, key=fixed.get)]
                ratios[numbers.index(clients) + 0.12 * (place - 1)] = [v / to for v in values]
        if ratios:
            draw_points(axis, ratios, fmt=marker, markersize=4, linewidth=1, color=color,
                        label=name)
    axis.axhline(1, color=THEIRS, linewidth=1, label="best fixed pair")
    axis.set_xticks(range(len(numbers)), [f"{n:g}" for n in numbers])
    axis.tick_params(labelsize=8)


def adaptive_delay(rows):
    """The cases of the set "clients": a column of panels for each device."""
    rows = [r for r in rows if r["set"] == "clients"]
    devices = by(rows, "device")
    numbers = sorted({r["clients"] for r in rows})
    figure, axes = plt.subplots(2, max(len(devices), 2), sharex=True, sharey="row",
                                squeeze=False, figsize=(max(2.1 * len(devices), 6) + 0.8, 5.6))
    names = {"plain": "plain disk", "queue": "queues at 500/s", "burst": "... after a credit"}
    order = ["plain", 3000, 1000, 300, 100, "queue", "burst"]

    for axis in axes[:, len(devices):].flat:
        axis.set_visible(False)
    for (above, below), (device, of) in zip(
            axes.T, sorted(devices.items(), key=lambda item: order.index(item[0]))):
        draw_to_best_pair(above, of, "commits_per_second", numbers)
        draw_to_best_pair(below, of, "p99", numbers)
        below.set_yscale("log")
        below.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        below.yaxis.set_minor_formatter(NullFormatter())
        above.set_title(names.get(device) or f"{device:g} writes/s")
        below.set_xlabel("clients")
    if rows:
        turns = max(r["round"] for r in rows)
        axes[0, 0].set_ylim(bottom=0)
        axes[0, 0].set_ylabel("commits/s, ratio")
        axes[1, 0].set_ylabel("p99, ratio (log)")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncol=4)
        figure.suptitle(
            "Adaptive delay to the best fixed pair of each case: commits/s, and p99 of the clients\n"
            f"simple-update, {turns:g} round{'s'[:turns > 1]} of "
            f"{min(r['seconds'] for r in rows):g} s, {rows[0]['server'].split(' (')[0]}",
            fontsize=11)
    else:
        figure.suptitle("no case of the set clients was measured", fontsize=11)
    figure.subplots_adjust(left=0.09, right=0.985, top=0.83, bottom=0.16, hspace=0.1, wspace=0.1)
    return figure


PICTURES = {
    "adaptive-delay": adaptive_delay,
    "cost": cost,
    "synchronous-commit": synchronous_commit,
    "checkpoint-distance": checkpoint_distance,
    "whatif": whatif,
    "commit-delay": commit_delay,
    "commit-siblings": commit_siblings,
    "group-commit": group_commit,
    "mixed-load": mixed_load,
}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in PICTURES:
        sys.exit(f"usage: python3 bench/plot.py {'|'.join(PICTURES)} FILE.tsv PICTURE.svg")
    save(PICTURES[sys.argv[1]](read(sys.argv[2])), sys.argv[3])
