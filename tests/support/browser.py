# SPDX-License-Identifier: Apache-2.0
"""Drives Debian's chromium over the DevTools protocol, with Python's standard library alone.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:8750/", width=1280, height=900)
        page.wait("document.querySelectorAll('tr').length > 3")
        page.click("a[href='#x']")
        page.screenshot("page.png")
"""

import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 30


class WebSocket:
    """A client of one connection, for text messages."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.received()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(f"no WebSocket at {url}: {head[:80]}")

    def received(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the browser has closed the connection")
        return data

    def take(self, count):
        while len(self.buffer) < count:
            self.buffer += self.received()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else (
            struct.pack("!BBH", 0x81, 0xFE, size) if size < 1 << 16 else struct.pack("!BBQ", 0x81, 0xFF, size))
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def receive(self, timeout):
        """The next message; None if there is none in time."""
        self.socket.settimeout(max(timeout, 0.001))
        message = b""
        try:
            while True:
                first, size = self.take(2)
                size &= 0x7F
                if size == 126:
                    size = struct.unpack("!H", self.take(2))[0]
                elif size == 127:
                    size = struct.unpack("!Q", self.take(8))[0]
                self.socket.settimeout(SECONDS)  # a message that has begun is read to its end
                data = self.take(size)
                if first & 0x0F in (0, 1):
                    message += data
                    if first & 0x80:
                        return message.decode()
        except TimeoutError:
            return None

    def close(self):
        self.socket.close()


class Page:
    """One tab. It collects console messages and the addresses of all requests."""

    def __init__(self, url):
        self.socket = WebSocket(url)
        self.number = 0
        self.messages, self.requests = [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        own = self.number
        self.socket.send(json.dumps({"id": own, "method": method, "params": parameters}))
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            message = self.socket.receive(end - time.monotonic())
            if message is None:
                break
            answer = json.loads(message)
            if answer.get("id") == own:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)
        raise TimeoutError(method)

    def note(self, event):
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(argument.get("value", argument.get("description", "")))
                                          for argument in details["args"]))
        elif method == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.messages.append(thrown.get("exception", {}).get("description", thrown["text"]))
        elif method == "Log.entryAdded":
            self.messages.append(details["entry"]["text"] + " " + details["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def wait(self, condition, seconds=SECONDS):
        """Waits until the expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(f"(() => {{ try {{ const value = {condition}; return value instanceof Node || value; }} "
                             "catch { return null; } })()")
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not so after {seconds} s: {condition}\nconsole: {self.messages}")
            time.sleep(0.05)

    def place(self, selector):
        """Scrolls to an element and returns its rectangle."""
        return self.run(f"(() => {{ const node = document.querySelector({json.dumps(selector)}); "
                        "node.scrollIntoView({block: 'center'}); const box = node.getBoundingClientRect(); "
                        "return {x: box.x, y: box.y, width: box.width, height: box.height}; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        box = self.place(selector)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, selector, begin, end):
        """Drags from one share of an element's width to another."""
        box = self.place(selector)
        y = box["y"] + box["height"] / 2
        places = [box["x"] + box["width"] * (begin + (end - begin) * i / 8) for i in range(9)]
        self.mouse("mouseMoved", places[0], y)
        self.mouse("mousePressed", places[0], y, button="left", clickCount=1)
        for x in places[1:]:
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
        self.mouse("mouseReleased", places[-1], y, button="left", clickCount=1)

    def hover(self, selector, share=0.5):
        box = self.place(selector)
        self.mouse("mouseMoved", box["x"] + box["width"] * share, box["y"] + box["height"] / 2)

    def press(self, key, text=None):
        """One key, as from the keyboard: "Tab", "Enter", "ArrowRight", "+"."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40}
        written = {"text": "\r"} if key == "Enter" else {"text": text or key} if len(key) == 1 else {}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **written)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)

    def dark(self, is_dark=True):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def screenshot(self, path, whole=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))


class Browser:
    def __init__(self):
        if CHROMIUM is None:
            raise RuntimeError("there is no chromium: scripts/setup.sh --tests")
        self.folder = tempfile.mkdtemp(prefix="verbund-browser-")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--disable-default-apps", "--metrics-recording-only", "--remote-allow-origins=*",
                     "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen([CHROMIUM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder})
        self.pages = []
        try:
            self.socket = WebSocket("ws://127.0.0.1:{}{}".format(*self.address()))
        except BaseException:
            self.close()
            raise
        self.number = 0

    def address(self):
        """Port and path, which the browser writes to a file when it listens."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                port, path = (pathlib.Path(self.folder) / "DevToolsActivePort").read_text().split()
                return port, path
            except (FileNotFoundError, ValueError):
                time.sleep(0.05)
        raise TimeoutError("chromium does not listen")

    def open(self, url="about:blank", width=1280, height=900):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": "Target.createTarget",
                                     "params": {"url": "about:blank"}}))
        while True:
            answer = json.loads(self.socket.receive(SECONDS))
            if answer.get("id") == self.number:
                break
        port, _ = self.address()
        page = Page(f"ws://127.0.0.1:{port}/devtools/page/{answer['result']['targetId']}")
        self.pages.append(page)
        page.size(width, height)
        if url != "about:blank":
            page.go(url)
        return page

    def close(self):
        for page in self.pages:
            page.socket.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
