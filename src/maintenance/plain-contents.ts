import { Failure } from '../core/command-line.ts';
import { parsePlainDump } from '../db/data-script.ts';
import { type DumpFormat, readScript } from '../db/plain-dump.ts';
import { isEntry, MAX_LIST_BYTES, MAX_RECORD_BYTES, RECORD, requireRecord } from './dump-kind.ts';

type PlainFormat = Exclude<DumpFormat, 'archive'>;

/**
 * Reads a dump in plain SQL to its end, before anything is changed: its entries, and the rows of the migrations as
 * pg_restore writes them. Throws Failure for one that is not ours, damaged or not complete.
 */
export async function readPlain(dump: number, format: PlainFormat, file: string) {
  const entries: string[] = [];
  let [bytes, record, isComplete] = [0, '', false];
  for await (const part of parsePlainDump(readScript(dump, format))) {
    if (part.kind === 'entry') {
      bytes += part.entry.length;
      if (bytes > MAX_LIST_BYTES)
        throw new Failure('The dump holds more than a backup of Safelight');
      entries.push(part.entry);
    } else if (part.kind === 'end') isComplete = true;
    else if (part.kind === 'rows' && part.table === RECORD) {
      const rows = await readRows(part.rows);
      record += `COPY public.${RECORD} (${part.columns.join(', ')}) FROM stdin;\n${rows}\\.\n`;
    } else if ('rows' in part) for await (const _ of part.rows);
  }
  const isOurs = entries.some((entry) => isEntry(entry, `TABLE public ${RECORD}`));
  if (!isOurs || isComplete) {
    requireRecord(entries, file, await describeBeginning(dump, format));
  }
  if (!isComplete) throw new Failure('The dump ends in the middle');
  return { entries, record };
}

async function readRows(rows: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    bytes += chunk.length;
    if (bytes > MAX_RECORD_BYTES)
      throw new Failure('The dump holds more than a backup of Safelight');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Text that is no dump at all is best known by its beginning. */
async function describeBeginning(dump: number, format: PlainFormat): Promise<string> {
  for await (const chunk of readScript(dump, format)) {
    const [text] = /^[\x20-\x7e]{1,40}/.exec(Buffer.from(chunk).toString('latin1')) ?? [];
    return text && !text.startsWith('--') ? `: it begins with '${text}'` : '';
  }
  return ': it is empty';
}

const MAX_HEAD_BYTES = 16 * 1024 ** 2;

/**
 * Throws Failure for a dump in plain SQL that is not ours, by the tables that it makes before its first row: the
 * restore reads the rest.
 */
export async function requireOwnTables(dump: number, format: PlainFormat, file: string) {
  const entries: string[] = [];
  for await (const part of parsePlainDump(limitHead(readScript(dump, format)))) {
    if (part.kind === 'statement') continue;
    if (part.kind !== 'entry') break;
    entries.push(part.entry.replace(/^TABLE public/, 'TABLE DATA public'));
  }
  requireRecord(entries, file, await describeBeginning(dump, format));
}

async function* limitHead(script: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of script) {
    bytes += chunk.length;
    if (bytes > MAX_HEAD_BYTES) return;
    yield chunk;
  }
}
