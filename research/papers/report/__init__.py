"""The report on the papers. Its plots are drawn by research/plots, which is found from here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
