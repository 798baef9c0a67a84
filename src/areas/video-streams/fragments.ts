import { broken } from '../../media/errors.ts';

// A fragmented MP4 as ffmpeg writes it to a pipe (ISO/IEC 14496-12): 'ftyp' and 'moov', then a 'moof' and an 'mdat'
// for each key frame.

export type Fragment = {
  /** 'init': what a player needs before any other. */
  readonly kind: 'init' | 'media';
  readonly bytes: Buffer;
};

/** A box that is larger is no fragment of a few seconds. */
const MAX_BOX_BYTES = 256 * 1024 ** 2;
const HEADER_BYTES = 8;

/** Yields the fragments of a stream as soon as they are whole. Throws MediaError for other bytes. */
export async function* readFragments(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Fragment, void> {
  let begun: Buffer[] = [];
  for await (const { type, bytes } of readBoxes(stream)) {
    begun.push(bytes);
    if (type === 'moov') yield { kind: 'init', bytes: Buffer.concat(begun) };
    else if (type === 'mdat') yield { kind: 'media', bytes: Buffer.concat(begun) };
    else if (type === 'ftyp' || type === 'moof') continue;
    begun = [];
  }
}

async function* readBoxes(stream: AsyncIterable<Uint8Array>) {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let wanted = HEADER_BYTES;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= wanted) {
      const all = Buffer.concat(chunks);
      const size = all.readUInt32BE(0);
      if (size < HEADER_BYTES || size > MAX_BOX_BYTES)
        throw broken(`ffmpeg wrote a box of ${size} bytes`);
      wanted = size;
      if (length < size) {
        chunks = [all];
        break;
      }
      yield { type: all.toString('latin1', 4, HEADER_BYTES), bytes: all.subarray(0, size) };
      const rest = all.subarray(size);
      [chunks, length, wanted] = [[rest], rest.length, HEADER_BYTES];
    }
  }
}

type Box = { readonly type: string; readonly body: Buffer };

function* listBoxes(bytes: Buffer): Generator<Box> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (size < HEADER_BYTES || at + size > bytes.length) throw broken('A box ends too late');
    yield {
      type: bytes.toString('latin1', at + 4, at + HEADER_BYTES),
      body: bytes.subarray(at + HEADER_BYTES, at + size),
    };
    at += size;
  }
}

function requireBox(bytes: Buffer, type: string): Buffer {
  for (const box of listBoxes(bytes)) if (box.type === type) return box.body;
  throw broken(`There is no box '${type}'`);
}

export type Track = { readonly id: number; readonly timescale: number };

/** Returns the track of the pictures from an initialisation. Throws MediaError. */
export function findVideoTrack(init: Buffer): Track {
  for (const { type, body } of listBoxes(requireBox(init, 'moov'))) {
    if (type !== 'trak') continue;
    const media = requireBox(body, 'mdia');
    if (requireBox(media, 'hdlr').toString('latin1', 8, 12) !== 'vide') continue;
    const [track, times] = [requireBox(body, 'tkhd'), requireBox(media, 'mdhd')];
    // Version 1 has times of 64 bits before it.
    return {
      id: track.readUInt32BE(track[0] === 1 ? 20 : 12),
      timescale: times.readUInt32BE(times[0] === 1 ? 20 : 12),
    };
  }
  throw broken('There is no picture in the stream');
}

/** Returns when the first picture of a fragment is shown, in seconds. Throws MediaError. */
export function readStart(fragment: Buffer, track: Track): number {
  for (const { type, body } of listBoxes(requireBox(fragment, 'moof'))) {
    if (type !== 'traf' || requireBox(body, 'tfhd').readUInt32BE(4) !== track.id) continue;
    const time = requireBox(body, 'tfdt');
    const decoded = time[0] === 1 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4);
    return (decoded + readFirstOffset(requireBox(body, 'trun'))) / track.timescale;
  }
  throw broken('A fragment has no picture');
}

/** Fields before the offset of the first sample, by the bits of the flags of a 'trun' box. */
const RUN_FIELDS = [0x1, 0x4, 0x100, 0x200, 0x400];
const OFFSET_FIELD = 0x800;

/** Returns how long after it is decoded the first sample is shown, in units (ISO/IEC 14496-12 8.8.8). */
function readFirstOffset(run: Buffer): number {
  const flags = run.readUInt32BE(0);
  if ((flags & OFFSET_FIELD) === 0) return 0;
  return run.readInt32BE(8 + 4 * RUN_FIELDS.filter((field) => flags & field).length);
}
