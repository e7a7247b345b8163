// Drives Debian's Chromium through its DevTools protocol: one page, nothing but loopback.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--ignore-certificate-errors",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", "--remote-debugging-port=0",
];

async function endpoint(folder) {
  for (;;) {
    try {
      const [port, path] = readFileSync(join(folder, "DevToolsActivePort"), "utf8").trim().split("\n");
      if (path) return `ws://127.0.0.1:${port}${path}`;
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    await sleep(20);
  }
}

export class Browser {
  static async start() {
    const self = new Browser();
    self.folder = mkdtempSync(join(tmpdir(), "sandstorm-chromium-"));
    self.process = spawn("/usr/bin/chromium", [...FLAGS, `--user-data-dir=${self.folder}`, "about:blank"], {
      stdio: "ignore", env: { PATH: process.env.PATH, HOME: self.folder, XDG_CONFIG_HOME: self.folder },
    });
    self.socket = new WebSocket(await endpoint(self.folder));
    await new Promise((resolve) => { self.socket.onopen = resolve; });
    self.last = 0;
    self.waiting = new Map();
    self.events = [];
    self.socket.onmessage = (message) => self.hear(JSON.parse(message.data));
    const { targetInfos } = await self.send("Target.getTargets");
    const { targetId } = targetInfos.find((target) => target.type === "page");
    self.session = (await self.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Network", "Log", "Runtime", "DOM", "Accessibility"]) await self.send(`${domain}.enable`);
    await self.send("Emulation.setFocusEmulationEnabled", { enabled: true }); // as the window in front has it
    return self;
  }

  hear(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
    } else {
      this.events.push(message);
    }
  }

  send(method, params = {}) {
    const id = ++this.last;
    const sessionId = method.startsWith("Browser.") ? undefined : this.session;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async until(what) {
    for (let tries = 0; tries < 3000; tries += 1) {
      const found = await what();
      if (found) return found;
      await sleep(10);
    }
    throw new Error(`nothing came: ${what}\n${JSON.stringify(this.events.slice(-20))}`);
  }

  // Opens an address and waits until it is loaded.
  async open(url) {
    this.events = [];
    await this.send("Page.navigate", { url });
    await this.loaded();
  }

  loaded() { return this.until(() => this.events.some((event) => event.method === "Page.loadEventFired")); }

  // Waits until an element has the focus and the page is painted: input before that is dropped.
  async focused(id) {
    await this.until(async () => (await this.run("document.activeElement?.id")) === id);
    await this.painted();
  }

  // Waits until what the page is now has been laid out and painted.
  async painted() {
    await this.send("Runtime.evaluate", {
      awaitPromise: true, expression: "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    });
  }

  // Types a text into the focused field until it is there.
  async fill(text) {
    await this.until(async () => {
      await this.run("document.activeElement.value = ''");
      await this.send("Input.insertText", { text });
      return (await this.run("document.activeElement.value")) === text;
    });
  }

  // Presses a key, again after a while as long as it has no effect: what comes early after a navigation is dropped.
  async press(key, text, done) {
    for (let tries = 0; tries < 20; tries += 1) {
      await this.key(key, key, text);
      for (let looks = 0; looks < 50; looks += 1) {
        if (await done()) return;
        await sleep(10);
      }
    }
    throw new Error(`${key} has no effect`);
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  async key(key, code = key, text = undefined) {
    const windowsVirtualKeyCode = { Tab: 9, Enter: 13 }[key];
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text, windowsVirtualKeyCode });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, windowsVirtualKeyCode });
  }

  // Where the browser was sent: the Location headers that came since the last open.
  locations() {
    return this.events.filter((event) => event.method === "Network.responseReceivedExtraInfo")
      .map((event) => event.params.headers.location ?? event.params.headers.Location).filter(Boolean);
  }

  // What the browser complained about since the last open.
  complaints() {
    return this.events.filter((event) => event.method === "Log.entryAdded" || event.method === "Runtime.exceptionThrown")
      .map((event) => event.params.entry?.text ?? "exception").filter((text) => !/status of 4|ERR_UNKNOWN_URL_SCHEME/.test(text));
  }

  // The roles and names that a screen reader meets.
  async spoken() {
    const { nodes } = await this.send("Accessibility.getFullAXTree");
    return nodes.filter((node) => !node.ignored && node.name?.value).map((node) => `${node.role.value}: ${node.name.value}`);
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}
