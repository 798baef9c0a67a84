import { afterAll, beforeAll } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { tag } from '../fixtures/index.ts';
import { useApp } from './database.ts';
import { filePart, photoForm, upload } from './forms.ts';
import { call, seed, type TestUser } from './harness.ts';
import { metadataTools } from './metadata.ts';
import type { Json } from './json.ts';

const NAMESPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  digiKam: 'http://www.digikam.org/ns/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  lr: 'http://ns.adobe.com/lightroom/1.0/',
  MicrosoftPhoto: 'http://ns.microsoft.com/photo/1.0/',
  MP: 'http://ns.microsoft.com/photo/1.2/',
  MPReg: 'http://ns.microsoft.com/photo/1.2/t/Region#',
  MPRI: 'http://ns.microsoft.com/photo/1.2/t/RegionInfo#',
  'mwg-rs': 'http://www.metadataworkinggroup.com/schemas/regions/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  stArea: 'http://ns.adobe.com/xmp/sType/Area#',
  stDim: 'http://ns.adobe.com/xap/1.0/sType/Dimensions#',
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
};

/** An XMP packet with these properties. */
const toXmp = (properties: string): string =>
  `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ` +
  `${Object.entries(NAMESPACES)
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(' ')}>${properties}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** A list of XMP, as 'dc:subject'. */
export const list = (name: string, ...items: readonly string[]): string =>
  `<${name}><rdf:Bag>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:Bag></${name}>`;

/** A text of XMP in languages, as { de: 'Strand' }. */
export const translate = (name: string, texts: Readonly<Record<string, string>>): string => {
  const items = Object.entries(texts).map(
    ([tongue, text]) => `<rdf:li xml:lang="${tongue}">${text}</rdf:li>`,
  );
  return `<${name}><rdf:Alt>${items.join('')}</rdf:Alt></${name}>`;
};

export type FieldPhoto = {
  /** Arguments of exiftool; numbers are as they are stored. */
  readonly tags?: readonly string[];
  /** Properties of the XMP in the file. */
  readonly xmp?: string;
  /** Properties of the XMP beside the file. */
  readonly sidecar?: string;
  readonly name?: string;
  /** Whether the bytes are uploaded as they are, and the end of the file counts. */
  readonly isExact?: boolean;
};

const APP1 = 'http://ns.adobe.com/xap/1.0/\0';

/** Puts XMP behind the first marker of a JPEG. */
function embed(jpeg: Uint8Array, xmp: string): Uint8Array {
  const body = Buffer.concat([Buffer.from(APP1), Buffer.from(xmp)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** An account in Berlin that uploads small photos as people have them. */
export async function useFieldPhotos() {
  const { database, app } = await useApp();
  const folder = await mkdtemp(join(tmpdir(), 'safelight-field-'));
  const { read, getExifRow } = metadataTools(() => ({ database, folder }));
  const base = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#369' } })
    .jpeg()
    .toBuffer();
  const state: { me: TestUser; made: number } = { me: undefined as never, made: 0 };
  beforeAll(async () => {
    state.me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  async function make({ tags = [], xmp }: FieldPhoto): Promise<Uint8Array> {
    const bytes = xmp === undefined ? base : embed(base, toXmp(xmp));
    if (tags.length === 0) return bytes;
    const path = join(folder, `${++state.made}.jpg`);
    await Bun.write(path, bytes);
    return Bun.file(tag(path, ...tags)).bytes();
  }

  /** Uploads a file, which is made another one each time, and reads its metadata. Returns its id. */
  async function add(bytes: Uint8Array, photo: FieldPhoto): Promise<string> {
    const { name = 'a.jpg', sidecar, isExact = false } = photo;
    const beside =
      sidecar === undefined
        ? []
        : [{ ...filePart(Buffer.from(toXmp(sidecar)), `${name}.xmp`), name: 'sidecarData' }];
    const file = isExact ? bytes : Buffer.concat([bytes, Buffer.from(String(++state.made))]);
    const { status, body } = await upload(app, photoForm(file, beside, name), { as: state.me });
    if (status !== 201) throw new Error(`The upload of ${name} was answered ${status}`);
    await read(body.id);
    return body.id;
  }

  const get = async (path: `/${string}`): Promise<Json> =>
    (await call(app, `GET ${path}`, { as: state.me })).body;

  return {
    database,
    app,
    folder,
    state,
    add,
    get,
    getExifRow,
    read,
    /** Uploads a photo and returns it as people get it. */
    show: async (photo: FieldPhoto): Promise<Json> =>
      get(`/assets/${await add(await make(photo), photo)}`),
  };
}
