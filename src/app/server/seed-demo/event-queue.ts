/** Things that happen in the order of their time; equal times keep the order they were added in. */
export class EventQueue {
  readonly #heap: { at: number; order: number; run: () => void }[] = [];
  #added = 0;

  /** Plans `run` for an instant in milliseconds. */
  add(at: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at, order: this.#added, run });
    this.#added += 1;
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Runs everything up to and including `end`; what lies behind it never happens. */
  runUntil(end: number): void {
    for (;;) {
      const first = this.#heap[0];
      if (!first || first.at > end) return;
      this.#removeFirst();
      first.run();
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    heap[0] = last;
    let parent = 0;
    for (;;) {
      let least = parent;
      for (const child of [parent * 2 + 1, parent * 2 + 2]) {
        if (child < heap.length && this.#before(child, least)) least = child;
      }
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a]!;
    const right = this.#heap[b]!;
    return left.at < right.at || (left.at === right.at && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
  }
}
