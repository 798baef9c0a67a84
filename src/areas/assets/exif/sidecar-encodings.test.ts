import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { filePart, photoForm, upload } from '../../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { metadataTools } from '../../../../test/support/metadata.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';

const { database, app } = await useApp();
const folder = await mkdtemp(join(tmpdir(), 'safelight-sidecars-'));
let me: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
  stranger = await seed(database).user();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const { makePhoto, read } = metadataTools(() => ({ database, folder }));

const XMP = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 exif:DateTimeOriginal="1999-12-31T23:59:58+02:00" xmp:Rating="4"
 exif:GPSLatitude="48,51.3960N" exif:GPSLongitude="2,21.1320E">
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">Größe, Москва, 東京</rdf:li></rdf:Alt></dc:description>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** Its mark of UTF-8 has become three letters, as when a console of Windows converts the file. */
const CONVERTED_XMP = XMP.replace('begin="\uFEFF"', 'begin="∩╗┐"');

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

test.each([
  ['UTF-8', Buffer.from(XMP)],
  ['UTF-8 with BOM', Buffer.from(`\uFEFF${XMP}`)],
  ['UTF-16 LE with BOM', utf16(XMP)],
  ['UTF-16 BE with BOM', utf16(XMP).swap16()],
  ['UTF-16 LE without BOM', utf16(XMP).subarray(2)],
  ['UTF-16 BE without BOM', utf16(XMP).swap16().subarray(2)],
  ['UTF-16 LE with BOM, converted from UTF-8', utf16(CONVERTED_XMP)],
  ['UTF-16 BE with BOM, converted from UTF-8', utf16(CONVERTED_XMP).swap16()],
] as const)('a sidecar in %s is read', async (_, bytes) => {
  const photo = await makePhoto('a.jpg', ['-DateTimeOriginal=2020:06:01 12:00:00', '-Rating=1']);
  const form = photoForm(await Bun.file(photo).bytes(), [
    { ...filePart(bytes, 'a.jpg.xmp'), name: 'sidecarData' },
  ]);
  const { status, body } = await upload(app, form, { as: me });
  expect(status).toBe(201);
  await read(body.id);
  const { body: asset } = await call(app, `GET /assets/${body.id}`, { as: me });
  expect(asset).toMatchObject({
    fileCreatedAt: '1999-12-31T21:59:58.000Z',
    localDateTime: '1999-12-31T23:59:58.000Z',
    exifInfo: { description: 'Größe, Москва, 東京', rating: 4, city: 'Paris' },
  });
  const asked = await call(app, `GET /assets/${body.id}`, { as: stranger });
  expect(asked.status).toBe(400);
});

skipWithout('media').test.each(['2000', '2010', '2020'])(
  'the UTF-16 sidecar of %s of a real program is read',
  async (year) => {
    const photo = await makePhoto('c.jpg', ['-CreateDate=2015:06:01 12:00:00']);
    const bytes = await Bun.file(join(MEDIA!, `metadata/xmp/dates/${year}.xmp`)).bytes();
    const form = photoForm(await Bun.file(photo).bytes(), [
      { ...filePart(bytes, 'c.xmp'), name: 'sidecarData' },
    ]);
    const { body } = await upload(app, form, { as: me });
    await read(body.id);
    const { body: asset } = await call(app, `GET /assets/${body.id}`, { as: me });
    expect([asset.fileCreatedAt, asset.localDateTime]).toEqual([
      `${year}-09-27T12:35:33.000Z`,
      `${year}-09-27T14:35:33.000Z`,
    ]);
  },
);

test('a sidecar that only begins like UTF-16 changes nothing', async () => {
  const photo = await makePhoto('b.jpg', ['-DateTimeOriginal=2020:06:01 12:00:00', '-Rating=1']);
  const form = photoForm(await Bun.file(photo).bytes(), [
    { ...filePart(utf16(XMP).subarray(0, 301), 'b.jpg.xmp'), name: 'sidecarData' },
  ]);
  const { body } = await upload(app, form, { as: me });
  await read(body.id);
  const { body: asset } = await call(app, `GET /assets/${body.id}`, { as: me });
  expect(asset).toMatchObject({
    localDateTime: '2020-06-01T12:00:00.000Z',
    exifInfo: { rating: 1, description: '' },
  });
});
