# plot.py
#
# Draws the picture of an experiment from what it measured:
#
#	python3 bench/plot.py NAME FILE.tsv PICTURE.svg
#
# One function per picture, named as its experiment.  The same data give the
# same file, whenever it is drawn.  Needs matplotlib (Debian: python3-matplotlib).

import csv
import statistics
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
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


PICTURES = {
    "synchronous-commit": synchronous_commit,
    "checkpoint-distance": checkpoint_distance,
}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in PICTURES:
        sys.exit(f"usage: python3 bench/plot.py {'|'.join(PICTURES)} FILE.tsv PICTURE.svg")
    save(PICTURES[sys.argv[1]](read(sys.argv[2])), sys.argv[3])
