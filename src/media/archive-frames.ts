// The child process that reads a ZIP archive writes frames to its standard output: one byte for the kind, four for the
// length (big-endian), and then the content.

/** The kind of an entry, as the archive declares it. */
export type EntryKind = 'file' | 'folder' | 'link' | 'special' | 'encrypted' | 'archive';

/** Why the bytes of an entry cannot be had. */
export type EntryFault = 'damaged' | 'compression';

/** Why nothing of an archive can be had. */
export type ArchiveFault = 'no_zip' | 'tgz' | 'cut' | 'damaged' | 'encrypted' | 'overlap' | 'count';

export type ArchiveEntry = {
  readonly type: 'entry';
  readonly name: string;
  readonly kind: EntryKind;
  readonly modifiedMs: number;
};

export type ArchiveMessage =
  /** The first one: the number of entries, and the bytes that they should have. */
  | { readonly type: 'contents'; readonly entries: number; readonly bytes: number }
  /** After that of a file come its bytes, and an end. */
  | ArchiveEntry
  | { readonly type: 'end'; readonly fault?: EntryFault }
  /** Instead of all others. */
  | { readonly type: 'fault'; readonly fault: ArchiveFault }
  /** The last one. */
  | { readonly type: 'done' };

const MESSAGE = 0;
const BYTES = 1;
const HEAD_BYTES = 5;
/** The longest name of an entry is 64 KiB, as JSON up to six times that; pieces of files are shorter. */
const MAX_FRAME_BYTES = 1024 ** 2;

/** Returns the head of a frame for this content. */
const toHead = (kind: number, length: number): Uint8Array => {
  const head = new Uint8Array(HEAD_BYTES);
  head[0] = kind;
  new DataView(head.buffer).setUint32(1, length);
  return head;
};

/** Returns what is written for a message, or for bytes of a file. */
export function toFrame(content: ArchiveMessage | Uint8Array): Uint8Array[] {
  if (content instanceof Uint8Array) return [toHead(BYTES, content.length), content];
  const text = new TextEncoder().encode(JSON.stringify(content));
  return [toHead(MESSAGE, text.length), text];
}

/** Yields messages and bytes of files. Throws for what is no frame. */
export async function* readFrames(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ArchiveMessage | Uint8Array, void> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
      if (length > MAX_FRAME_BYTES)
        throw new Error('The reader of archives sends too much at once');
      if (rest.length < HEAD_BYTES + length) break;
      const content = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      yield rest[0] === BYTES
        ? content
        : (JSON.parse(new TextDecoder().decode(content)) as ArchiveMessage);
      rest = rest.subarray(HEAD_BYTES + length);
    }
  }
  if (rest.length > 0) throw new Error('The reader of archives has ended within a frame');
}
