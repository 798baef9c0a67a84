import { expect, test } from 'bun:test';
import { parseDataScript } from './data-script.ts';

const HEAD = `--
-- PostgreSQL database dump
--

\\restrict kQ0bUqj

-- Dumped from database version 15.8

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;

`;

/** The script in pieces of this many bytes, as parts in one line each. */
async function parse(script: string, size = 7): Promise<string[]> {
  const bytes = Buffer.from(script);
  async function* cut() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found: string[] = [];
  for await (const part of parseDataScript(cut())) {
    if (part.kind === 'sequence') {
      found.push(`${part.name} = ${part.value} ${part.isCalled}`);
      continue;
    }
    const chunks = await Array.fromAsync(part.rows);
    found.push(`${part.table}(${part.columns.join()}): ${Buffer.concat(chunks).toString()}`);
  }
  return found;
}

test('rows and sequence values are found in pieces of any size', async () => {
  const script =
    `${HEAD}COPY public.tag (id, "order") FROM stdin;\n1\tä\\n\\\\.\n\\\\.\t\\N\n\\.\n\n\n` +
    `COPY public."user" (id) FROM stdin;\n\\.\n\n` +
    `SELECT pg_catalog.setval('public.tag_id_seq', 12, true);\n\n\\unrestrict kQ0bUqj\n`;
  for (const size of [1, 2, 3, 5, 64, 4096]) {
    expect(await parse(script, size)).toEqual([
      'tag(id,order): 1\tä\\n\\\\.\n\\\\.\t\\N\n',
      'user(id): ',
      'tag_id_seq = 12 true',
    ]);
  }
});

const STATEMENTS = [
  `COPY public.tag (id) FROM PROGRAM 'id';`,
  `COPY public.tag (id) TO PROGRAM 'id';`,
  `COPY public.tag (id) FROM stdin; DROP TABLE asset;`,
  `COPY public.tag (id) FROM stdin WHERE evil();`,
  `COPY pg_catalog.pg_authid (rolname) FROM stdin;`,
  `COPY public.tag FROM stdin;`,
  `INSERT INTO public.tag VALUES (1);`,
  `SELECT evil();`,
  `SELECT pg_catalog.setval('public.tag_id_seq', evil(), true);`,
  `SELECT pg_catalog.setval('public.x''||evil()', 1, true);`,
  `SELECT pg_catalog.lo_create('1');`,
  `SELECT pg_catalog.set_config('search_path', 'evil', false);`,
  `ALTER ROLE safelight SUPERUSER;`,
  `REFRESH MATERIALIZED VIEW public.evil;`,
  `SET client_encoding = 'SJIS';`,
  `SET role = safelight; DROP TABLE asset;`,
  `\\! id`,
  `\\copy tag from program 'id'`,
  `\\restrict x y`,
];

test.each(STATEMENTS)('the statement %p is refused', async (statement) => {
  const rows = 'COPY public.tag (id) FROM stdin;\n1\n\\.\n';
  await expect(parse(`${HEAD}${statement}\n`, 4096)).rejects.toThrow('among its rows');
  await expect(parse(`${HEAD}${rows}${statement}\n${rows}`, 4096)).rejects.toThrow(
    'among its rows',
  );
});

test('a line without an end is not read into memory', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(64 * 1024, 'x');
  }
  await expect(parseDataScript(endless()).next()).rejects.toThrow('too long');
});

test('rows without an end are refused', async () => {
  const rows = `${HEAD}COPY public.tag (id) FROM stdin;\n1\n`;
  for (const end of ['', '\\.', '\\.\r\n', ' \\.\n', '\\.x\n']) {
    await expect(parse(rows + end)).rejects.toThrow('ends in the middle');
  }
});
