// The browser's own SHA-1 needs HTTPS and the whole file in memory. A home server is often plain
// HTTP and a video is often gigabytes, so there is this one, which takes the bytes piece by piece.
// Ours, not @noble/hashes 2.4.0: in Chromium 114 MB/s against 76 (SHA-256: 78 against 57).

import { createBlocks } from './blocks.ts';

export type Sha1 = { update(bytes: Uint8Array): void; hex(): string };

export function createSha1(): Sha1 {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const words = new Int32Array(80);
  const blocks = createBlocks((bytes, offset) => mix(state, words, bytes, offset));
  return {
    update: (bytes) => blocks.update(bytes),
    hex() {
      blocks.finish();
      return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
}

/** One block of FIPS 180-4, section 6.1.2. */
function mix(state: Int32Array, words: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0, at = offset; i < 16; i++, at += 4) {
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
  for (let i = 16; i < 80; i++) {
    const word = words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!;
    words[i] = (word << 1) | (word >>> 31);
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  // Four loops, not one with a choice in it: twice as fast.
  for (let i = 0; i < 20; i++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + words[i]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let i = 20; i < 40; i++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + words[i]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let i = 40; i < 60; i++) {
    const next =
      (((a << 5) | (a >>> 27)) + ((b & c) | (b & d) | (c & d)) + e + 0x8f1bbcdc + words[i]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let i = 60; i < 80; i++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + words[i]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
  state[4] = (state[4]! + e) | 0;
}
