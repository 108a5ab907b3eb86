// Browsers start no worker from file://. There, this runs the script of a worker in a hidden frame, so that search works from disk.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      window.addEventListener("message", (event) => {
        if (event.source !== this.inside) return;
        const again = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(again);
        if (this.onmessage) this.onmessage(again);
      });
      this.ready = new Promise((resolve) => {
        this.inside.loaded = resolve;
      });
      const script = JSON.stringify(new URL(url, location.href).href);
      this.inside.document.open();
      this.inside.document.write(`<script>
        postMessage = (data) => parent.postMessage(data, "*");
        const load = (url) => new Promise((resolve) => {
          const script = document.createElement("script");
          script.src = url;
          script.onload = resolve;
          document.head.append(script);
        });
        importScripts = (...urls) => urls.reduce((before, url) => before.then(() => load(url)), Promise.resolve());
        load(${script}).then(loaded);
      <\/script>`);
      this.inside.document.close();
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data, source: window })));
    }
  };
}
