import { released } from "./press.js";

// Milliseconds to wait after the paint, so that the visitor's next movement is not delayed either.
const REST = 50;

/** Work that can wait until the ranking is on the screen: done once, however often it is asked for. */
export class AfterPaint {
  /** @param {() => void} work */
  constructor(work) {
    this.work = work;
    this.waiting = false;
  }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => setTimeout(() => this.run(), REST));
  }

  /** What this draws may move what stands below it, so it waits for what is pressed. */
  async run() {
    await released();
    this.waiting = false;
    this.work();
  }
}
