"""Addresses, answers and requests that reach for what they must not, or that never end.

"DECOY" stands for the port of a server of this machine that no page may reach.
"""

from __future__ import annotations

from tests.environments.web.hostile.case import LOOK, Case, click, goto

PLAIN = "http://hostile.test/plain"
_REFUSED = "cannot be opened here. Expected http or https."
_OUTSIDE = "127.0.0.1:DECOY"

_ALL_WAYS = """<h1>Ways out</h1><img src="http://OUT/i"><link rel=stylesheet href="http://OUT/c">
<link rel=prefetch href="http://OUT/p"><link rel=preload as=image href="http://OUT/l">
<link rel=dns-prefetch href="//gone.test">
<link rel=preconnect href="http://OUT/"><iframe src="http://OUT/f"></iframe><object data="http://OUT/o"></object>
<video src="http://OUT/v"></video><form id=f action="http://OUT/form" method=post target=g></form>
<iframe name=g></iframe>
<style>@font-face { font-family: x; src: url(http://OUT/font) } h1 { font-family: x }</style>
<a ping="http://OUT/ping" href="#x">Ping</a>
<script>
  fetch("http://OUT/a").catch(() => 0);
  fetch("http://OUT/k", {keepalive: true, method: "POST", body: "x"}).catch(() => 0);
  navigator.sendBeacon("http://OUT/b", "x"); new EventSource("http://OUT/e"); new WebSocket("ws://OUT/w");
  const asked = new XMLHttpRequest(); asked.open("GET", "http://OUT/x"); asked.onerror = () => 0; asked.send();
  const peer = new RTCPeerConnection({iceServers: [{urls: "stun:OUT"},
    {urls: "turn:OUT?transport=tcp", username: "u", credential: "c"}]});
  peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  new Worker(URL.createObjectURL(new Blob(["fetch('http://OUT/worker').catch(() => 0); importScripts('http://OUT/import')"])));
  document.getElementById("f").submit(); document.querySelector("a").click();
  if (window.WebTransport) try { new WebTransport("https://OUT/t").ready.catch(() => 0) } catch {}
</script>"""

ADDRESSES = [
    *(
        Case(
            f"`goto` of {what}",
            "Refused; the page stays.",
            "<h1>Here</h1>",
            calls=(goto(address),),
            says=("error: Addresses that begin with", _REFUSED, 'heading "Here"'),
        )
        for what, address in (
            ("a `file:` address", "file:///etc/passwd"),
            ("a `chrome:` address", "chrome://version"),
            ("a `view-source:` address", "view-source:http://hostile.test/plain"),
            ("a `devtools:` address", "devtools://devtools/bundled/inspector.html"),
            ("a `javascript:` address", "javascript:alert(1)"),
            ("a `data:` address", "data:text/html,<h1>Data</h1>"),
            ("a `blob:` address", "blob:http://hostile.test/0"),
            ("another `about:` address", "about:version"),
        )
    ),
    Case(
        "Links to `file:`, `chrome:` and `view-source:` addresses",
        "Nothing opens, and the agent is told so.",
        "<h1>Links</h1><a href='file:///etc/passwd'>One</a><a href='chrome://version'>Two</a>"
        "<a href='view-source:http://hostile.test/plain'>Three</a>",
        calls=(click(1), click(2), click(3)),
        says=(
            'The page asked for "file:///etc/passwd". Pages of file: cannot be opened here.',
            "Pages of chrome: cannot be opened here.",
            "Pages of view-source: cannot be opened here.",
            'heading "Links"',
        ),
        never=("root:",),
    ),
    Case(
        "A `javascript:` link and a frame with a `data:` page",
        "They are parts of the page, and are read like any other.",
        "<a href='javascript:void(document.body.append(\"Ran\"))'>Run</a>"
        "<iframe src='data:text/html,<h1>Data</h1>'></iframe>",
        calls=(click(1),),
        says=('"Ran"', 'heading "Data"'),
    ),
    Case(
        "A page that sends the window to a `blob:` page of its own",
        "The page is read; it can reach no more than the one that made it.",
        "<script>location = URL.createObjectURL("
        "new Blob(['<h1>Blob</h1><img src=http://127.0.0.1:DECOY/>'], {type: 'text/html'}))</script>",
        calls=(LOOK,),
        says=('heading "Blob"',),
        url="blob:http://hostile.test/",
    ),
    *(
        Case(
            f"`goto` of {what}",
            "The gate answers that it cannot be reached, and names what can.",
            "<h1>Here</h1>",
            calls=(goto(address),),
            says=("cannot be reached from here. Sites that can: ",),
            never=("Decoy",),
            url=address,
        )
        for what, address in (
            ("a port of this machine", f"http://{_OUTSIDE}/"),
            ("a port of this machine by IPv6", "http://[::1]:DECOY/"),
            ("`localhost`", "http://localhost:DECOY/"),
            ("a cloud's metadata address", "http://169.254.169.254/"),
            ("a private address", "http://10.0.0.1/"),
            ("a name that the machine resolves", "http://localhost.:DECOY/"),
            ("another port of the site's host", "http://hostile.test:DECOY/"),
            ("a name that nobody has", "http://gone.test/"),
        )
    ),
    Case(
        "Every way out of a page: images, frames, `fetch`, beacons, sockets, WebRTC, prefetching, workers, pings",
        "Nothing arrives outside.",
        _ALL_WAYS.replace("OUT", _OUTSIDE),
        calls=(LOOK,),
        says=('heading "Ways out"',),
        hangs=True,
    ),
    Case(
        "A link to a site that cannot be reached",
        "The gate answers that it cannot be reached, and names what can.",
        "<a href='http://gone.test/'>Away</a>",
        calls=(click(),),
        says=("gone.test cannot be reached from here.",),
        url="http://gone.test/",
    ),
]

