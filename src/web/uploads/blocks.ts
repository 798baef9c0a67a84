/** Mixes the 64 bytes at `offset` into the state of a digest. */
export type Mix = (bytes: Uint8Array, offset: number) => void;

const BLOCK = 64;

/** Cuts what comes in pieces of any size into the blocks of SHA-1 and SHA-256 (FIPS 180-4, section 5). */
export function createBlocks(mix: Mix): { update(bytes: Uint8Array): void; finish(): void } {
  const rest = new Uint8Array(BLOCK);
  let [filled, length] = [0, 0];

  function update(bytes: Uint8Array): void {
    length += bytes.length;
    let offset = 0;
    if (filled > 0) {
      offset = Math.min(BLOCK - filled, bytes.length);
      rest.set(bytes.subarray(0, offset), filled);
      filled += offset;
      if (filled < BLOCK) return;
      mix(rest, 0);
      filled = 0;
    }
    for (; offset + BLOCK <= bytes.length; offset += BLOCK) mix(bytes, offset);
    rest.set(bytes.subarray(offset));
    filled = bytes.length - offset;
  }

  return {
    update,
    /** The padding that ends a message: nothing may follow. */
    finish(): void {
      const bits = length * 8;
      const padding = new Uint8Array((filled < 56 ? 56 : 120) - filled + 8);
      padding[0] = 0x80;
      const view = new DataView(padding.buffer);
      view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
      view.setUint32(padding.length - 4, bits >>> 0);
      update(padding);
    },
  };
}
