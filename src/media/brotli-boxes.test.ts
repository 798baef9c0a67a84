import { afterAll, expect } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { flat, openFixtures, tag } from '../../test/fixtures/index.ts';
import { box } from '../../test/support/boxes.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { getExifToolCommand } from './exiftool-program.ts';
import { createExifTool } from './exiftool.ts';

// Metadata that libjxl compresses with Brotli when it converts a JPEG to JPEG XL.

const { test } = skipWithout('brotli');
const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const START = [box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])), box('ftyp', 'jxl \0\0\0\0jxl ')];
const packed = (type: string, content: Uint8Array) =>
  box('brob', type, brotliCompressSync(content));

let made = 0;
function write(...boxes: readonly Uint8Array[]): string {
  const path = fixtures.path(`${made++}.jxl`);
  writeFileSync(path, Buffer.concat([...START, ...boxes]));
  return path;
}

/** EXIF as it stands in a JPEG, behind its offset. */
async function makeExif(...tags: readonly string[]): Promise<Uint8Array> {
  const path = fixtures.path(`${made++}.jpg`);
  await flat([90, 120, 60]).jpeg().toFile(path);
  const bytes = readFileSync(tag(path, ...tags));
  const at = bytes.indexOf('Exif\0\0');
  return Buffer.concat([
    Buffer.alloc(4),
    bytes.subarray(at + 6, at + 2 + bytes.readUInt16BE(at - 2)),
  ]);
}

const toXmp = (text: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="${text}" ` +
  `xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>`;

test('EXIF and XMP that are packed in a JPEG XL are read, also more than a pipe holds', async () => {
  const exif = await makeExif('-Make=Fuji', '-DateTimeOriginal=2021:05:06 07:08:09');
  // Random, so that it stays long.
  const long = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('hex');
  const path = write(packed('Exif', exif), packed('xml ', Buffer.from(toXmp(long))));
  const read = await exiftool.read(path);
  expect(read).toMatchObject({
    Make: 'Fuji',
    DateTimeOriginal: '2021:05:06 07:08:09',
    Rating: 4,
  });
});

test('a packed box that is damaged, or that would fill the memory, is left out alone', async () => {
  const exif = await makeExif('-Make=Fuji');
  const damaged = box('brob', 'xml ', Buffer.alloc(64, 7));
  const bomb = packed('xml ', Buffer.alloc(20 * 1024 ** 2));
  for (const bad of [damaged, bomb])
    expect(await exiftool.read(write(bad, packed('Exif', exif)))).toMatchObject({ Make: 'Fuji' });
});

test('without the program, the machine is at fault, and pictures without such boxes are read', async () => {
  const [perl, ...words] = [Bun.which('perl')!, ...getExifToolCommand().slice(1)];
  const program = fixtures.path('exiftool-without-brotli');
  writeFileSync(program, `#!/bin/sh\nPATH=/nowhere exec ${perl} ${words.join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  const lacking = createExifTool({ files: FULL_FILE_ACCESS, command: [program] });
  const exif = await makeExif('-Make=Fuji');
  await expect(lacking.read(write(packed('Exif', exif)))).rejects.toThrow(
    'brotli is not installed on this machine, or cannot be started: apt-get install brotli',
  );
  expect(await lacking.read(write(box('Exif', exif)))).toMatchObject({ Make: 'Fuji' });
  await lacking.close();
});
