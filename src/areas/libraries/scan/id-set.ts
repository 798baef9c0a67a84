const BITS = 8 * 65_536;

/** A set of positive integers that lie close together: a bit for each. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const at = Math.floor(id / BITS);
    let page = this.#pages.get(at);
    if (!page) this.#pages.set(at, (page = new Uint8Array(BITS / 8)));
    const bit = id % BITS;
    page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  has(id: number): boolean {
    const bit = id % BITS;
    return ((this.#pages.get(Math.floor(id / BITS))?.[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}
