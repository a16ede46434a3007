"""One run of the command under limits of time, memory and size of files."""

import os
import resource
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    seconds: float = 60.0  # of processor time
    patience: float = 5.0  # of wall time, times that: a busy machine is no hang
    memory: int = 4 << 30  # bytes of address space
    file_bytes: int = 1 << 28  # of any file; writing more fails as on a full disk
    cores: int = 1  # that the command may run on; 0: all


@dataclass(frozen=True)
class Surroundings:
    """What surrounds a run and must not change what it does."""

    variables: tuple[tuple[str, str], ...] = ()
    stdout: str = ""  # path of a device in place of a file, as /dev/full
    kill_after: float = 0.0  # s, by SIGKILL; 0: never


@dataclass(frozen=True)
class Outcome:
    status: int  # as of the shell; meaningless where signal is not 0
    signal: int
    out: str
    err: str
    seconds: float  # of processor time
    memory: int  # bytes at the peak
    hung: bool  # ended because it took too long
    killed: bool  # ended on purpose


def _prepare(limits: Limits):
    """Runs in the child before the command."""

    def set_limits():
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = max(1, int(limits.seconds))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        # Writing beyond the limit then fails instead of ending the process.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limits.cores:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-limits.cores :])

    return set_limits


def run(words: list[str], folder: Path, aside: Path, limits: Limits, around: Surroundings) -> Outcome:
    """Runs words[0] in a folder. aside: an existing folder for its temporary files."""
    temporary = aside / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(temporary),
        "TMPDIR": str(temporary),
        **dict(around.variables),
    }
    taken = open(around.stdout, "wb") if around.stdout else None
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=taken or subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_prepare(limits),
        restore_signals=False,
    )
    if taken:
        taken.close()
    readers = [_Reader(stream) for stream in (process.stdout, process.stderr)]
    hung = _wait(process.pid, around.kill_after or limits.seconds * limits.patience) and not around.kill_after
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = 0  # it is gone: nobody needs to wait for it again
    out, err = (reader.text() for reader in readers)
    signaled = os.WTERMSIG(code) if os.WIFSIGNALED(code) else 0
    return Outcome(
        status=os.WEXITSTATUS(code) if os.WIFEXITED(code) else -1,
        signal=signaled,
        out=out,
        err=err,
        seconds=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss * 1024,
        hung=hung or signaled == signal.SIGXCPU,
        killed=bool(around.kill_after) and signaled == signal.SIGKILL,
    )


def _wait(number: int, seconds: float) -> bool:
    """Waits for a process to end, and ends it after a time; whether it did that."""
    ended, over = threading.Event(), threading.Event()

    def end():
        if not ended.is_set():
            over.set()
            os.kill(number, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    # Leaves the process as a zombie: its number is not given to another one while the timer may still use it.
    os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
    ended.set()
    timer.cancel()
    timer.join()
    return over.is_set()


class _Reader:
    """Takes what a process prints while it runs. Not by a file: the limit of their size would hold for that."""

    def __init__(self, stream):
        self.content = b""
        self.stream = stream
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        if self.stream:
            self.content = self.stream.read()
            self.stream.close()

    def text(self) -> str:
        self.thread.join()
        return self.content.decode("utf-8", "backslashreplace")