ANSWERS = [
    Case(
        "Redirects without end",
        "The agent is told that there were too many.",
        path="/redirect",
        says=("The page could not be loaded: ERR_TOO_MANY_REDIRECTS.",),
        fate="page closed",
    ),
    Case(
        "A redirect to an address outside",
        "The gate answers that it cannot be reached.",
        path=f"/away?http://{_OUTSIDE}/",
        says=("127.0.0.1 cannot be reached from here.",),
        never=("Decoy",),
        url=f"http://{_OUTSIDE}/",
    ),
    Case(
        "A redirect to a `file:` address",
        "The agent is told that it could not be loaded.",
        path="/away?file:///etc/passwd",
        says=("The page could not be loaded",),
        never=("root:",),
        fate="page closed",
    ),
    Case(
        "A server that never answers",
        "It is given up after 30 seconds, and the agent is told so. The page before it stays.",
        path="/silent",
        says=("The page could not be loaded: its site did not answer within", 'heading "Plain"'),
        never=("answered with no page",),
        hangs=True,
    ),
    Case(
        "A head that never ends",
        "It is given up after 30 seconds, and the agent is told so. The page before it stays.",
        path="/slow-head",
        says=("The page could not be loaded: its site did not answer within", 'heading "Plain"'),
        hangs=True,
    ),
    Case(
        "A body that never ends",
        "The load is stopped after 30 seconds, and what came is read.",
        path="/endless-body",
        says=("The page was still loading after", 'heading "It begins"'),
        hangs=True,
    ),
    Case(
        "A head of two megabytes",
        "The agent is told that it could not be loaded.",
        path="/wide-head",
        says=("The page could not be loaded",),
        fate="page closed",
    ),
    Case(
        "A page of 100 MB",
        "It is cut after 64 MiB, and what came is read.",
        path="/100-mb",
        says=('heading "Large"', 'button "Go"'),
        max_bytes=2 << 20,
    ),
    Case(
        "A body that is shorter than its head says",
        "What came is read, after a bounded wait.",
        path="/too-short",
        says=('heading "Cut short"',),
        hangs=True,
    ),
    Case(
        "An answer that is no HTTP",
        "The agent is told that it could not be loaded, or reads it as text.",
        path="/no-http",
    ),
    Case(
        "A link that is answered with nothing (204)",
        "The page stays, and the agent is told so.",
        "<a href='/nothing'>Nothing</a>",
        calls=(click(),),
        says=('link "Nothing"', "answered with no page"),
    ),
    Case(
        "A site that asks for a password",
        "No dialog waits; the answer's own page is read.",
        path="/private",
        says=('heading "A password is needed"',),
    ),
    Case(
        "A certificate that nobody vouches for",
        "The agent is told that it could not be loaded.",
        "<h1>Here</h1>",
        calls=(goto("https://localhost:TLS/plain"),),
        says=("The page could not be loaded: ERR_CERT_AUTHORITY_INVALID.",),
        fate="page closed",
    ),
    Case(
        "Requests that never end: a stream of events and a slow `fetch`",
        "The page is read after a bounded wait.",
        "<h1>Stream</h1><script>new EventSource('/events'); fetch('/silent')</script>",
        says=('heading "Stream"',),
        hangs=True,
    ),
]

FILES = [
    Case(
        "A download, where downloads are refused",
        "The agent is told that the page offered one.",
        "<a href='/file?plan.bin'>File</a>",
        calls=(click(),),
        says=('The page offered a download, "plan.bin". Downloads are refused here.', 'link "File"'),
    ),
    Case(
        "A download, where downloads are kept",
        "The agent is told that it was downloaded.",
        "<a href='/file?plan.bin'>File</a>",
        calls=(click(), LOOK),
        says=('"plan.bin" was downloaded.', 'link "File"'),
        settings={"downloads": True},
    ),
    Case(
        "A download whose name is a path",
        "The name is only shown.",
        "<a href='/file?../../../etc/cron.d/x'>File</a>",
        calls=(click(), LOOK),
        says=("was downloaded.",),
        settings={"downloads": True},
    ),
    Case(
        "Thirty downloads at once",
        "Chromium lets ten begin; these are kept.",
        '<button onclick=\'for (let n = 0; n < 30; n += 1) { const a = document.createElement("a"); '
        'a.href = "/file?" + n; a.download = n; a.click() }\'>All</button>',
        calls=(click(), LOOK),
        says=('"9" was downloaded.',),
        never=('"10" was downloaded.',),
        settings={"downloads": True},
    ),
    Case(
        "Eleven downloads, one after the other",
        "Ten are kept, and the agent is told that the last one is not.",
        "<a href='/file?plan.bin'>File</a>",
        calls=(click(),) * 11,
        says=('"plan.bin" was not downloaded: at most 10 downloads are kept.',),
        settings={"downloads": True},
    ),
    Case(
        "A download without end",
        "It is cut after 64 MiB, and the agent is told so.",
        "<a href='/endless-file'>File</a>",
        calls=(click(), LOOK),
        says=("was not downloaded: it has more than",),
        never=("was downloaded.",),
        settings={"downloads": True},
        max_bytes=2 << 20,
    ),
    Case(
        "A service worker",
        "It works within the episode and is gone in the next one.",
        "<h1></h1><script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)"
        ".then(() => { document.querySelector('h1').textContent = 'Registered' })</script>",
        calls=(LOOK,),
        says=('heading "Registered"',),
        is_secure=True,
    ),
]

NETWORK = [*ADDRESSES, *ANSWERS, *FILES]
