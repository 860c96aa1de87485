# SPDX-License-Identifier: Apache-2.0
"""A report as a real browser shows it: Debian's Chromium at the width of a phone and of a desk, light and dark, and as PDF.

With VERBUND_SCREENSHOTS=FOLDER the pictures stay there, to be looked at.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.made_run import made_run  # noqa: E402
from support.program import ProgramTest  # noqa: E402

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = shutil.which("chromium")
SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 860}}

# Of every element that has text of its own: its colour against the nearest background behind it.
CONTRASTS = """() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
                                        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = rgb(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest('.part, title, desc')) continue;
    const style = getComputedStyle(element);
    const paint = element.closest('svg') ? style.fill : style.color;
    const a = light(rgb(paint)), b = light(behind(element));
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.outerHTML.slice(0, 80)]);
  }
  return found.sort((x, y) => x[0] - y[0]).slice(0, 3);
}"""

# How tall the letters of charts are on the screen, in pixels.
LETTERS = """() => Math.min(...[...document.querySelectorAll('figure > svg text')].filter(t => t.getClientRects().length)
  .map(t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))"""


@unittest.skipUnless(sync_playwright and CHROMIUM, "needs playwright and Debian's chromium (apt-get install chromium)")
class ReportInABrowser(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.browsers = sync_playwright().start()
        cls.addClassCleanup(cls.browsers.stop)
        cls.browser = cls.browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def pictures(self):
        folder = pathlib.Path(os.environ.get("VERBUND_SCREENSHOTS", self.folder))
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def open(self, path, size="desktop", scheme="light"):
        """The page; whatever it asked for or said is in self.asked and self.said."""
        page = self.browser.new_page(viewport=SIZES[size], color_scheme=scheme)
        self.addCleanup(page.close)
        self.asked, self.said = [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("dialog", lambda dialog: self.said.append(dialog.message) or dialog.dismiss())
        page.goto(path.as_uri())
        return page

    def reports(self):
        one = made_run(self.folder / "demo")
        other = made_run(self.folder / "other", seed=2, floor=2.0, resumed=False)
        self.succeed("report", one)
        self.succeed("report", one, other, "--out", self.folder)
        return {"report": one / "report.html", "comparison": self.folder / "comparison.html"}

    def test_every_width_and_scheme(self):
        for name, path in self.reports().items():
            for size in SIZES:
                for scheme in ("light", "dark"):
                    with self.subTest(f"{name}, {size}, {scheme}"):
                        page = self.open(path, size, scheme)
                        page.screenshot(path=self.pictures() / f"{name}-{size}-{scheme}.png")
                        page.screenshot(path=self.pictures() / f"{name}-{size}-{scheme}-whole.png", full_page=True)
                        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                        self.assertEqual(self.asked, [path.as_uri()])
                        self.assertEqual(self.said, [])
                        lowest = page.evaluate(CONTRASTS)
                        self.assertGreaterEqual(lowest[0][0], 4.5, lowest)
                        self.assertGreaterEqual(page.evaluate(LETTERS), 9)

    def test_hostile_text_runs_nothing(self):
        run = made_run(self.folder / "<img src=x onerror=alert(1)>", hostile=True)
        self.succeed("report", run)
        page = self.open(run / "report.html", "phone")
        self.assertNotIn("broken", page.title())
        self.assertEqual(page.evaluate("document.querySelectorAll('script, img, iframe').length"), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('body > *').length"), 1)  # all is within main
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertEqual((self.asked, self.said), ([(run / "report.html").as_uri()], []))

    def test_print(self):
        path = self.reports()["report"]
        page = self.open(path, scheme="dark")
        pdf = self.pictures() / "report.pdf"
        page.pdf(path=pdf, format="A4")
        self.assertTrue(pdf.read_bytes().startswith(b"%PDF"))
        page.emulate_media(media="print", color_scheme="dark")
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        if shutil.which("pdftotext"):
            text = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout
            self.assert_says(text, "Ledger of time", "Most forgotten", "To make it again")


if __name__ == "__main__":
    unittest.main(verbosity=2)
