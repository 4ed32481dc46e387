/**
 * Firefox and WebKit, as Debian has them, driven by what they bring: Firefox speaks Marionette, WebKit has a WebDriver.
 * Both know the same commands under other names. Each gives `{ name, navigate, run, downloads, close }`.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patience = 60000;

const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** Tries until it goes. */
async function eventually(work) {
  for (const end = Date.now() + patience; ;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** A program in a directory of its own, with a home there. */
function start(program, args, environment = {}) {
  const home = mkdtempSync(join(tmpdir(), "polyseal-engine-"));
  const downloads = join(home, "Downloads");
  mkdirSync(downloads);
  mkdirSync(join(home, ".config"));
  writeFileSync(join(home, ".config/user-dirs.dirs"), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
  const child = spawn(program, args(home), { detached: true, stdio: "ignore", env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), ...environment } });
  return {
    downloads,
    end() {
      // With all that it has started.
      try { process.kill(-child.pid, "SIGKILL"); } catch { /* It has ended. */ }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const preferences = (port, downloads) => Object.entries({
  "marionette.port": port, "browser.download.folderList": 2, "browser.download.dir": downloads, "browser.download.useDownloadDir": true,
  "browser.download.alwaysOpenPanel": false, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "toolkit.telemetry.reportingpolicy.firstRun": false,
}).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join("");

/** Messages are a length, a colon and JSON. */
function marionette(socket) {
  const waiting = new Map();
  let buffer = Buffer.alloc(0), last = 0, greeted;
  const greeting = new Promise((resolve) => { greeted = resolve; });
  socket.on("data", (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (let colon; (colon = buffer.indexOf(":")) > 0;) {
      const end = colon + 1 + Number(buffer.subarray(0, colon));
      if (buffer.length < end) return;
      const message = JSON.parse(buffer.subarray(colon + 1, end));
      buffer = buffer.subarray(end);
      if (!Array.isArray(message)) greeted();
      else {
        const [, id, error, result] = message;
        const { resolve, reject } = waiting.get(id);
        if (error === null) resolve(result);
        else reject(new Error(`${error.error}: ${error.message}`));
      }
    }
  });
  socket.on("close", () => { for (const { reject } of waiting.values()) reject(new Error("The browser has ended.")); });
  return {
    greeting,
    send: (name, parameters) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      const text = JSON.stringify([0, last, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    }),
  };
}

export async function firefox() {
  const port = await freePort();
  const program = start("firefox-esr", (home) => {
    writeFileSync(join(home, "user.js"), preferences(port, join(home, "Downloads")));
    return ["--headless", "--no-remote", "--marionette", "--profile", home, "about:blank"];
  });
  try {
    const socket = await eventually(() => new Promise((resolve, reject) => {
      const trying = net.connect(port, "127.0.0.1", () => resolve(trying)).once("error", reject);
    }));
    const { greeting, send } = marionette(socket);
    await greeting;
    const { capabilities } = await send("WebDriver:NewSession", { capabilities: { alwaysMatch: { timeouts: { script: patience } } } });
    return {
      name: `Firefox ${capabilities.browserVersion}`,
      downloads: program.downloads,
      navigate: (url) => send("WebDriver:Navigate", { url }),
      run: async (script, args) => (await send("WebDriver:ExecuteAsyncScript", { script, args })).value,
      close() { socket.destroy(); program.end(); },
    };
  } catch (error) {
    program.end();
    throw error;
  }
}

export async function webkit() {
  const port = await freePort();
  const program = start("xvfb-run", () => ["-a", "WebKitWebDriver", `--port=${port}`], { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", LIBGL_ALWAYS_SOFTWARE: "1" });
  const send = async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body: JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  try {
    const { sessionId, capabilities } = await eventually(() => send("/session", { capabilities: { alwaysMatch: { timeouts: { script: patience } } } }));
    return {
      name: `WebKit ${capabilities.browserName} ${capabilities.browserVersion}`,
      downloads: program.downloads,
      navigate: (url) => send(`/session/${sessionId}/url`, { url }),
      run: (script, args) => send(`/session/${sessionId}/execute/async`, { script, args }),
      close: () => program.end(),
    };
  } catch (error) {
    program.end();
    throw error;
  }
}
