"""Looks at the report in a headless Chromium, as the distribution ships it, at two widths, light, dark and as print.

    scripts/python --in research research/papers/report/look.py PAGE [DIRECTORY]

Fails if there is an error on the console, if a plot is missing or empty, if two texts of a plot or a diagram overlap, or if the
page is wider than the window. Writes screenshots into DIRECTORY, if there is one.
"""

import json
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTHS = (1280, 390)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The faults of the page, as a list of sentences.
FAULTS = """() => {
    const faults = [], page = document.documentElement
    if (page.scrollWidth > page.clientWidth) faults.push(`${page.scrollWidth} pixels wide in ${page.clientWidth}`)
    const figures = document.querySelectorAll('.chart-figure, .drawing-figure')
    for (const figure of figures) {
        const title = figure.querySelector('figcaption').textContent
        const svg = figure.querySelector('svg')
        if (!svg || !svg.querySelector('path') && !svg.querySelector('rect')) { faults.push(`${title}: empty`); continue }
        const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
        const frame = svg.getBoundingClientRect()
        for (const [text, box] of boxes)
            if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`${title}: "${text}" is cut off`)
        boxes.forEach(([a, p], at) => boxes.slice(at + 1).forEach(([b, q]) => {
            const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left)
            const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top)
            if (wide > 0.5 && high > 0.5) faults.push(`${title}: "${a}" and "${b}" overlap`)
        }))
    }
    return faults
}"""


def expected(page):
    """The titles of the plots and drawings that the report's JSON has."""
    report = json.loads(page.with_suffix(".json").read_text())
    return [part["title"] for paper in report["papers"] for part in paper["parts"] if part["kind"] in ("chart", "drawing")]


def main(page, pictures=None):
    page = page.resolve()
    faults = []
    with sync_playwright() as playwright:
        browser = next(path for path in map(shutil.which, BROWSERS) if path)
        browser = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                where = f"{width} pixels, {scheme}"
                tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                tab.on("console", lambda m: m.type in ("error", "warning") and faults.append(f"{where}: console: {m.text}"))
                tab.on("pageerror", lambda error: faults.append(f"{where}: {error}"))
                tab.on("request", lambda r: r.url.startswith(("file:", "data:")) or faults.append(f"{where}: asks for {r.url}"))
                tab.goto(page.as_uri())
                faults += [f"{where}: {fault}" for fault in tab.evaluate(FAULTS)]
                captions = tab.locator("figure svg").locator("xpath=ancestor::figure/figcaption").all_inner_texts()
                for title in expected(page):
                    if not any(caption.startswith(title) for caption in captions):
                        faults.append(f"{where}: no plot: {title}")
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    tab.screenshot(path=pictures / f"{width}-{scheme}.png", full_page=True)
                tab.close()
        tab = browser.new_page()
        tab.goto(page.as_uri())
        pdf = tab.pdf(path=pictures / "print.pdf" if pictures else None, format="A4")
        if len(pdf) < 10_000:
            faults.append("print: an empty document")
        browser.close()
    if not expected(page):
        faults.append("there is no plot at all")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{page.name}: {len(expected(page))} plots and drawings, at {WIDTHS} pixels, light and dark")


main(*map(Path, sys.argv[1:3]))
