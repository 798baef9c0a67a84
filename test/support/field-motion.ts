import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { run } from '../fixtures/index.ts';
import { makeClip } from '../fixtures/clips.ts';

// Motion photos as phones write them, made of a small picture and a clip.

let made = 0;

/** A small JPEG; each is another one. */
export const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 40 + (++made % 200), channels: 3, background: '#369' } })
    .jpeg({ quality: 50 + (made % 40) })
    .toBuffer();

/** A small video; each number is another one. */
export const motionClip = (folder: string, number: number, extension = 'mp4'): Buffer =>
  readFileSync(
    makeClip(`${folder}/clip-${number}.${extension}`, [
      '-f',
      'lavfi',
      '-i',
      `testsrc=size=64x48:rate=10:duration=${1 + number / 10}`,
      '-pix_fmt',
      'yuv420p',
      '-c:v',
      'libx264',
    ]),
  );

export type Item = { semantic: string; length?: number; padding?: number; mime?: string };

const toItem = ({ semantic, length, padding, mime = 'image/jpeg' }: Item): string =>
  `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="${mime}" Item:Semantic="${semantic}"` +
  `${length === undefined ? '' : ` Item:Length="${length}"`}` +
  `${padding === undefined ? '' : ` Item:Padding="${padding}"`}/></rdf:li>`;

const GOOGLE = 'http://ns.google.com/photos/1.0';

/** XMP with attributes, as 'GCamera:MotionPhoto="1"', and a directory of what the file consists of. */
export const motionXmp = (attributes: string, items: readonly Item[] = []): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description rdf:about="" xmlns:GCamera="${GOOGLE}/camera/" xmlns:Container="${GOOGLE}/container/"` +
  ` xmlns:Item="${GOOGLE}/container/item/" xmlns:OpCamera="http://ns.oplus.com/photos/1.0/camera/" ${attributes}>` +
  (items.length === 0
    ? ''
    : `<Container:Directory><rdf:Seq>${items.map(toItem).join('')}</rdf:Seq></Container:Directory>`) +
  `</rdf:Description></rdf:RDF></x:xmpmeta>`;

export const PRIMARY: Item = { semantic: 'Primary' };
export const motionItem = (length: number, padding?: number): Item => ({
  semantic: 'MotionPhoto',
  mime: 'video/mp4',
  length,
  ...(padding !== undefined && { padding }),
});

/** A JPEG with XMP behind its first marker, and what phones put behind it. */
export async function jpegWith(xmp: string, ...behind: readonly Uint8Array[]): Promise<Buffer> {
  const jpeg = await picture();
  const body = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`);
  const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2), ...behind]);
}

const number = (value: number, size: 2 | 4 = 4): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
};

/** A trailer of Samsung with its blocks by their types, as 0x0a30 of a video, and a directory at the end. */
export function samsungTrailer(
  ...blocks: readonly [type: number, name: string, data: Uint8Array][]
) {
  const parts = blocks.map(([type, name, data]) =>
    Buffer.concat([number(0, 2), number(type, 2), number(name.length), Buffer.from(name), data]),
  );
  const entries = parts.map((part, at) => {
    const fromEnd = parts.slice(at).reduce((sum, { length }) => sum + length, 0);
    return Buffer.concat([
      number(0, 2),
      number(blocks[at]![0], 2),
      number(fromEnd),
      number(part.length),
    ]);
  });
  const directory = Buffer.concat([
    Buffer.from('SEFH'),
    number(107),
    number(entries.length),
    ...entries,
  ]);
  return Buffer.concat([...parts, directory, number(directory.length), Buffer.from('SEFT')]);
}

/** A box of the family of MP4. */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** The line with which phones of Huawei and Honor end a file. */
export const huaweiTail = (length: number): Buffer =>
  Buffer.from(`v2_f30`.padEnd(20, '\0') + `LIVE_${length}`.padEnd(20));

/** A small HEIC, with XMP if it is given. */
export async function heicWith(folder: string, xmp?: string): Promise<Buffer> {
  const path = `${folder}/${++made}`;
  await sharp(await picture())
    .png()
    .toFile(`${path}.png`);
  run('heif-enc', '-q', '30', '-o', `${path}.heic`, `${path}.png`);
  if (xmp !== undefined) {
    await Bun.write(`${path}.xmp`, xmp);
    run('exiftool', '-overwrite_original', '-q', `-XMP<=${path}.xmp`, `${path}.heic`);
  }
  return readFileSync(`${path}.heic`);
}
