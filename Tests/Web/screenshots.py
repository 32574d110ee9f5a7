# Writes pictures of the page: screenshots.py REPRISE FOLDER. Scripts/screenshots starts it.

import os
import sys

from browser import Browser
from project import Project, eventually

RELEASE = """
name: release
params: { publish: { type: boolean, default: false } }
max-parallel: 6
steps:
  - { id: checkout, run: 'echo "at 4f1c2ab"; sleep 0.3' }
  - { id: toolchain, run: 'echo "clang 17"; sleep 0.4' }
  - parallel:
      - { id: lint, run: 'echo "main.c:12: warning: unused variable"; sleep 0.5' }
      - { id: docs, continue-on-error: true, run: 'echo "error: broken link to install.md" >&2; sleep 0.4; exit 2' }
      - { id: build, matrix: { os: [linux, macos], arch: [x86, arm] }, run: 'for i in 1 2 3 4; do echo "object $i of 4"; sleep 0.$((RANDOM % 2 + 1)); done' }
      - { id: ask, if: params.publish, approval: "Tell everyone about this release?" }
  - parallel:
      - { id: unit, foreach: [core, network, display], run: 'echo "312 tests passed"; sleep 1' }
      - id: integration
        run: |
          for i in $(seq 1 24); do echo "test $i: ok"; done; sleep 2; test -e fixed && exit
          printf 'test 25: \\033[31mFAILED\\033[0m\\n  expected: 200\\n  seen: 503 from http://localhost:8080/orders\\n'
          echo "error: 1 of 25 tests failed" >&2
          exit 1
  - { id: package, run: 'echo "release.tar.gz, 4.2 MiB"; sleep 0.4; echo x > $REPRISE_RUN_DIR/release.tar.gz' }
  - { id: upload, run: sleep 0.6 }
  - { id: publish, run: sleep 0.2 }
finally:
  - { id: report, run: 'echo "report.html"; sleep 0.2' }
  - { id: cleanup, run: sleep 0.1 }
  - { id: tell, run: sleep 0.1 }
"""
PICTURES = (("light", "light", 1440, 900), ("dark", "dark", 1440, 900), ("narrow", "light", 400, 800))


def pictures(browser, folder, name):
    """Writes a picture of what the page shows, for each size and theme."""
    for kind, theme, width, height in PICTURES:
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        browser.script("document.documentElement.dataset.theme = arguments[0]", theme)
        browser.driver.execute_async_script(
            "requestAnimationFrame(() => setTimeout(arguments[0], 300))")
        browser.driver.save_screenshot(f"{folder}/{name}-{kind}.png")


def main():
    reprise, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with Project(reprise, {"release": RELEASE}) as own, Browser() as browser:
        # Earlier runs, for usual times and the history.
        own.write("fixed", "")
        for _ in range(3):
            own.run_to_end("release", "succeeded")
        os.remove(own.path("fixed"))
        page = own.serve()
        browser.open(page.url)
        run = own.run("release")
        browser.click("#runs .run", run)
        eventually("integration runs", lambda: own.state(run, "integration") == "running")
        pictures(browser, folder, "live")
        own.ended(run, "failed")
        browser.sees("failed", "#bar .pill")
        pictures(browser, folder, "failed")
        browser.script("document.querySelector('#timeline .row.chosen').dispatchEvent("
                       "new MouseEvent('click', { bubbles: true }))")
        browser.sees("error: 1 of 25 tests failed", "#log")
        pictures(browser, folder, "chosen")
        for view in ("table", "compare"):
            browser.script(f"document.querySelector('[data-view={view}]').click()")
            browser.sees("integration", "#other")
            pictures(browser, folder, view)
    print(f"pictures are in {folder}")


if __name__ == "__main__":
    main()
