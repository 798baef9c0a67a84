import busboy from 'busboy';
import { AppError, badRequest, unsupportedMediaType } from '../core/errors.ts';
import { releaseBytes } from '../core/release-bytes.ts';

// Files bypass busboy: CPU per GB 30 ms, against 80 ms by multipasta 0.2.8, which loses file names
// outside Latin-1 and fails where a chunk ends within the closing boundary, and 270 ms by busboy alone.

/** Receives one file of a form as it arrives. A chunk is released when its promise, if there is one, resolves. */
export type FileSink = { write(chunk: Uint8Array): Promise<void> | undefined };

export type Form = {
  readonly contentType: string | null;
  readonly body: ReadableStream<Uint8Array> | null;
};

/**
 * Called at the start of each file; returns its sink, or undefined to skip it. `fields` holds the text
 * fields received so far.
 */
export type OnFile = (
  field: string,
  fileName: string | undefined,
  fields: ReadonlyMap<string, string>,
) => Promise<FileSink | undefined>;

const MAX_FIELDS = 100;
const MAX_FILES = 10;
/** Includes parts that are neither a field nor a file. */
const MAX_PARTS = 120;
/** Bytes of the names and values of all text fields, which are held in memory. */
const MAX_TEXT_BYTES = 1024 ** 2;

/**
 * Reads a multipart form as a stream with backpressure from the sinks. Returns the text fields; of two
 * with one name the last counts. Throws errors of `onFile` and the sinks, and 400 when the form is
 * malformed or incomplete.
 */
export async function readForm(form: Form, onFile: OnFile): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  const textBudget = createTextBudget();
  const countPart = createPartCounter();

  const parts = createPartSplitter(parseBoundary(form), async (head) => {
    const part = parsePartHead(head);
    countPart(part?.kind);
    if (!part) return DISCARD_SINK;
    if (part.kind === 'text') {
      textBudget.take(Buffer.byteLength(part.name));
      return createTextSink(textBudget, (value) => fields.set(part.name, value));
    }
    const sink = await onFile(part.name, part.fileName, fields);
    return sink ? { write: (bytes) => sink.write(bytes), end() {} } : DISCARD_SINK;
  });
  const reader = form.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw brokenForm(error);
      });
      if (done) break;
      await parts.push(value);
      releaseBytes(value);
    }
    if (!parts.isClosed()) throw brokenForm(new Error('The closing boundary is missing'));
  } catch (error) {
    // Closes the connection: the rest of the body is not read.
    void reader?.cancel().catch(() => {});
    throw error;
  }
  return fields;
}

const DISCARD_SINK: PartSink = { write: () => undefined, end() {} };

type TextBudget = {
  /** Throws 400 when the text fields exceed the limit. */
  take(bytes: number): void;
};

function createTextBudget(): TextBudget {
  let left = MAX_TEXT_BYTES;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw badRequest('The text fields of the form are longer than 1 MiB together');
    },
  };
}

function createTextSink(budget: TextBudget, keep: (value: string) => void): PartSink {
  const pieces: Buffer[] = [];
  return {
    write(bytes) {
      budget.take(bytes.length);
      pieces.push(Buffer.from(bytes));
      return undefined;
    },
    end: () => keep(Buffer.concat(pieces).toString()),
  };
}

type PartHead = {
  readonly kind: 'text' | 'file';
  readonly name: string;
  readonly fileName?: string | undefined;
};

/** Returns a function that counts a part and throws 400 when the form has too many. */
function createPartCounter(): (kind: PartHead['kind'] | undefined) => void {
  let [all, texts, files] = [0, 0, 0];
  return (kind) => {
    all += 1;
    if (kind === 'text') texts += 1;
    if (kind === 'file') files += 1;
    if (all > MAX_PARTS || texts > MAX_FIELDS || files > MAX_FILES) {
      throw badRequest('The form has too many parts');
    }
  };
}

const HEAD_BOUNDARY = 'part-head';

/**
 * Parses the header block of a part, with the line breaks around it, by busboy: as a form of this part
 * without content, for which busboy reports everything within the call. Returns undefined for a part
 * that is neither a field nor a file. Throws 400.
 */
