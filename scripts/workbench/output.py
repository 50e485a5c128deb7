# SPDX-License-Identifier: GPL-2.0-or-later
"""Where output options write; the C++ programs have the same in guest/common/output.h.

  with Output(path) as f:
      f.write(data)         bytes

A regular file gets another name beside it, and its own at the end: a file that was there stays as it was until then, and for good if
something is raised. A symbolic link stays, and the file behind it is replaced. A device, a pipe and a socket are written to.
/dev/stdout and /dev/fd/N are the descriptors themselves. Each OSError has the path as its file's name.
"""

import contextlib
import errno
import itertools
import math
import os
import re
import socket
import stat
import time

MOST_LINKS = 40
WAITS = 0.02  # seconds between two looks at a pipe that nobody reads


class NoReader(TimeoutError):
    """Nobody has opened a pipe to read."""


def _place(path):
    """(path without links, None), or (None, descriptor)."""
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        path = os.path.join(folder, name)
        if re.fullmatch(rf"/proc/{os.getpid()}(/task/[0-9]+)?/fd", folder) and name.isdigit():
            return None, int(name)
        if not os.path.islink(path):
            return path, None
        path = os.path.join(folder, os.readlink(path))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def looked_up(path):
    """(folder without links, name) of each name that is looked up when this path is opened."""
    at, names, links = os.getcwd(), path.split("/")[::-1], 0
    if path.startswith("/"):
        at = "/"
    while names:
        name = names.pop()
        here = os.path.normpath(os.path.join(at, name))
        if name not in ("", "."):
            yield at, name
        if os.path.islink(here) and links < MOST_LINKS:
            links, target = links + 1, os.readlink(here)
            names += target.split("/")[::-1]
            at = "/" if target.startswith("/") else at
        else:
            at = here


def _mode(path):
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def is_file(path):
    """Whether a regular file is there, or would come to be there."""
    place, _ = _place(path)
    mode = place and _mode(place)
    return place is not None and (mode is None or stat.S_ISREG(mode))


def can_be_written(path):
    """What is written at the end must not fail then for what can be known now."""
    try:
        place, descriptor = _place(path)
        if descriptor is not None:
            return bool(os.fstat(descriptor))
        mode = _mode(place)
        if mode is not None and (stat.S_ISDIR(mode) or not os.access(place, os.W_OK)):
            return False
        folder = os.path.dirname(place)
        return mode is not None and not stat.S_ISREG(mode) or os.path.isdir(folder) and os.access(folder, os.W_OK)
    except OSError:
        return False


def wait_for_reader(path, seconds=math.inf):
    """The descriptor of a pipe, as soon as somebody has opened it to read. Raises NoReader."""
    end = time.monotonic() + seconds
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.set_blocking(descriptor, True)
            return descriptor
        except OSError as e:
            if e.errno != errno.ENXIO:
                raise
        if time.monotonic() > end:
            raise NoReader(errno.ETIMEDOUT, f"nobody has opened this pipe to read after {seconds:g} s", path)
        time.sleep(WAITS)


@contextlib.contextmanager
def read_pipe(path, seconds):
    """While another program is to write to path: if that is a pipe, it has a reader from now on. Raises NoReader."""
    piped = path is not None and stat.S_ISFIFO(_mode(path) or 0)
    descriptor = wait_for_reader(path, seconds) if piped else None
    try:
        yield
    finally:
        if piped:
            os.close(descriptor)


def _connected(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        return os.dup(s.fileno())


class Output:
    """patience: seconds for somebody to open a pipe."""

    def __init__(self, path, patience=math.inf):
        self._path, self._hidden, self._real = path, None, None
        with self._named():
            self._file = self._open(patience)

    @contextlib.contextmanager
    def _named(self):
        try:
            yield
        except OSError as e:
            raise OSError(e.errno, e.strerror, self._path) from None

    def _open(self, patience):
        place, descriptor = _place(self._path)
        if descriptor is not None:
            return open(os.dup(descriptor), "wb")
        mode = _mode(place)
        if mode is not None and not stat.S_ISREG(mode):
            if stat.S_ISFIFO(mode):
                return open(wait_for_reader(place, patience), "wb")
            return open(_connected(place) if stat.S_ISSOCK(mode) else os.open(place, os.O_WRONLY | os.O_NOCTTY), "wb")
        if mode is not None and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        for number in itertools.count():
            hidden = os.path.join(os.path.dirname(place), f".perfboard-{os.getpid()}-{number}")
            try:
                file = open(hidden, "x+b")
            except FileExistsError:
                continue
            self._hidden, self._real = hidden, place
            return file

    def write(self, data):
        with self._named():
            return self._file.write(data)

    def fileno(self):
        """For another program that writes; not together with write()."""
        return self._file.fileno()

    def name(self):
        """Of what is there until the end."""
        return self._hidden or self._path

    def discard(self):
        """A regular file stays as it was."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._hidden:
            os.unlink(self._hidden)
            self._hidden = None

    def close(self):
        """For the second time, or after discard(): nothing."""
        try:
            with self._named():
                self._file.close()
                if self._hidden:
                    os.replace(self._hidden, self._real)
                    self._hidden = None
        finally:
            self.discard()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.discard()
        else:
            self.close()
