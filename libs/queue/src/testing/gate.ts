/** A promise that a case resolves when it wants: what a slow handler waits for. */
export class Gate {
  readonly opened: Promise<void>;
  #open!: () => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}