function parsePartHead(head: Buffer): PartHead | undefined {
  const parser = busboy({
    headers: { 'content-type': `multipart/form-data; boundary=${HEAD_BOUNDARY}` },
    // Clients send file names in UTF-8.
    defParamCharset: 'utf8',
  });
  let found: (Omit<PartHead, 'name'> & { readonly name: string | undefined }) | undefined;
  let failure: unknown;
  parser.on('field', (name: string | undefined) => {
    found = { kind: 'text', name };
  });
  parser.on('file', (name: string | undefined, stream, { filename }: { filename?: string }) => {
    stream.on('error', () => {});
    stream.resume();
    found = { kind: 'file', name, fileName: filename };
  });
  parser.on('error', (error) => (failure ??= error));
  const delimiter = `--${HEAD_BOUNDARY}`;
  parser.end(Buffer.concat([Buffer.from(delimiter), head, Buffer.from(`\r\n${delimiter}--\r\n`)]));
  if (failure) throw brokenForm(failure);
  if (!found) return undefined;
  if (found.name === undefined) throw brokenForm(new Error('A part has no name'));
  return { ...found, name: found.name };
}

/** A boundary without quotes and backslashes, which no client uses. */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,200})"|([^\s;"\\]{1,200}))\s*(?:;|$)/i;

function parseBoundary(form: Form): string {
  const contentType = form.contentType ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw unsupportedMediaType('A form of the type multipart/form-data is required');
  }
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (!boundary || !/^[\x20-\x7e]+$/.test(boundary))
    throw brokenForm(new Error('It has no boundary'));
  return boundary;
}

const brokenForm = (error: unknown) =>
  new AppError('badRequest', 'The form is broken or incomplete', { cause: error });

/** Receives the bytes of one part in chunks. */
type PartSink = {
  /** Takes or copies the bytes until it returns, or its promise resolves: they are released then. */
  write(bytes: Buffer): Promise<void> | undefined;
  end(): void;
};

type PartSplitter = {
  /** Resolves when the sinks have taken the chunk. Nothing uses the bytes afterwards. */
  push(chunk: Uint8Array): Promise<void>;
  /** Returns whether the closing boundary has arrived; bytes after it are ignored. */
  isClosed(): boolean;
};

const CR = 13;
const LINE_END = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const CLOSE_MARK = Buffer.from('--');
const NO_BYTES = Buffer.alloc(0);
const MAX_HEAD_BYTES = 8 * 1024;

/**
 * Splits a multipart body (RFC 2046 §5.1) at its boundaries. Ours because of speed: `Buffer.indexOf`
 * searches some GB/s, while a parser that visits each byte costs as much CPU as the digests.
 * `openPart` is called at the start of each part with its header block and the line breaks around it.
 */
function createPartSplitter(
  boundary: string,
  openPart: (head: Buffer) => Promise<PartSink>,
): PartSplitter {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The line break before the first boundary is not part of the body.
  let pending: Buffer = LINE_END;
  let state: 'before' | 'boundary' | 'head' | 'body' | 'after' = 'before';
  let part: PartSink | undefined;

  /** Returns the bytes that are left. In an unchanged state they wait for the next chunk. */
  async function step(data: Buffer): Promise<Buffer> {
    switch (state) {
      case 'before':
      case 'body': {
        const at = data.indexOf(delimiter);
        const end = at < 0 ? data.length - countPrefixBytes(data, delimiter) : at;
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
        if (next.equals(CLOSE_MARK)) state = 'after';
        else if (next.equals(LINE_END)) state = 'head';
        // Skipping would cut off a file that contains the boundary.
        else throw badRequest('A boundary of the form is not followed by a line break');
        return data;
      }
      case 'head': {
        const at = data.subarray(0, MAX_HEAD_BYTES).indexOf(BLANK_LINE);
        if (at < 0 && data.length >= MAX_HEAD_BYTES) throw badRequest('A part has too long a head');
        if (at < 0) return data;
        const end = at + BLANK_LINE.length;
        part = await openPart(data.subarray(0, end));
        state = 'body';
        return data.subarray(end);
      }
      case 'after':
        return NO_BYTES;
    }
  }

  return {
    isClosed: () => state === 'after',
    async push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let data = pending.length > 0 ? Buffer.concat([pending, bytes]) : bytes;
      for (;;) {
        const before = state;
        const remaining = await step(data);
        const isStuck = state === before;
        data = remaining;
        if (isStuck) break;
      }
      // Fewer than a head has.
      pending = Buffer.from(data);
    },
  };
}

/** Returns how many bytes at the end of `data` are a prefix of `needle`, which begins with CR. */
function countPrefixBytes(data: Buffer, needle: Buffer): number {
  let index = data.indexOf(CR, Math.max(0, data.length - needle.length + 1));
  while (index >= 0) {
    if (needle.compare(data, index, data.length, 0, data.length - index) === 0)
      return data.length - index;
    index = data.indexOf(CR, index + 1);
  }
  return 0;
}
