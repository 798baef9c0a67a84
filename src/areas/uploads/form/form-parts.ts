import { badRequest } from '../../../core/errors.ts';

/** What becomes of a part: takes its bytes in pieces, and hears that there are no more. */
export type PartSink = {
  write(bytes: Buffer): Promise<void> | undefined;
  end(): void;
};

export type PartsOptions = {
  readonly boundary: string;
  /**
   * A part begins. `head` is what lies between its boundary and its first byte, with the line breaks
   * around it.
   */
  readonly open: (head: Buffer) => Promise<PartSink>;
  /** The last boundary was read; what follows means nothing. */
  readonly finish: () => void;
};

export type Parts = {
  /** Ends when the sinks have taken all of it. The bytes must not change afterwards. */
  take(chunk: Uint8Array): Promise<void>;
};

const CR = 13;
const LINE_END = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const LAST = Buffer.from('--');
const NOTHING = Buffer.alloc(0);
const MAX_HEAD_BYTES = 8 * 1024;

/**
 * Cuts a multipart form at its boundaries. They are searched for as a whole, some gigabytes in a
 * second: a parser that looks at each byte takes as long for a photo as its digests do.
 */
export function readParts({ boundary, open, finish }: PartsOptions): Parts {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The line break of the first boundary is the end of the head of the request.
  let rest: Buffer = LINE_END;
  let state: 'before' | 'boundary' | 'head' | 'body' | 'after' = 'before';
  let part: PartSink | undefined;

  /** Answers what is left; as much as there was: more has to come first. */
  async function step(data: Buffer): Promise<Buffer> {
    switch (state) {
      case 'before':
      case 'body': {
        const at = data.indexOf(delimiter);
        const end = at < 0 ? data.length - beginning(data, delimiter) : at;
        if (end > 0) await part?.write(data.subarray(0, end));
        if (at < 0) return data.subarray(end);
        part?.end();
        part = undefined;
        state = 'boundary';
        return data.subarray(at + delimiter.length);
      }
      case 'boundary': {
        if (data.length < 2) return data;
        const next = data.subarray(0, 2);
        if (next.equals(LAST)) finish();
        // Anything else is no part, and passed over.
        state = next.equals(LAST) ? 'after' : next.equals(LINE_END) ? 'head' : 'before';
        return data;
      }
      case 'head': {
        const at = data.subarray(0, MAX_HEAD_BYTES).indexOf(BLANK_LINE);
        if (at < 0 && data.length >= MAX_HEAD_BYTES) throw badRequest('A part has too long a head');
        if (at < 0) return data;
        const end = at + BLANK_LINE.length;
        part = await open(data.subarray(0, end));
        state = 'body';
        return data.subarray(end);
      }
      case 'after':
        return NOTHING;
    }
  }

  return {
    async take(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let data = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      for (;;) {
        const before = state;
        const left = await step(data);
        const isStuck = state === before;
        data = left;
        if (isStuck) break;
      }
      rest = data;
    },
  };
}

/** How many bytes at the end of `data` may be the first ones of `needle`, which begins with CR. */
function beginning(data: Buffer, needle: Buffer): number {
  let at = data.indexOf(CR, Math.max(0, data.length - needle.length + 1));
  while (at >= 0) {
    if (needle.compare(data, at, data.length, 0, data.length - at) === 0) return data.length - at;
    at = data.indexOf(CR, at + 1);
  }
  return 0;
}
