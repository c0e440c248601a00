#!/usr/bin/env python3
"""Recomputes every figure of `archive show --format json` from an archive's Parquet files and manifest.

    recompute.py RUN_DIR show.json

Needs Python 3.10 and pyarrow, nothing of this project. It prints how many figures agree and exits with 1 if one does not.
The formulas are those of docs/method.md, written a second time on purpose.
"""
import hashlib
import json
import math
import sys
from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq

SUBJECT = ("environment", "dispatch", "stack", "provider", "algorithm", "operation")
FEWEST_DRAWS = 6
FEWEST_INVOCATIONS = 5
MANY_DRAWS = 30
UPPER = 0.98
NORMAL = 2.053748911
STUDENT = [15.894545, 4.848732, 3.481909, 2.998528, 2.756509, 2.612242, 2.516752, 2.448985, 2.398441]
MASK = (1 << 64) - 1


def quantile(ordered, p):
    """Hyndman and Fan, type 7."""
    if not ordered:
        return None
    at = (len(ordered) - 1) * p
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


@cache
def lower_rank(n):
    """The largest rank l with P(B <= l - 1) <= 2.5 % for B binomial (n, 1/2), in whole numbers."""
    term, tail, rank = 1, 0, 0
    for k in range(n // 2 + 1):
        tail += term
        if Fraction(tail, 1 << n) > Fraction(25, 1000):
            break
        rank = k + 1
        term = term * (n - k) // (k + 1)
    return rank


class SplitMix64:
    def __init__(self, seed, name):
        self.state = int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "little")

    def below(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) * bound) >> 64

    def draws(self, n):
        times = [0] * n
        for _ in range(n):
            times[self.below(n)] += 1
        return times


def confidence(n, rank):
    """P(x(rank) <= median <= x(n + 1 - rank)), exactly."""
    tail = sum(math.comb(n, k) for k in range(rank))
    return 1 - 2 * Fraction(tail, 1 << n)


def order_statistics(ordered):
    """The distribution-free interval; between order statistics where draws are many and distinct (Hettmansperger and Sheather 1986)."""
    n = len(ordered)
    rank = lower_rank(n)
    if rank == 0:
        return None, None
    low, high = ordered[rank - 1], ordered[n - rank]
    wide = confidence(n, rank)
    if n < MANY_DRAWS or len(set(ordered)) < n or wide <= Fraction(96, 100):
        return low, high
    share = float((wide - Fraction(96, 100)) / (wide - confidence(n, rank + 1)))
    inwards = (n - rank) * share / (rank + (n - 2 * rank) * share)
    return low + inwards * (ordered[rank] - low), high - inwards * (high - ordered[n - rank - 1])


def widening(n):
    """Student's t for the normal, and n - 1 for n (Hesterberg 2015)."""
    free, z = n - 1, NORMAL
    if free <= len(STUDENT):
        t = STUDENT[free - 1]
    else:
        t = z + (z**3 + z) / 4 / free + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / free**2
        t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / free**3
    return t / z * math.sqrt(n / (n - 1))


