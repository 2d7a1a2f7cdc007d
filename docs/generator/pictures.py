"""`python docs/generator/pictures.py` makes the pictures of README.md and the site: reports and terminals.

Needs Chromium and its driver.
"""

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recordings import COMMANDS, recorded

FOLDER = Path(__file__).resolve().parents[1] / "pictures"
WIDTH, HEIGHTS = 1120, {"report": ("body", 1200), "plot": ("#plots", 860)}
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")


def photograph(page: Path, scheme: str, top: str, height: int) -> bytes:
    """The page as PNG, from the element that the CSS selector `top` names; `scheme` is light or dark."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver") or ""))
    try:
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        size = {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        driver.execute_script("document.querySelector('nav').style.position = 'static'")
        y = driver.execute_script(f"return document.querySelector('{top}').getBoundingClientRect().top + scrollY")
        clip = {"x": 0, "y": y, "width": WIDTH, "height": height, "scale": 1}
        made = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        return base64.b64decode(made["data"])
    finally:
        driver.quit()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        keys = ["--quiet", f"hydra.run.dir={place / 'demo'}", f"paths.cache={place / 'cache'}"]
        subprocess.run([sys.executable, "-m", "clirbench", *keys], check=True, stdout=subprocess.DEVNULL)
        for picture, (top, height) in HEIGHTS.items():
            for scheme in ("light", "dark"):
                made = photograph(place / "demo" / "report.html", scheme, top, height)
                (FOLDER / f"{picture}-{scheme}.png").write_bytes(made)
    for picture in COMMANDS:
        with tempfile.TemporaryDirectory() as name:
            (FOLDER / f"{picture}.svg").write_text(recorded(picture, Path(name)), encoding="utf-8")
