--- How the pages look: one style sheet, light and dark, from a small phone to a wide screen.
return [[
:root{color-scheme:light dark;--back:#f4f1ec;--card:#fff;--text:#231d17;--soft:#665c54;--line:#e2dbd2;--accent:#8f4512;
--on-accent:#fff;--hover:#75380e;--note:#fdf3e3;--note-line:#e8b872;--bad:#a51d1d}
@media (prefers-color-scheme:dark){:root{--back:#15120f;--card:#211d19;--text:#f3eee7;--soft:#b8ada1;--line:#3a342d;
--accent:#f2a65e;--on-accent:#231202;--hover:#ffbd7d;--note:#2e2415;--note-line:#8a6425;--bad:#ff9c93}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:1rem;
background:var(--back);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:100%;max-width:29rem;margin:auto;background:var(--card);border:1px solid var(--line);border-radius:1rem;
padding:1.25rem 1.25rem 1.4rem;box-shadow:0 1px 2px rgba(40,25,10,.06),0 12px 32px rgba(40,25,10,.07)}
@media (min-width:40rem){main{padding:2rem 2.25rem 2.25rem}}
.brand{display:flex;align-items:center;gap:.55rem;margin:0 0 1rem;font-size:.9rem;color:var(--soft);overflow-wrap:anywhere}
.brand b{color:var(--text);font-weight:650}
.brand svg{flex:none;width:1.75rem;height:1.75rem;color:var(--accent)}
h1{margin:0 0 .35rem;font-size:1.4rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere;
text-wrap:balance}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
h1,dd,.note{overflow:clip}
main>:last-child{margin-bottom:0}
.soft{color:var(--soft)}
dl{margin:1rem 0;border-top:1px solid var(--line)}
dl div{display:grid;grid-template-columns:4.25rem 1fr;gap:.75rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}
@media (max-width:22rem){dl div{grid-template-columns:1fr;gap:0}}
dd{margin:0;overflow-wrap:anywhere}
dd b{font-weight:650}
dd span{display:block;color:var(--soft);font-size:.9rem;line-height:1.4}
.note{margin:0 0 1rem;padding:.6rem .85rem;font-size:.925rem;line-height:1.45;
background:var(--note);border:1px solid var(--note-line);border-radius:.6rem}
.bad{margin:.5rem 0 0;color:var(--bad);font-weight:650}
.detail{padding:.5rem .75rem;background:var(--back);border:1px solid var(--line);border-radius:.6rem;
font:.875rem/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
label{display:block;margin:0 0 .3rem;font-weight:650}
.hint{margin:.35rem 0 1rem;font-size:.9rem;line-height:1.4;color:var(--soft)}
input[type=password]{display:block;width:100%;min-height:2.9rem;padding:.5rem .8rem;font:inherit;color:inherit;
background:var(--back);border:1px solid var(--soft);border-radius:.6rem}
input[aria-invalid=true]{border-color:var(--bad)}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem}
button,.button{min-height:2.9rem;padding:.5rem 1.25rem;font:inherit;font-weight:650;text-align:center;color:var(--text);
background:transparent;border:1px solid var(--soft);border-radius:.6rem;cursor:pointer}
.buttons button{flex:1}
.button{display:inline-flex;align-items:center;text-decoration:none}
button.go,.button{color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
button.go:hover,.button:hover{background:var(--hover);border-color:var(--hover)}
button.no:hover{background:var(--back)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
code{font:.92em ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
@media (min-width:22rem){code{white-space:nowrap}}
]]