def weighted_median(cells, rows, columns):
    """Median of cells (value, row, column) in ascending order, each as often as its row and column were drawn."""
    drawn = [(value, rows[i] * columns[j]) for value, i, j in cells if rows[i] * columns[j]]
    total = sum(weight for _, weight in drawn)
    first, second = -(-total // 2), total // 2 + 1
    passed, low = 0, None
    for value, weight in drawn:
        passed += weight
        if low is None and passed >= first:
            low = value
        if passed >= second:
            return low + 0.5 * (value - low)
    return None


def bootstrap_interval(samples, keys, generator):
    """Invocations and draws of work resampled, each by itself, and their spreads added by squares."""
    draw = lambda s: s["iteration"] % keys if keys else s["iteration"]
    invocations = sorted({s["invocation"] for s in samples})
    draws = sorted({draw(s) for s in samples})
    row = {name: at for at, name in enumerate(invocations)}
    column = {name: at for at, name in enumerate(draws)}
    cells = sorted((s["count"], row[s["invocation"]], column[draw(s)]) for s in samples)
    rows, columns = [1] * len(invocations), [1] * len(draws)
    estimate = weighted_median(cells, rows, columns)
    below, above = 0.0, 0.0
    for units, median in (
        (len(rows), lambda drawn: weighted_median(cells, drawn, columns)),
        (len(columns), lambda drawn: weighted_median(cells, rows, drawn)),
    ):
        if units < 2:
            continue
        medians = [median(generator.draws(units)) for _ in range(min(2000, max(200, 20_000_000 // len(cells))))]
        medians = sorted(m for m in medians if m is not None)
        below = math.hypot(below, widening(units) * max(0.0, estimate - quantile(medians, 1.0 - UPPER)))
        above = math.hypot(above, widening(units) * max(0.0, quantile(medians, UPPER) - estimate))
    return max(0.0, estimate - below), estimate + above


def keys_to_resample(planned):
    """Key pairs that iterations share, where there are enough to resample."""
    if planned is None or planned["operation"] in ("keygen", "nothing") or planned["keys"] >= planned["iterations"]:
        return None
    return planned["keys"] if planned["keys"] >= FEWEST_DRAWS else None


def outliers(ordered):
    """Values more than three interquartile ranges beyond the quartiles (Tukey 1977)."""
    if not ordered:
        return 0
    low, high = quantile(ordered, 0.25), quantile(ordered, 0.75)
    return sum(x < low - 3 * (high - low) or x > high + 3 * (high - low) for x in ordered)


def interval(samples, ordered, clock, run, name, planned):
    """(low, high, exact); low is None where there is no interval."""
    if not ordered:
        return None, None, False
    noiseless = run["emulated"] and clock == "instructions"
    if ordered[0] == ordered[-1] and len(ordered) >= (2 if noiseless else FEWEST_DRAWS):
        return ordered[0], ordered[0], True
    invocations = len({s["invocation"] for s in samples})
    keys = keys_to_resample(planned)
    if invocations >= FEWEST_INVOCATIONS or (invocations == 1 and keys):
        return *bootstrap_interval(samples, keys, SplitMix64(run["seed"], name)), False
    if invocations > 1:
        return None, None, False
    return *order_statistics(ordered), False


def digest_of(commands):
    """The digest of the one command that covers all iterations, else SHA-256 of the digests of the longest ones in order."""
    digests = {(c["digest_first"], c["digest_iterations"], c["digest"]) for c in commands if c["digest"]}
    if len({d[:2] for d in digests}) < len(digests):
        return None
    chain, following = [], 0
    for first, iterations, digest in sorted(digests, key=lambda d: (d[0], -d[1])):
        if first == following and iterations > 0:
            chain.append(digest)
            following += iterations
    if len(chain) < 2:
        return chain[0] if chain else None
    return hashlib.sha256(b"".join(bytes.fromhex(d) for d in chain)).hexdigest()


def figures(samples, commands, manifest, hertz):
    """Every figure of one row."""
    void = {i for v in manifest.get("void", []) for i in v["invocations"]}
    used = [s for s in samples if not s["warm_up"] and s["invocation"] not in void and s["fault"] is None and s["flags"] == 0]
    ordered = sorted(s["count"] for s in used)
    totals = sorted(s["total"] for s in used if s["total"] is not None)
    subject = "/".join(commands[0][field] for field in SUBJECT)
    clock = samples[0]["clock"] if samples else None
    same = lambda p: all(p[field] == commands[0][field] for field in ("provider", "algorithm", "operation"))
    planned = next(filter(same, manifest["plan"]), None)
    low, high, exact = interval(used, ordered, clock, manifest["run"], subject, planned)
    largest = lambda field: max((c[field] for c in commands if c[field] is not None), default=None)
    nanoseconds, mean_nanoseconds = None, None
    if used and not manifest["run"]["emulated"] and all(hertz.get(s["invocation"]) for s in used):
        times = sorted(s["ticks"] * 1e9 / hertz[s["invocation"]] for s in used)
        nanoseconds, mean_nanoseconds = quantile(times, 0.5), sum(times) / len(times)
    cold = [s for s in samples if not s["warm_up"]]
    rest = [s for s in cold if s["invocation"] not in void]
    boots = {s["invocation"]: s["boot"] for s in samples}
    return {
        "iterations": len(used),
        "invocations": len({s["invocation"] for s in used}),
        "median": quantile(ordered, 0.5),
        "mean": sum(ordered) / len(ordered) if ordered else None,
        "ci_low": low,
        "ci_high": high,
        "exact": exact,
        "p05": quantile(ordered, 0.05),
        "p95": quantile(ordered, 0.95),
        "total": quantile(totals, 0.5),
        "nanoseconds": nanoseconds,
        "mean_nanoseconds": mean_nanoseconds,
        "outliers": outliers(ordered),
        "stack_bytes": largest("stack_bytes"),
        "heap_bytes": largest("heap_bytes"),
        "allocations": largest("allocations"),
        "random_bytes": largest("random_bytes"),
        "digest": digest_of(commands),
        "left_out": {
            "warm_up": len(samples) - len(cold),
            "void": len(cold) - len(rest),
            "faulty": sum(s["fault"] is not None for s in rest),
            "flagged": sum(s["fault"] is None and s["flags"] != 0 for s in rest),
        },
        "faults": sum(c["fault"] is not None for c in commands),
        "boots": list(dict.fromkeys(boots[i] for i in sorted(boots) if boots[i])),
    }


def drift(manifest, hertz):
    """How the reference operation changed: per look, the farthest, and the trend (Sen 1968) over the run; None without looks."""
    place = {i["id"]: (i["environment"], i.get("dispatch"), i["stack"]) for i in manifest["invocations"]}
    looks = []
    void = {i for v in manifest.get("void", []) for i in v["invocations"]}
    for look in manifest["monitor"]:
        if look["invocation"] in void:
            continue
        ticks = sorted(t for t, flags in list(zip(look["ticks"], look["flags"]))[1:] if flags == 0)
        if look["complete"] and ticks and hertz.get(look["invocation"]):
            looks.append((look["at_ns"], place[look["invocation"]], quantile(ticks, 0.5) * 1e9 / hertz[look["invocation"]]))
    if not looks:
        return None
    looks.sort(key=lambda look: look[0])
    usual = {p: quantile(sorted(ns for _, q, ns in looks if q == p), 0.5) for _, p, _ in looks}
    points = [(at, ns / usual[p] - 1) for at, p, ns in looks]
    slopes = sorted((y - x) / (t - s) for i, (s, x) in enumerate(points) for t, y in points[i + 1 :] if t > s)
    trend = (quantile(slopes, 0.5) or 0.0) * (points[-1][0] - points[0][0])
    return {"largest_deviation": max((x for _, x in points), key=abs), "trend": trend, "looks": len(points)}


def agree(mine, theirs):
    if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=0.0)
    return mine == theirs


def by_subject(path):
    grouped = defaultdict(list)
    for group in range((file := pq.ParquetFile(path)).num_row_groups):
        for row in file.read_row_group(group).to_pylist():
            # A sample may count several executions; figures are of one.
            if (executions := row.get("executions", 1)) > 1:
                for field in ("count", "total", "ticks"):
                    row[field] = None if row[field] is None else row[field] / executions
            grouped[tuple(row[field] for field in SUBJECT)].append(row)
    return grouped


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    shown = json.loads(Path(sys.argv[2]).read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    samples, commands = by_subject(folder / "samples.parquet"), by_subject(folder / "operations.parquet")
    hertz = {i["id"]: i["clocks"]["ticks"]["hz"] for i in manifest["invocations"] if "clocks" in i}
    agreed, differing = 0, []

    def check(where, mine, theirs):
        nonlocal agreed
        if agree(mine, theirs):
            agreed += 1
        else:
            differing.append(f"{where}: the files give {mine}, shown is {theirs}")

    seen = set()
    for row in shown["rows"]:
        subject = tuple(row[field] for field in SUBJECT)
        of_clock = [s for s in samples[subject] if (s["clock"], s["scope"]) == (row["clock"], row["scope"])]
        seen.update((*subject, s["clock"], s["scope"]) for s in of_clock)
        ran = {s["invocation"] for s in of_clock}
        of_row = [c for c in commands[subject] if not ran or c["invocation"] in ran]
        row = {**row, "faults": len(row["faults"])}
        for name, value in figures(of_clock, of_row, manifest, hertz).items():
            check(f"{'/'.join(subject)} {name}", value, row[name])
    every = {(*subject, s["clock"], s["scope"]) for subject, list_ in samples.items() for s in list_}
    # The empty operation runs in every start; it is a row where the plan has it.
    planned = {p["provider"] for p in manifest["plan"]}
    for missing in (m for m in every - seen if m[3] != "null" or "null" in planned):
        differing.append(f"{'/'.join(missing)}: samples without a row")

    void = {i for v in manifest.get("void", []) for i in v["invocations"]}
    for harness in shown["run"]["harness"]:
        null = [
            s
            for subject, list_ in samples.items()
            if subject[:4] == (harness["environment"], harness["dispatch"], harness["stack"], "null")
            for s in list_
            if not s["warm_up"] and s["invocation"] not in void and s["fault"] is None and s["flags"] == 0
        ]
        for name in ("ticks", "count"):
            mine = quantile(sorted(s[name] for s in null), 0.5)
            check(f"harness {harness['environment']} {name}", mine, harness[name])

    mine, theirs = drift(manifest, hertz), shown["run"]["drift"]
    for name in mine or {}:
        value = theirs and (len(theirs["looks"]) if name == "looks" else theirs[name])
        check(f"drift {name}", mine[name], value)

    for line in differing:
        print(line)
    print(f"{agreed} figures agree, {len(differing)} differ")
    sys.exit(1 if differing or not agreed else 0)


if __name__ == "__main__":
    main()
