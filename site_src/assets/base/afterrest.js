/** Milliseconds after which what moved is taken to rest. */
export const REST = 200;

/** Work that waits until it has not been asked for a while: nobody reads it while a slider moves, and it would keep
 * Python from ranking. */
export class AfterRest {
  /** @param {() => void} work */
  constructor(work) {
    this.work = work;
    this.timer = 0;
  }

  ask() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.work, REST);
  }
}
