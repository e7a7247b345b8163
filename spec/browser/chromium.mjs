// Debian's Chromium, driven by Playwright: nothing is downloaded, and nothing but loopback can be reached.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../clients/", import.meta.url))("playwright-core");

export const launch = () => chromium.launch({
  executablePath: "/usr/bin/chromium",
  chromiumSandbox: false,
  env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CONFIG_HOME: process.env.HOME },
  args: [
    "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
  ],
});
