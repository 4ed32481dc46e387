# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Captures of Ethernet frames in the classic pcap format, with microseconds, as Wireshark reads them."""

import struct

MAGIC, ETHERNET = 0xA1B2C3D4, 1


def write(path, frames):
    """frames: pairs of a time in microseconds and bytes."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", MAGIC, 2, 4, 0, 0, 65535, ETHERNET))
        for time, frame in frames:
            file.write(struct.pack("<IIII", time // 1_000_000, time % 1_000_000, len(frame), len(frame)))
            file.write(frame)


def read(path):
    """As `write` takes them. ValueError for what is no capture, or is cut off."""
    data = path.read_bytes()
    if len(data) < 24:
        raise ValueError("too short for a capture")
    for order in "<>":
        magic, *_, linktype = struct.unpack(order + "IHHiIII", data[:24])
        if magic == MAGIC:
            break
    else:
        raise ValueError("no capture in the classic format with microseconds")
    if linktype != ETHERNET:
        raise ValueError("no capture of Ethernet")
    frames, place = [], 24
    while place < len(data):
        if len(data) - place < 16:
            raise ValueError("the capture is cut off")
        seconds, micros, kept, whole = struct.unpack(order + "IIII", data[place:place + 16])
        place += 16
        if kept != whole or len(data) - place < kept:
            raise ValueError("a frame is cut off")
        frames.append((1_000_000 * seconds + micros, data[place:place + kept]))
        place += kept
    return frames
