"""The rows of the table, in order, and how each is measured."""

import dataclasses
import pathlib
from collections.abc import Callable

from harness import engines, load, provider, wire
from harness.daemon import Daemon, start_to_first_answer_us
from harness.figures import Sample, percentile

CALLERS = (1, 8, 64)
PROVIDER_GROUP = "One snippet, no network"
RPC_GROUP = "One snippet over RPC, load generator included"
FLOOR_GROUP = "Answers without a run, load generator included"
START_GROUP = "Start"

QUICKJS_ONE = "quickjs.1"
QUICKJS_CORES = "quickjs.cores"


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a whole measurement needs to know."""

    bin_dir: pathlib.Path
    build_dir: pathlib.Path
    seconds: float
    rounds: int
    starts: int
    cores: int

    @property
    def warm_s(self) -> float:
        return min(0.3, self.seconds / 2)


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table. `peer` is the row its runs/s are compared with; `target` and `shape` are set for rows over HTTP."""

    key: str
    group: str
    title: str
    callers: int
    measure: Callable[[Daemon], Sample]
    peer: str | None = None
    target: load.Target | None = None
    shape: load.Shape | None = None


def binary_target(http1: bool = False) -> load.Target:
    return load.Target(wire.PROCEDURE, wire.run_request_binary(), "application/proto", http1, 200)


def json_target(http1: bool) -> load.Target:
    return load.Target(wire.PROCEDURE, wire.run_request_json(), "application/json", http1, 200)


def floor_target() -> load.Target:
    return load.Target(wire.PROCEDURE, wire.run_request_binary(wire.FLOOR_ABOVE), "application/proto", False, 400)


def health_target() -> load.Target:
    return load.Target("/healthz", None, "", False, 200)


def check_answers(address: str) -> None:
    """One whole answer of each kind is decoded and must be right before anything is timed."""
    checks = (
        (binary_target(), wire.check_success_binary),
        (json_target(False), wire.check_success_json),
        (json_target(True), wire.check_success_json),
        (floor_target(), wire.check_floor_refusal),
        (health_target(), wire.check_health),
    )
    for target, check in checks:
        check(*load.ask_once(target, address))


def _peer(callers: int) -> str:
    return QUICKJS_ONE if callers == 1 else QUICKJS_CORES


def _provider_rows(plan: Plan) -> list[Row]:
    program = provider.ProviderBench(plan.bin_dir, plan.seconds)

    def row(callers: int) -> Row:
        def measure(_: Daemon) -> Sample:
            return program.sample(callers)

        title = "**plimsoll** wasm provider"
        return Row(f"provider.{callers}", PROVIDER_GROUP, title, callers, measure, _peer(callers))

    return [row(callers) for callers in provider.IN_FLIGHT]


def engine_rows(plan: Plan) -> list[Row]:
    """The baselines, once alone and once a process (or child) a core."""

    def in_node(script: str, flags: list[str], count: int) -> Callable[[Daemon], Sample]:
        return lambda _: engines.measure_in_node(script, flags, count, plan.seconds)

    def child(command: list[str], count: int) -> Callable[[Daemon], Sample]:
        return lambda _: engines.measure_children(command, count, plan.seconds)

    isolated_flags = ["--no-node-snapshot"]
    rows = []
    for name, count in (("1", 1), ("cores", plan.cores)):
        rows += [
            Row(f"quickjs.{name}", PROVIDER_GROUP, "`quickjs-emscripten`, fresh context, in one Node process a caller", count,
                in_node("quickjs_emscripten.mjs", [], count), _peer(count)),
            Row(f"isolated_vm.{name}", PROVIDER_GROUP, "`isolated-vm`, fresh isolate, in one Node process a caller", count,
                in_node("isolated_vm.mjs", isolated_flags, count), _peer(count)),
            Row(f"node_child.{name}", PROVIDER_GROUP, "`node -e` as a child", count, child(engines.node_child(), count), _peer(count)),
            Row(f"python_child.{name}", PROVIDER_GROUP, "`python3 -c` as a child", count,
                child(engines.python_child(), count), _peer(count)),
        ]
    return rows


def _http_row(plan: Plan, group: str, key: str, title: str, target: load.Target, shape: load.Shape) -> Row:
    callers = shape.connections * shape.streams

    def measure(daemon: Daemon) -> Sample:
        daemon.shorten_log()
        return load.measure(target, shape, daemon.address, plan.seconds, plan.warm_s)

    peer = _peer(callers) if group == RPC_GROUP else None
    return Row(f"{key}.{callers}", group, title, callers, measure, peer, target, shape)


def _rpc_rows(plan: Plan) -> list[Row]:
    kinds = (
        ("h2c_binary", "h2c, binary", binary_target()),
        ("h2c_json", "h2c, JSON", json_target(False)),
        ("http1_json", "HTTP/1.1, JSON", json_target(True)),
    )
    rows = [
        _http_row(plan, RPC_GROUP, key, f"**plimsoll** {title}", target, load.Shape(callers, 1))
        for key, title, target in kinds
        for callers in CALLERS
    ]
    shared = load.Shape(1, max(CALLERS))
    rows.append(_http_row(plan, RPC_GROUP, "h2c_binary_shared", "**plimsoll** h2c, binary, one connection", binary_target(), shared))
    return rows


def _floor_rows(plan: Plan) -> list[Row]:
    kinds = (("floor_refusal", "floor refusal, h2c, binary", floor_target()), ("healthz", "`/healthz`, h2c", health_target()))
    return [
        _http_row(plan, FLOOR_GROUP, key, f"**plimsoll** {title}", target, load.Shape(callers, 1))
        for key, title, target in kinds
        for callers in (1, max(CALLERS))
    ]


def all_rows(plan: Plan) -> list[Row]:
    """Every row that is measured in rounds; the start row is measured apart, because it needs daemons of its own."""
    return [*_provider_rows(plan), *engine_rows(plan), *_rpc_rows(plan), *_floor_rows(plan)]


def start_row(plan: Plan) -> tuple[Row, list[Sample]]:
    """`plan.starts` daemons one after another, each one sample: the table's p50 is their median, its p99 the slowest."""
    times = sorted(start_to_first_answer_us(plan.bin_dir, plan.build_dir / "start.log") for _ in range(plan.starts))
    median = percentile(times, 0.5)
    sample = Sample(median, times[-1], 1e6 / median, len(times))
    title = "**plimsoll** start of the daemon, self-test included, to the first answered snippet"
    return Row("start.1", START_GROUP, title, 1, lambda _: sample), [sample]
