import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { stripJpegMetadata } from './jpeg-stripping.ts';

const PLACE = 'Stephansplatz';

const noise = (width = 96) => {
  const pixels = Buffer.from(Array.from({ length: width * 64 * 3 }, (_, at) => (at * 7919) % 251));
  return sharp(pixels, { raw: { width, height: 64, channels: 3 } })
    .withExif({ IFD0: { ImageDescription: PLACE }, IFD3: { GPSLatitudeRef: 'N' } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${PLACE}</x:xmpmeta>`);
};

const toPixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

for (const [kind, options] of [
  ['baseline', {}],
  ['progressive', { progressive: true }],
  ['grey', { quality: 40, chromaSubsampling: '4:4:4' }],
] as const) {
  test(`of a ${kind} picture the pixels, profile and orientation stay, and no words`, async () => {
    const picture = noise().withIccProfile('p3');
    const source = await (kind === 'grey' ? picture.grayscale() : picture).jpeg(options).toBuffer();
    expect(source.includes(PLACE)).toBe(true);
    const bytes = Buffer.concat(stripJpegMetadata(Buffer.concat([source, source]), 8) ?? []);
    expect(bytes.includes(PLACE)).toBe(false);
    expect(bytes.length).toBeLessThan(source.length);
    expect(await toPixels(bytes)).toEqual(await toPixels(source));
    const [before, after] = [await sharp(source).metadata(), await sharp(bytes).metadata()];
    expect(after.icc).toEqual(before.icc);
    expect([after.orientation, after.xmp, after.iptc]).toEqual([8, undefined, undefined]);
  });
}

test('what is no whole JPEG gives nothing, however it is cut or changed', async () => {
  const source = await noise().jpeg({ progressive: true }).toBuffer();
  for (let length = 0; length < source.length; length += 13) {
    expect(stripJpegMetadata(source.subarray(0, length))).toBeUndefined();
  }
  expect(stripJpegMetadata(await noise().png().toBuffer())).toBeUndefined();
  const broken = Buffer.from(source);
  broken.writeUInt16BE(1, 4);
  expect(stripJpegMetadata(broken)).toBeUndefined();
});
