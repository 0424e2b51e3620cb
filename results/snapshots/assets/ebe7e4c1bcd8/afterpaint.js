/** Work that can wait until the ranking is on the screen: done once, however often it is asked for. */
export class AfterPaint {
  constructor(work) {
    this.work = work;
    this.waiting = false;
  }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => setTimeout(() => this.run()));
  }

  run() {
    this.waiting = false;
    this.work();
  }
}
