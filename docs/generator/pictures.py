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
WIDTH, HEIGHTS = 1120, {"body": 1200, "#plots": 860}
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")


def photograph(page: Path, scheme: str, top: str) -> bytes:
    """The page as PNG, from the element that the CSS selector `top` names; `scheme` is light or dark."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver") or ""))
    try:
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        size = {"width": WIDTH, "height": HEIGHTS[top], "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        driver.execute_script("document.querySelector('nav').style.position = 'static'")
        y = driver.execute_script(f"return document.querySelector('{top}').getBoundingClientRect().top + scrollY")
        clip = {"x": 0, "y": y, "width": WIDTH, "height": HEIGHTS[top], "scale": 1}
        made = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        return base64.b64decode(made["data"])
    finally:
        driver.quit()


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run = [
            sys.executable,
            "-m",
            "clirbench",
            "--quiet",
            f"hydra.run.dir={folder}/demo",
            f"paths.cache={folder}/cache",
        ]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        for name, top in (("report", "body"), ("plot", "#plots")):
            for scheme in ("light", "dark"):
                made = photograph(Path(folder) / "demo" / "report.html", scheme, top)
                (FOLDER / f"{name}-{scheme}.png").write_bytes(made)
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            (FOLDER / f"{name}.svg").write_text(recorded(name, Path(folder)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
