import { Failure } from '../core/command-line.ts';

// The script of `pg_restore --data-only`: rows between statements. The statements are those of whoever made
// the archive, so none of them is ever sent to a database: they are read, and everything but the names of
// tables, columns and sequences is refused.

export type TableRows = {
  readonly kind: 'rows';
  readonly table: string;
  readonly columns: readonly string[];
  /** In the text format of COPY. To be read to the end before the next part. */
  readonly rows: AsyncIterable<Uint8Array>;
};
export type SequenceValue = {
  readonly kind: 'sequence';
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
};

const MAX_LINE_BYTES = 64 * 1024;
const COPY = /^COPY public\.("?)([a-z_][a-z0-9_]*)\1 \(([a-z0-9_", ]+)\) FROM stdin;$/;
const SETVAL =
  /^SELECT pg_catalog\.setval\('public\.("?)([a-z_][a-z0-9_]*)\1', (\d{1,19}), (true|false)\);$/;
/** Without effect on rows; pg_dump writes them at the beginning, and newer versions around all. */
const IGNORED =
  /^$|^--|^SET client_encoding = 'UTF8';$|^SET [a-z_]+ = [a-z0-9']+;$|^SELECT pg_catalog\.set_config\('search_path', '', false\);$|^\\(?:un)?restrict [A-Za-z0-9]+$/;

/** Yields the parts of a script. Throws Failure for a statement that is neither, and where it ends too early. */
export async function* parseDataScript(
  script: AsyncIterable<Uint8Array>,
): AsyncGenerator<TableRows | SequenceValue> {
  const reader = new ScriptReader(script);
  for (;;) {
    const line = await reader.readLine();
    if (line === undefined) return;
    const part = parsePart(line, reader);
    if (part) yield part;
    else if (!IGNORED.test(line)) {
      throw new Failure(`The dump holds a statement among its rows: ${line.slice(0, 80)}`);
    }
  }
}

/** A line of the table of contents of a plain dump, as `pg_restore --list` writes it: 'TABLE public asset ada'. */
export type DumpEntry = { readonly kind: 'entry'; readonly entry: string };
/** Rows of a table that is not in the schema of ours. */
export type ForeignRows = { readonly kind: 'foreign'; readonly rows: AsyncIterable<Uint8Array> };
/** The first line of a statement that pg_dump writes for the schema, or that somebody has added. */
export type Statement = { readonly kind: 'statement'; readonly text: string };
/** The last line of a dump that is complete. */
export type DumpEnd = { readonly kind: 'end' };

const ENTRY =
  /^-- (?:Data for )?Name: (.+); Type: ([A-Z ]+); Schema: (\S+); Owner: ?(.*?)(?:; Tablespace: .*)?$/;
const COPY_START = /^COPY .* FROM stdin;$/;
const ENCODING = /^SET client_encoding = '(.*)';$/;
/** Without those for rights and owners, and those of `pg_dump --clean`. */
const STATEMENT =
  /^(?!.* OWNER TO |.* DROP CONSTRAINT )(?:\\!|alter|call|copy|create|delete|do|insert|merge|select(?! pg_catalog\.)|truncate|update)(?!\w)/i;
const END_OF_DUMP = '-- PostgreSQL database dump complete';

/**
 * Yields the parts of a dump in plain SQL. Its statements are skipped: our own migrations make the schema.
 * Throws Failure where it ends too early, and for another encoding than UTF-8.
 */
export async function* parsePlainDump(
  script: AsyncIterable<Uint8Array>,
): AsyncGenerator<TableRows | SequenceValue | DumpEntry | ForeignRows | Statement | DumpEnd> {
  const reader = new ScriptReader(script);
  for (;;) {
    const line = await reader.readLine();
    if (line === undefined) return;
    const [, name, type, schema, owner] = ENTRY.exec(line) ?? [];
    const encoding = ENCODING.exec(line)?.[1];
    const part = parsePart(line, reader);
    if (part) yield part;
    else if (COPY_START.test(line)) yield { kind: 'foreign', rows: reader.readRows() };
    else if (name !== undefined)
      yield { kind: 'entry', entry: `${type} ${schema} ${name} ${owner}` };
    else if (line === END_OF_DUMP) yield { kind: 'end' };
    else if (STATEMENT.test(line)) yield { kind: 'statement', text: line };
    else if (encoding !== undefined && encoding !== 'UTF8') {
      throw new Failure(`The dump is in ${encoding.slice(0, 20)}, not in UTF8`);
    }
  }
}

function parsePart(line: string, reader: ScriptReader): TableRows | SequenceValue | undefined {
  const [, , table, list] = COPY.exec(line) ?? [];
  if (table !== undefined && list !== undefined) {
    const columns = list.split(', ').map((name) => name.replaceAll('"', ''));
    return { kind: 'rows', table, columns, rows: reader.readRows() };
  }
  const [, , name, value, isCalled] = SETVAL.exec(line) ?? [];
  if (name === undefined || value === undefined) return undefined;
  return { kind: 'sequence', name, value, isCalled: isCalled === 'true' };
}

const NEWLINE = 10;
const END = Buffer.from('\n\\.\n');

class ScriptReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(script: AsyncIterable<Uint8Array>) {
    this.#chunks = script[Symbol.asyncIterator]();
  }

  /** Returns the next line without its end; undefined after the last one. */
  async readLine(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE);
      if (end !== -1) {
        const line = this.#rest.toString('utf8', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (this.#rest.length > MAX_LINE_BYTES) {
        throw new Failure('The dump holds a statement among its rows that is too long');
      }
      const chunk = await this.#read();
      if (!chunk) {
        const last = this.#rest.toString();
        this.#rest = Buffer.alloc(0);
        return last === '' ? undefined : last;
      }
      this.#rest = Buffer.concat([this.#rest, chunk]);
    }
  }

  /** Yields everything before the line that is a backslash and a dot, which it skips. */
  async *readRows(): AsyncGenerator<Uint8Array> {
    // The line of the statement ended just before.
    let text = Buffer.concat([Buffer.from('\n'), this.#rest]);
    let from = 1;
    for (;;) {
      const end = text.indexOf(END);
      if (end !== -1) {
        this.#rest = text.subarray(end + END.length);
        if (end + 1 > from) yield text.subarray(from, end + 1);
        return;
      }
      // Its last bytes may be the beginning of the end.
      const safe = text.length - (END.length - 1);
      if (safe > from) yield text.subarray(from, safe);
      const chunk = await this.#read();
      if (!chunk) throw new Failure('The dump ends in the middle of its rows');
      text = Buffer.concat([text.subarray(Math.max(0, safe)), chunk]);
      from = Math.max(0, from - Math.max(0, safe));
    }
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.#chunks.next();
    return done ? undefined : value;
  }
}
