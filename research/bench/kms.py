#!/usr/bin/env python3
"""The cost of a wrapped key beside a key file: one small file is encrypted with each by turns.

The keeper is local-kms on this machine, so what is measured is the tool's own part: finding credentials, a connection
without TLS, a request and its answer. A service is as far away as it is.

    scripts/peers local-kms -- research/bench/kms.py
"""

import argparse
import os
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SEED = """Keys:
  Symmetric:
    Aes:
      - Metadata: {KeyId: bc436485-5092-42b8-92a3-0aa8b93536dc}
        BackingKeys: [5cdaead27fe7da2de47945d73cd6d79e36494e73802f3cd3869f1d2cb0b5d7a9]
"""
URI = "aws-kms://bc436485-5092-42b8-92a3-0aa8b93536dc"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--polyseal", default="target/release/polyseal", help="the tool, built with --features kms")
    parser.add_argument("--rounds", type=int, default=200)
    args = parser.parse_args()
    tool = Path(args.polyseal).resolve()
    keeper = os.environ["POLYSEAL_LOCAL_KMS"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chdir(folder)
        Path("seed.yaml").write_text(SEED)
        Path("plain").write_bytes(bytes(1024))
        environment = {
            **os.environ,
            "PORT": str(port),
            "KMS_REGION": "eu-west-2",
            "KMS_SEED_PATH": f"{folder}/seed.yaml",
            "KMS_DATA_PATH": folder,
            "AWS_ENDPOINT_URL_KMS": f"http://127.0.0.1:{port}",
            "AWS_REGION": "eu-west-2",
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
        }
        server = subprocess.Popen([keeper], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)

            def run(*arguments: str) -> float:
                start = time.perf_counter()
                subprocess.run([tool, *arguments], check=True, env=environment, capture_output=True)
                return (time.perf_counter() - start) * 1e3

            run("keygen", "-o", "key")
            run("keygen", "--kms", URI, "--only", "-o", "wrapped")
            times: dict[str, list[float]] = {"key": [], "wrapped": []}
            for _ in range(args.rounds):
                for key, measured in times.items():
                    measured.append(run("encrypt", "-f", "-k", key, "-o", "sealed", "plain"))
        finally:
            server.terminate()
            server.wait()
    for key, measured in times.items():
        quartiles = statistics.quantiles(measured, n=4)
        print(f"{key}: {statistics.median(measured):.2f} ms ({quartiles[0]:.2f} to {quartiles[2]:.2f})")


if __name__ == "__main__":
    main()
