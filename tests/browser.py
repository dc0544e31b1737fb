"""A browser without a window for tests: Chromium, told what to do over a pipe by the DevTools protocol.

https://chromedevtools.github.io/devtools-protocol: messages are JSON, each ends with a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_SECONDS = 60.0


def program() -> str | None:
    """The browser, None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """A running browser; it ends with the context."""

    def __init__(self) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        back, to_write = os.pipe()
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
        pipes = f'exec 3<&{to_read} 4>&{to_write}; exec "$0" "$@"'
        command = [
            "bash",
            "-c",
            pipes,
            str(program()),
            *options,
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile.name}",
        ]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, pass_fds=(to_read, to_write), **silent)
        os.close(to_read)
        os.close(to_write)
        self.answers = os.fdopen(back, "rb", buffering=0)
        self.rest, self.number, self.events = b"", 0, []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_SECONDS)
        os.close(self.to)
        self.answers.close()
        self.profile.cleanup()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The answer to a command; what happens meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            block = self.answers.read(1 << 20)
            assert block, "the browser has ended"
            self.rest += block
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, width: int = 1100, height: int = 900, scheme: str = "light") -> Page:
        """A page from the disk, when all its pictures are drawn."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.prefer(scheme)
        page.call("Page.navigate", url=path.resolve().as_uri())
        return page


class Page:
    """A page in the browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, **parameters)

    def value(self, script: str) -> Any:
        """What an expression of JavaScript gives."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.value(script):
            assert time.monotonic() < end, f"never true: {script}; {self.faults()}"
            time.sleep(0.05)

    def prefer(self, scheme: str) -> None:
        """Light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def place(self, script: str) -> tuple[float, float]:
        """The middle of the element that an expression gives, which is scrolled into view."""
        return tuple(
            self.value(
                f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
                "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
            )
        )

    def point(self, script: str) -> None:
        """Move the mouse onto an element."""
        x, y = self.place(script)
        for dx in (-3, 0):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx, y=y)

    def click(self, script: str) -> None:
        self.point(script)
        x, y = self.place(script)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """A key on the keyboard, such as Tab or Enter."""
        code = {"Enter": 13, "Tab": 9}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def faults(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and whatever was asked of the network."""
        self.value("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            match event["method"], event["params"]:
                case "Runtime.exceptionThrown", {"exceptionDetails": details}:
                    found.append(str(details.get("exception", {}).get("description", details["text"])))
                case "Runtime.consoleAPICalled", {"type": "error" | "warning", "args": args}:
                    found.append(" ".join(str(one.get("value", one.get("description"))) for one in args))
                case "Log.entryAdded", {"entry": {"level": "error" | "warning", "text": text}}:
                    found.append(text)
                case "Network.requestWillBeSent", {"request": {"url": url}} if not url.startswith(("file:", "data:")):
                    found.append(f"asked for {url}")
                case _:
                    pass
        return found

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """A PNG of the page, or of what is in view."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def close(self) -> None:
        self.call("Page.close")
