"""When a process counts as hanging, and when a dead one is started again."""

import pytest

from engine.protocol import Pong
from engine.restarts import LONGEST_DELAY_SECONDS, RestartPolicy
from engine.watchdog import Watchdog


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(clock: Clock, is_ready: bool = True) -> Watchdog:
    watchdog = Watchdog(silence_limit=10, stall_limit=300, clock=clock, start_limit=60)
    if is_ready:
        watchdog.hear_ready()
    return watchdog


def verdicts(
    watchdog: Watchdog, clock: Clock, seconds: int, pong: Pong | None = None
) -> list[tuple[int, str]]:
    """Look every second, hearing the same pong each time; returns the complaints."""
    complaints = []
    for second in range(1, seconds + 1):
        clock.now += 1
        if pong is not None:
            watchdog.hear(pong)
        if complaint := watchdog.verdict():
            complaints.append((second, complaint))
    return complaints


def test_silence_is_noticed_after_the_limit(clock: Clock) -> None:
    complaints = verdicts(watch(clock), clock, 12)
    assert complaints[0] == (11, "it stopped answering for 10 s")


def test_a_starting_process_may_be_silent_for_longer(clock: Clock) -> None:
    complaints = verdicts(watch(clock, is_ready=False), clock, 62)
    assert complaints[0] == (61, "it stopped answering for 60 s")


def test_a_slow_start_does_not_count_against_the_ready_process(clock: Clock) -> None:
    watchdog = watch(clock, is_ready=False)
    assert not verdicts(watchdog, clock, 50)
    watchdog.hear_ready()
    assert not verdicts(watchdog, clock, 9)


def test_an_idle_process_never_stalls(clock: Clock) -> None:
    assert not verdicts(watch(clock), clock, 1000, Pong(0, 5, busy=False))


def test_work_that_does_not_advance_is_a_stall(clock: Clock) -> None:
    complaints = verdicts(watch(clock), clock, 303, Pong(0, 5, busy=True))
    assert complaints[0][1] == "its work did not advance for 300 s"
    assert complaints[0][0] in {301, 302}


def test_work_that_advances_slowly_goes_on(clock: Clock) -> None:
    watchdog = watch(clock)
    for progress in range(5):
        assert not verdicts(watchdog, clock, 299, Pong(0, progress, busy=True))


def test_work_after_a_long_idle_time_starts_a_new_count(clock: Clock) -> None:
    watchdog = watch(clock)
    assert not verdicts(watchdog, clock, 400, Pong(0, 5, busy=False))
    assert not verdicts(watchdog, clock, 299, Pong(0, 5, busy=True))


def test_our_own_suspension_is_not_the_engines_silence(clock: Clock) -> None:
    watchdog = watch(clock)
    verdicts(watchdog, clock, 3, Pong(0, 1, busy=True))
    clock.now += 3600
    assert watchdog.verdict() is None
    assert not verdicts(watchdog, clock, 9)
    assert verdicts(watchdog, clock, 3)


def test_a_restarted_process_has_a_clean_slate(clock: Clock) -> None:
    watchdog = watch(clock)
    assert verdicts(watchdog, clock, 11)
    watchdog.restart()
    assert not verdicts(watchdog, clock, 59)


@pytest.mark.parametrize(("limit", "expected"), [(10.0, 1.0), (60.0, 1.0), (1.0, 0.2)])
def test_pings_come_often_enough_for_the_limit(limit: float, expected: float) -> None:
    assert Watchdog(silence_limit=limit).ping_seconds == expected


def deaths(policy: RestartPolicy, clock: Clock, every: float, count: int) -> list[float | None]:
    delays = []
    for _ in range(count):
        delays.append(policy.next_delay())
        clock.now += every
    return delays


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (1, [0.5, 1, 2, None, None]),
        (19, [0.5, 1, 2, None, 4]),
        (29, [0.5, 1, 2, 4, 8, 16, 30, 30]),
        (100, [0.5, 1, 2, 4, 8, 16, LONGEST_DELAY_SECONDS, LONGEST_DELAY_SECONDS]),
    ],
)
def test_restarts_back_off_and_give_up(
    clock: Clock, every: float, expected: list[float | None]
) -> None:
    assert deaths(RestartPolicy(clock), clock, every, len(expected)) == expected


def test_a_new_request_starts_again(clock: Clock) -> None:
    policy = RestartPolicy(clock)
    deaths(policy, clock, 1, 4)
    policy.forget()
    assert deaths(policy, clock, 1, 4) == [0.5, 1, 2, None]
