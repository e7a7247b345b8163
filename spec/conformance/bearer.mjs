// Adds the bearer of MCP_AUTH to every request that the conformance runner makes to a loopback host; loaded with
// NODE_OPTIONS="--import …/bearer.mjs". The runner has three HTTP stacks: global fetch and the undici package, which
// both honour undici's global dispatcher, and node:http.
import http from 'node:http';
const AUTH = process.env.MCP_AUTH;
const loop = (h) => /^(localhost|127\.0\.0\.1|\[::1\]|::1)(:\d+)?$/.test(h || '');
if (AUTH) {
  const req = http.request;
  http.request = function (o, ...a) {
    if (o && typeof o === 'object' && !(o instanceof URL) && loop(o.hostname ?? o.host) &&
        o.headers && !Array.isArray(o.headers))
      o = { ...o, headers: { authorization: AUTH, ...o.headers } };
    return req.call(this, o, ...a);
  };
  await fetch('data:,'); // makes Node install its built-in dispatcher, which undici (npm) then reuses
  const SYM = Symbol.for('undici.globalDispatcher.1');
  const inner = globalThis[SYM];
  if (!inner) throw new Error('auth-preload: no global undici dispatcher to wrap');
  const hasAuth = (h) => {
    const names = Array.isArray(h) ? h.filter((_, i) => i % 2 === 0)
      : h && typeof h[Symbol.iterator] === 'function' ? [...h].map((p) => p[0]) : Object.keys(h ?? {});
    return names.some((n) => String(n).toLowerCase() === 'authorization');
  };
  globalThis[SYM] = new Proxy(inner, {
    get(t, k) {
      const v = Reflect.get(t, k, t);
      if (k !== 'dispatch') return typeof v === 'function' ? v.bind(t) : v;
      return (opts, handler) => {
        const h = opts.headers;
        if (loop(new URL(String(opts.origin)).host) && !hasAuth(h)) {
          const headers = Array.isArray(h) ? [...h, 'authorization', AUTH]
            : h && typeof h[Symbol.iterator] === 'function' ? [...[...h].flat(), 'authorization', AUTH]
            : { ...(h ?? {}), authorization: AUTH };
          opts = { ...opts, headers };
        }
        return t.dispatch(opts, handler);
      };
    }
  });
}
