// When a page is quiet: loaded, no request under way, no timer due, no animation running.

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();
const hop = () => new Promise((go) => { waiting.push(go); channel.port2.postMessage(0); });
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

// A page whose clock is virtual goes on by `spanMs`, or, with `quiet`, only until no timer is left; a page on real time is
// waited for while timers are due soon, requests run or elements change.
const settle = async ({ virtual, spanMs, limitMs, dueMs = 120 }) => {
  const began = performance.now();
  await hop();
  let documents = document.querySelector("iframe, frame") ? frames(document) : [document];
  while (documents.some((doc) => doc.readyState !== "complete") && performance.now() - began < limitMs) {
    await pause(4);
    documents = frames(document);
  }
  if (virtual) {
    for (const doc of documents) {
      let told = ask(doc, { span: spanMs });
      const until = told.end;
      for (let count = 0; told.more && count < 5000 && performance.now() - began < limitMs; count += 1) {
        await null;
        told = ask(doc, { until });
        if (count % 50 === 49) await hop();
      }
      if (told.ran) await hop();
    }
    for (const doc of documents) {
      while (ask(doc, {}).pending > 0 && performance.now() - began < limitMs) {
        await pause(2);
        let told = ask(doc, { span: 20 });
        const until = told.end;
        while (told.more && performance.now() - began < limitMs) { await null; told = ask(doc, { until }); }
      }
    }
  } else {
    let changes = 1;
    const watcher = new MutationObserver(() => { changes += 1; });
    for (const doc of documents) watcher.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
    try {
      for (let quiet = 0; quiet < 2 && performance.now() - began < limitMs; ) {
        changes = 0;
        await pause(quiet ? 16 : 4);
        const told = documents.map((doc) => ask(doc, {}));
        const busy = told.some((each) => each.pending > 0 || (each.due !== null && each.due < dueMs));
        quiet = busy || changes ? 0 : quiet + 1;
        if (performance.now() - began > limitMs / 2 && !told.some((each) => each.pending > 0)) break;
      }
    } finally {
      watcher.disconnect();
    }
  }
  for (const doc of documents) {
    const unfinished = () => [...doc.images].some((image) => !image.complete && image.loading !== "lazy");
    while (unfinished() && performance.now() - began < limitMs) await pause(4);
  }
  let ended = false;
  for (const doc of documents)
    for (const animation of doc.getAnimations()) {
      const timing = animation.effect?.getComputedTiming();
      if (animation.playState === "running" && timing && timing.endTime !== Infinity) {
        animation.finish();
        ended = true;
      }
    }
  if (ended) {
    await new Promise((go) => { requestAnimationFrame(go); setTimeout(go, 50); });
    if (virtual) for (const doc of documents) ask(doc, { span: 0 });
    await hop();
  }
  const sent = submitted !== null && !submitted.defaultPrevented;
  submitted = null;
  return sent;
};

// Until the next frame is drawn: a wheel scrolls only then.
const drawn = () => new Promise((go) => { requestAnimationFrame(() => requestAnimationFrame(go)); setTimeout(go, 200); });
