"""dbus-fast behind the line protocol of drive/worker.js."""

import json
import struct
import sys
import time

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast._private.unmarshaller import Unmarshaller
from dbus_fast.signature import SignatureTree

folder = sys.argv[1]
inputs = {}
cursors = {}


def messages_of(row, kind, order):
    with open(f"{folder}/{row}.{kind}.{order}", "rb") as file:
        data = file.read()
    at, found = 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 8 : at + 8 + length])
        at += 8 + (length + 7) // 8 * 8
    return found


class Source:
    """A file-like object with one whole message, as small as dbus-fast allows."""

    __slots__ = ("data", "at")

    def __init__(self, data):
        self.data = data
        self.at = 0

    def read(self, n):
        piece = self.data[self.at : self.at + n]
        self.at += n
        return piece


def decode(data):
    return Unmarshaller(Source(data)).unmarshall()


def form_of(message):
    """A message as a user of dbus-fast builds it, without anything cached from decoding."""
    return dict(
        destination=message.destination,
        path=message.path,
        interface=message.interface,
        member=message.member,
        message_type=message.message_type,
        flags=message.flags,
        reply_serial=message.reply_serial,
        sender=message.sender,
        signature=message.signature,
        body=message.body,
        serial=message.serial,
    )


def encode(form):
    return Message(**form)._marshall(False)


def plain(type_, value):
    token = type_.token
    if token == "v":
        return [value.signature, plain(value.type, value.value)]
    if token == "(":
        return [plain(child, item) for child, item in zip(type_.children, value)]
    if token == "a":
        child = type_.children[0]
        if child.token == "y":
            return bytes(value).hex()
        if child.token == "{":
            pairs = [[str(key), plain(child.children[1], item)] for key, item in value.items()]
            return sorted(pairs, key=lambda pair: pair[0])
        return [plain(child, item) for item in value]
    if token in "xt":
        return str(value)
    return value


def canonical(message):
    tree = SignatureTree(message.signature)
    return [plain(type_, value) for type_, value in zip(tree.types, message.body)]


def inputs_of(row, operation, kind):
    order = "BE" if operation.endswith("_be") else "LE"
    key = (row, "form" if operation == "encode" else order, kind)
    if key not in inputs:
        data = messages_of(row, kind, order)
        inputs[key] = [form_of(decode(each)) for each in data] if operation == "encode" else data
    return inputs[key]


def check(row, operation, kind):
    if kind != "once":
        return "ok"
    with open(f"{folder}/{row}.json") as file:
        wanted = json.load(file)
    answer = (decode if operation.startswith("decode") else encode)(inputs_of(row, operation, kind)[0])
    if operation == "encode":
        answer = decode(bytes(answer))
    if answer.serial != wanted["header"]["serial"] or answer.path != wanted["header"].get("path"):
        return "bad header differs"
    return "ok" if canonical(answer) == wanted["body"] else "bad body differs"


def waited():
    """Nanoseconds this thread has been ready to run and was not let: taken off, as in drive/clock.js."""
    try:
        with open("/proc/self/schedstat") as file:
            return int(file.read().split()[1])
    except OSError:
        return 0


def time_it(row, operation, kind, milliseconds):
    run = decode if operation.startswith("decode") else encode
    given = inputs_of(row, operation, kind)
    n = len(given)
    at = cursors.get((row, operation, kind), 0)
    batch, count, spent = 1, 0, 0
    while spent < milliseconds * 1e6:
        before = waited()
        start = now = time.perf_counter_ns()
        end = start + milliseconds * 1e6 - spent
        while now < end:
            for _ in range(batch):
                run(given[at])
                at = at + 1 if at + 1 < n else 0
            count += batch
            after = time.perf_counter_ns()
            if after - now < 500_000:
                batch *= 2
            now = after
        took = now - start
        spent += max(took - (waited() - before), took / 10)
    cursors[(row, operation, kind)] = at
    return f"ok {spent / count:.3f} {count}"


def answer(line):
    words = line.split()
    if words[0] == "drop":
        inputs.clear()
        return "ok"
    if len(words) < 4:
        return "no"
    command, row, operation, kind = words[:4]
    if operation not in ("encode", "decode", "decode_be"):
        return "no"
    if command == "check":
        return check(row, operation, kind)
    return time_it(row, operation, kind, float(words[4]))


for line in sys.stdin:
    try:
        reply = answer(line)
    except Exception as error:  # noqa: BLE001: whatever it is, the driver has to hear of it
        reply = f"bad {type(error).__name__} {error}".replace("\n", " ")
    print(reply, flush=True)
