# A browser that is driven by clicks and keys: Debian's chromium.

import os
import re
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from project import DEADLINE, Project, Unexpected, check, eventually, expect

KEYS = {"enter": Keys.ENTER, "escape": Keys.ESCAPE, "down": Keys.ARROW_DOWN, "up": Keys.ARROW_UP}


class Browser:
    """A window of a browser of its own."""

    def __init__(self, *flags, width=1440, height=900):
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", "--hide-scrollbars",
                     f"--window-size={width},{height}", *flags):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(90)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, address):
        self.driver.get(address)

    def script(self, text, *values):
        """Runs a script; returns its value."""
        return self.driver.execute_script(text, *values)

    def text(self, selector="body"):
        """The text that is seen of an element; empty if it is not there."""
        return self.script(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def sees(self, text, selector="body", within=DEADLINE):
        """Waits until an element shows a text."""
        end = time.monotonic() + within
        while text not in (seen := self.text(selector)):
            if time.monotonic() > end:
                raise Unexpected(f"{text!r} in {selector} within {within} s", seen[-1500:])
            time.sleep(0.02)

    def elements(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector, text=None):
        """Clicks on an element, as soon as it is there; with this text, if there is one."""
        def clicked():
            for element in self.elements(selector):
                try:
                    if (text is None or text in element.text) and element.is_displayed():
                        element.click()
                        return True
                except StaleElementReferenceException:
                    return False
            return False
        eventually(f"{selector} {text or ''} can be clicked", clicked)

    def node(self, step):
        """Clicks on a step in the graph."""
        self.click(f'#graph .node[aria-label^="{step},"]')

    def press(self, *keys):
        """Presses keys, without regard to what has the focus, and waits until it is drawn."""
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(KEYS.get(key, key)).perform()
        self.drawn()

    def drawn(self):
        """Waits until the page has drawn what it knows: in the next frame, or the one after."""
        self.driver.execute_async_script("""
          const done = arguments[0];
          if (document.hidden) return done();
          requestAnimationFrame(() => requestAnimationFrame(() => done()));""")

    def confirm(self, question):
        """Waits for a question, and answers it with the key y."""
        self.sees(question, "#ask")
        self.press("y")
        eventually("the question is gone", lambda: self.script(
            "return document.getElementById('ask').hidden"))

    def errors(self):
        """What the browser has complained about since the last call, except lost connections."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")
                and not re.search(r"net::ERR_|401 \(Unauthorized\)", entry["message"])]

    def keep(self, name):
        """Keeps a screenshot."""
        self.driver.save_screenshot(f"{os.environ['REPRISE_WEB_ARTIFACTS']}/{name}.png")

    def address(self):
        return self.driver.current_url


def with_browser(workflows, *flags, **environment):
    """Makes a check of a function with a project, its page, and a browser that shows it."""
    def decorated(test):
        def run(reprise):
            with Project(reprise, workflows) as own, Browser(*flags) as browser:
                own.environment.update(environment)
                page = own.serve()
                page.session()
                browser.open(page.url)
                eventually("the page is drawn", lambda: browser.text("#bar .crumbs"))
                try:
                    note = test(own, page, browser)
                except (AssertionError, JavascriptException):
                    browser.keep(f"failed-{test.__name__}")
                    raise
                errors = browser.errors()
                expect(not errors, "no error in the browser", errors)
                return note
        run.__name__, run.__module__ = test.__name__, test.__module__
        return check(run)
    return decorated
