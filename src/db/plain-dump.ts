import { fstatSync, readSync } from 'node:fs';
import { Failure } from '../core/command-line.ts';
import { convert } from './archive.ts';

// Dumps in plain SQL, as `pg_dump` writes them without --format and as Immich names them: *.sql.gz. The bytes are
// those of anybody: a confined child unpacks them, and what it yields is limited.

/** How a file holds a dump: as an archive of pg_dump, or in plain SQL, which may be compressed. */
export type DumpFormat = 'archive' | 'gzip' | 'text';

const ARCHIVE_MAGIC = Buffer.from('PGDMP');
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** Bytes that tell the format. */
const FORMAT_BYTES = ARCHIVE_MAGIC.length;

/** By its content: names say nothing. */
export function detectFormat(dump: number): DumpFormat {
  const head = Buffer.alloc(FORMAT_BYTES);
  readSync(dump, head, 0, FORMAT_BYTES, 0);
  if (head.equals(ARCHIVE_MAGIC)) return 'archive';
  return head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC) ? 'gzip' : 'text';
}

/** Rows of a library compress to a tenth or so; gzip can hide a thousand times its bytes. */
const MAX_EXPANSION = 100;
const SMALL_BYTES = 256 * 1024 ** 2;

/** Yields the text of a dump in plain SQL. Throws Failure for damaged bytes, and for far too many of them. */
export async function* readScript(
  dump: number,
  format: Exclude<DumpFormat, 'archive'>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const limit = Math.max(SMALL_BYTES, MAX_EXPANSION * fstatSync(dump).size);
  const tool: [string, ...string[]] = format === 'gzip' ? ['/bin/gzip', '-dc'] : ['/bin/cat'];
  let bytes = 0;
  for await (const chunk of convert(tool, dump, { signal })) {
    bytes += chunk.length;
    if (bytes > limit) throw new Failure('The dump holds more than a backup of Safelight');
    yield chunk;
  }
}
