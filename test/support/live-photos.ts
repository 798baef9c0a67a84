import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';

/** Creates an Apple maker note with the ContentIdentifier only, which no tool can add to a photo. */
function createMakerNote(identifier: string): Buffer {
  const text = Buffer.from(`${identifier}\0`, 'latin1');
  const ifd = Buffer.alloc(2 + 12 + 4);
  ifd.writeUInt16BE(1, 0);
  writeEntry(ifd, 2, { tag: 0x11, type: 2, count: text.length, value: 14 + ifd.length });
  return Buffer.concat([Buffer.from('Apple iOS\0\0\x01MM', 'latin1'), ifd, text]);
}

type Entry = { tag: number; type: number; count: number; value: number };

function writeEntry(ifd: Buffer, at: number, { tag, type, count, value }: Entry): void {
  ifd.writeUInt16BE(tag, at);
  ifd.writeUInt16BE(type, at + 2);
  ifd.writeUInt32BE(count, at + 4);
  ifd.writeUInt32BE(value, at + 8);
}

let made = 0;

/**
 * Creates a small photo, with a ContentIdentifier like an iPhone's if given, and else with an orientation: of a file
 * without any tag, a process of exiftool proves that there are none.
 */
export async function createStill(identifier?: string): Promise<Buffer> {
  const size = { width: 40, height: 20 + ++made };
  const picture = sharp({ create: { ...size, channels: 3, background: '#369' } }).jpeg();
  if (!identifier) return picture.withExif({ IFD0: { Orientation: '1' } }).toBuffer();
  const jpeg = await picture.toBuffer();
  const note = createMakerNote(identifier);
  const [first, exif] = [Buffer.alloc(18), Buffer.alloc(18)];
  for (const ifd of [first, exif]) ifd.writeUInt16BE(1, 0);
  writeEntry(first, 2, { tag: 0x8769, type: 4, count: 1, value: 26 });
  writeEntry(exif, 2, { tag: 0x927c, type: 7, count: note.length, value: 44 });
  const start = Buffer.from('Exif\0\0MM\0\x2a\0\0\0\x08', 'latin1');
  const segment = Buffer.concat([start, first, exif, note]);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(segment.length + 2, 4);
  return Buffer.concat([head, segment, jpeg.subarray(2)]);
}

/** Creates a small video, with a ContentIdentifier like an iPhone's if given. */
export async function createVideo(folder: string, identifier?: string): Promise<Buffer> {
  made++;
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=1'];
  const placeholder = identifier?.replaceAll(/./g, '#');
  const key = `com.apple.quicktime.content.identifier=${placeholder}`;
  const tags = placeholder ? ['-movflags', 'use_metadata_tags', '-metadata', key] : [];
  const path = join(folder, `${made}.mov`);
  const video = readFileSync(makeClip(path, [...source, ...tags, '-pix_fmt', 'yuv420p']));
  if (placeholder) video.write(identifier!, video.indexOf(placeholder));
  // A box that players skip makes every video another one.
  const box = Buffer.from('\0\0\0\x0cfree....', 'latin1');
  box.writeUInt32BE(made, 8);
  return Buffer.concat([video, box]);
}
