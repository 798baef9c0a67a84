import { expect, test } from 'bun:test';
import { listEntries, requireOwnEntries } from './dump-contents.ts';

const SCHEMA = [
  'EXTENSION - pg_trgm ',
  'COMMENT - EXTENSION pg_trgm ',
  'FUNCTION public read_album(uuid) our name',
  'TABLE public tag our name',
  'SEQUENCE public tag_id_seq our name',
  'CONSTRAINT public tag tag_pkey our name',
  'TRIGGER public tag tag_emptied our name',
];
const DUMP = [
  ...SCHEMA.map((line) => line.replace('our name', 'grace')),
  'TABLE DATA public tag grace',
  'SEQUENCE SET public tag_id_seq grace',
];
const check =
  (entries: readonly string[], ignoresForeign = false) =>
  () =>
    requireOwnEntries({ format: 'archive', migrations: [], entries }, SCHEMA, {
      owner: 'our name',
      ignoresForeign,
    });

test('a dump of the same schema by another account, with rights and comments, is accepted', () => {
  expect(check(DUMP)).not.toThrow();
  const more = [
    'ACL public TABLE tag grace',
    'DEFAULT ACL public DEFAULT PRIVILEGES FOR TABLES grace',
    'COMMENT public TABLE tag grace',
    'SCHEMA - public grace',
    'DATABASE - safelight grace',
  ];
  expect(check([...DUMP, ...more])).not.toThrow();
});

const FOREIGN = [
  'AGGREGATE public evil(text) grace',
  'BLOB - 16400 grace',
  'BLOBS - BLOBS ',
  'CAST - CAST (uuid AS public.evil) ',
  'CONSTRAINT public tag evil grace',
  'DEFAULT public tag evil grace',
  'DOMAIN public evil grace',
  'EVENT TRIGGER - evil grace',
  'EXTENSION - dblink ',
  'FK CONSTRAINT public tag evil grace',
  'FOREIGN DATA WRAPPER - evil grace',
  'FOREIGN TABLE public evil grace',
  'FUNCTION public evil() grace',
  'FUNCTION public read_album(uuid, text) grace',
  'FUNCTION evil read_album(uuid) grace',
  'INDEX public evil grace',
  'MATERIALIZED VIEW public evil grace',
  'MATERIALIZED VIEW DATA public evil grace',
  'OPERATOR public @@@ grace',
  'OPERATOR CLASS public evil grace',
  'POLICY public tag evil grace',
  'PROCEDURAL LANGUAGE - evil grace',
  'PROCEDURE public evil() grace',
  'PUBLICATION - evil grace',
  'ROW SECURITY public tag grace',
  'RULE public tag evil grace',
  'SCHEMA - evil grace',
  'SEQUENCE SET public evil grace',
  'SERVER - evil grace',
  'SHELL TYPE public evil grace',
  'SUBSCRIPTION - evil grace',
  'TABLE public evil grace',
  'TABLE public tags grace',
  'TABLE DATA public evil grace',
  'TABLE DATA evil tag grace',
  'TRANSFORM - evil grace',
  'TRIGGER public tag evil grace',
  'TYPE public evil grace',
  'USER MAPPING - USER MAPPING evil SERVER evil grace',
  'VIEW public evil grace',
];

test.each(FOREIGN)('a dump with %p is refused', (line) => {
  expect(check([...DUMP, line])).toThrow(`that Safelight does not make: ${line}`);
  expect(check([...DUMP, line], true)).not.toThrow();
});

test('a dump without the rows of a table is refused', () => {
  const without = DUMP.filter((line) => !line.startsWith('TABLE DATA'));
  expect(check(without)).toThrow('it has no TABLE DATA public tag');
  expect(check(without, true)).toThrow('it has no TABLE DATA public tag');
});

test('a list is read without its comments and identifiers', () => {
  const list = `;\n; Archive created at 2026-01-02\n;\n3; 3079 16385 EXTENSION - pg_trgm \n215; 1259 16388 TABLE public tag ada\n`;
  expect(listEntries(list)).toEqual(['EXTENSION - pg_trgm ', 'TABLE public tag ada']);
});
