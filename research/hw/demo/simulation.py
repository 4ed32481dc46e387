# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Two omd_link in GHDL, research/hw/tb/link_live.vhd, as a Python program has them: through two named pipes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HW = ROOT / "research" / "hw"
sys.path[:0] = [str(HW / "driver"), str(ROOT / "research" / "reference")]

from omd_link_driver import StreamBus  # noqa: E402

# The ports of both sides.
A_PLAIN, A_PACKETS, B_PLAIN, B_PACKETS = range(4)


class Simulation:
    """`with Simulation(directory) as s`: frames by `play` and `come`, registers by `bus`, time by `run`."""

    def __init__(self, directory, **generics):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.generics = generics

    def __enter__(self):
        sources = [*(HW / "rtl").glob("*.vhd"), *(HW / "rtl" / "link").glob("*.vhd"),
                   *(HW / "tb" / f"{name}.vhd" for name in ("axil_pkg", "frame_queue_pkg", "link_live"))]
        options = ["--std=08", f"--workdir={self.directory}"]
        subprocess.run(["ghdl", "-i", *options, *sources], check=True)
        subprocess.run(["ghdl", "-m", *options, "link_live"], check=True, stdout=subprocess.DEVNULL)
        pipes = [self.directory / "commands", self.directory / "answers"]
        for pipe in pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
        generics = {"G_COMMANDS": pipes[0], "G_ANSWERS": pipes[1]} | self.generics
        self.process = subprocess.Popen(["ghdl", "-r", *options, "link_live", *(f"-g{k}={v}" for k, v in generics.items()),
                                         "--ieee-asserts=disable-at-0"])
        # Both ends are opened, so that opening waits for nobody: a simulation that ends at once would leave us waiting.
        self.commands = os.fdopen(os.open(pipes[0], os.O_RDWR), "w")
        self.answers = os.fdopen(os.open(pipes[1], os.O_RDWR))
        signal.signal(signal.SIGALRM, self._stuck)
        return self

    def __exit__(self, *_):
        signal.alarm(0)
        self.process.kill()
        self.process.wait()
        self.commands.close()
        self.answers.close()

    def _stuck(self, *_):
        ended = self.process.poll()
        raise SystemExit("the simulation " + ("answers nothing" if ended is None else f"has ended with {ended}"))

    def ask(self, command):
        signal.alarm(60)
        self.commands.write(command + "\n")
        self.commands.flush()
        answer = self.answers.readline().strip()
        signal.alarm(0)
        return answer

    def bus(self, side):
        """For the driver's Link."""
        return StreamBus(self.answers, self.commands, f"{side} ")

    def hand_over(self, *command):
        """Runs a program with the answers as its input and the commands as its output; gives its standard error."""
        done = subprocess.run(list(map(str, command)), stdin=self.answers, stdout=self.commands, stderr=subprocess.PIPE,
                              text=True, timeout=300)
        if done.returncode:
            raise SystemExit(f"{command[0]}: {done.stderr}")
        return done.stderr

    def play(self, port, frame):
        self.ask(f"s {port} {frame.hex() or '-'}")

    def come(self, port):
        """All frames that have come out of the port since this was asked last."""
        frames = []
        while (answer := self.ask(f"g {port}")) != "none":
            frames.append(b"" if answer == "-" else bytes.fromhex(answer))
        return frames

    def run(self, cycles):
        self.ask(f"t {cycles}")

    def now(self):
        """In nanoseconds."""
        return int(self.ask("n"))

    def settle(self, port, count, cycles=400_000):
        """The frames that come out of the port: as many as `count`, or what has come when so many cycles are over."""
        frames = []
        for _ in range(cycles // 200):
            frames += self.come(port)
            if len(frames) >= count:
                break
            self.run(200)
        return frames
