# SPDX-License-Identifier: Apache-2.0
"""Starts the real TensorBoard on a folder of runs and takes pictures of its pages with headless Chromium, to be looked
at by a person:

    .venv/bin/python tests/oracle/tensorboard_page.py runs pictures

Needs the modules tensorboard and playwright (scripts/oracles.sh) and Debian's chromium.
"""
import pathlib
import sys

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.tensorboard import TensorBoard  # noqa: E402

PAGES = {"timeseries": "timeseries", "scalars": "scalars", "custom_scalars": "custom_scalars", "text": "text",
         "hparams": "hparams"}
SETTLE = 8000  # milliseconds, for charts to be drawn


def main(folder, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    with TensorBoard(folder, fast=True) as board, sync_playwright() as playwright:
        board.wait_for(lambda: board.get("plugin/scalars/tags"))
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 1100})
        page.set_default_timeout(180000)  # a machine may be busy
        for name, address in PAGES.items():
            page.goto(f"{board.address}/#{address}")
            page.reload()
            page.wait_for_timeout(SETTLE)
            picture = pictures / f"tensorboard-{name}.png"
            page.screenshot(path=str(picture))
            print(picture)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
