# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes frames.pcap, the demonstration's plaintext: `python3 research/hw/demo/make_capture.py`.

An address is asked for and told (ARP), a name is looked up (DNS over UDP), a page is fetched (TCP, with its handshake and
end), a jumbo frame, and frames of the least length. All checksums are right.
"""

import struct
from pathlib import Path

import pcap

PATH = Path(__file__).resolve().parent / "frames.pcap"
A_MAC, B_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
A_IP, B_IP = bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])  # addresses for documentation, RFC 5737


def checksum(data):
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(to, of, kind, payload):
    return (to + of + kind + payload).ljust(60, b"\0")


def ip(of, to, protocol, payload):
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0, of, to)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def pseudo(of, to, protocol, payload):
    return of + to + struct.pack(">BBH", 0, protocol, len(payload)) + payload


def udp(of, to, ports, payload):
    head = struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload
    return head[:6] + struct.pack(">H", checksum(pseudo(of, to, 17, head))) + payload


def tcp(of, to, ports, sequence, acknowledged, flags, payload=b""):
    head = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 0x50, flags, 65535, 0, 0) + payload
    return head[:16] + struct.pack(">H", checksum(pseudo(of, to, 6, head))) + head[18:]


def frames():
    ask = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1) + A_MAC + A_IP + bytes(6) + B_IP
    tell = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 2) + B_MAC + B_IP + A_MAC + A_IP
    yield ethernet(b"\xff" * 6, A_MAC, b"\x08\x06", ask)
    yield ethernet(A_MAC, B_MAC, b"\x08\x06", tell)

    def out(payload):
        return ethernet(B_MAC, A_MAC, b"\x08\0", payload)

    name = b"\x07example\x03org\0" + struct.pack(">HH", 1, 1)
    yield out(ip(A_IP, B_IP, 17, udp(A_IP, B_IP, (40000, 53), struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + name)))
    yield out(ip(A_IP, B_IP, 6, tcp(A_IP, B_IP, (40001, 80), 1000, 0, 0x02)))
    yield out(ip(A_IP, B_IP, 6, tcp(A_IP, B_IP, (40001, 80), 1001, 5001, 0x10)))
    request = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
    yield out(ip(A_IP, B_IP, 6, tcp(A_IP, B_IP, (40001, 80), 1001, 5001, 0x18, request)))
    full = bytes(range(256)) * 6
    yield out(ip(A_IP, B_IP, 6, tcp(A_IP, B_IP, (40001, 80), 1001 + len(request), 5001, 0x18, full[:1460])))
    yield out(ip(A_IP, B_IP, 6, tcp(A_IP, B_IP, (40001, 80), 2461 + len(request), 5001, 0x11)))
    yield out(ip(A_IP, B_IP, 17, udp(A_IP, B_IP, (40002, 9), bytes(8950))))     # a jumbo frame
    for length in (0, 1, 17, 18, 19, 50):
        yield out(ip(A_IP, B_IP, 17, udp(A_IP, B_IP, (40003, 9), bytes(range(length)))))


if __name__ == "__main__":
    pcap.write(PATH, [(1000 * i, frame) for i, frame in enumerate(frames())])
