import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { effort } from '../../../../test/support/effort.ts';
import { paintClip, readNumber } from '../../../../test/support/painted-clips.ts';
import {
  at,
  CANVAS,
  clip,
  createFrameTests,
  expectColor,
  film,
  frames,
  paint,
} from '../../../../test/support/rendered-frames.ts';
import { add } from '../../../core/rational.ts';

/** Assets by what they show. */
let red: string;
let blue: string;
let quadrants: string;
let video: string;
const { renderAt, readColor, expectSameInStream } = createFrameTests(
  async ({ folder, addPicture, addVideo }) => {
    red = await addPicture('red.jpg', paint(320, 192, '#ff0000'));
    blue = await addPicture('blue.jpg', paint(320, 192, '#0000ff'));
    const corners = [
      { input: await paint(320, 192, '#ffff00').png().toBuffer(), left: 320, top: 0 },
      { input: await paint(320, 192, '#0000ff').png().toBuffer(), left: 0, top: 192 },
      { input: await paint(320, 192, '#00ff00').png().toBuffer(), left: 320, top: 192 },
    ];
    quadrants = await addPicture('quadrants.jpg', paint(640, 384, '#ff0000').composite(corners));
    const coding = '-c:v libx264 -crf 12 -preset ultrafast -g 15';
    paintClip(join(folder, 'numbers.mp4'), { frames: 60, coding });
    video = await addVideo('numbers.mp4');
  },
);

const GREEN = [0, 255, 0];
const RED = [254, 0, 0];
const BLUE = [0, 0, 254];

describe('a clip that fades', () => {
  test('comes from the background and goes back to it evenly', async () => {
    const document = film(clip(red, [0, 60], { fadeIn: at(20), fadeOut: at(10) }));
    expectColor(await readColor(document, 0), GREEN);
    expectColor(await readColor(document, 5), [64, 191, 0]);
    expectColor(await readColor(document, 10), [127, 127, 0]);
    expectColor(await readColor(document, 20), RED);
    expectColor(await readColor(document, 50), RED);
    expectColor(await readColor(document, 55), [127, 127, 0]);
    expectColor(await readColor(document, 59), [25, 230, 0]);
  });

  test('reaches its own opacity', async () => {
    const document = film(clip(red, [0, 60], { fadeIn: at(20), opacity: 0.5 }));
    expectColor(await readColor(document, 10), [64, 191, 0]);
    expectColor(await readColor(document, 30), [127, 127, 0]);
  });

  test('is mixed with the clip of its track that it follows', async () => {
    const document = film(clip(blue, [30, 90], { fadeIn: at(20) }), clip(red, [0, 50]));
    expectColor(await readColor(document, 29), RED);
    expectColor(await readColor(document, 35), [191, 0, 64]);
    expectColor(await readColor(document, 40), [127, 0, 127]);
    expectColor(await readColor(document, 49), [13, 0, 241]);
    expectColor(await readColor(document, 50), BLUE);
  });

  test('dips to the background where one goes before the other comes', async () => {
    const document = film(
      clip(red, [0, 30], { fadeOut: at(10) }),
      clip(blue, [30, 60], { fadeIn: at(10) }),
    );
    expectColor(await readColor(document, 25), [127, 127, 0]);
    expectColor(await readColor(document, 30), GREEN);
    expectColor(await readColor(document, 35), [0, 127, 127]);
  });
});

const quarter = (x: number, y: number) => ({ x, y, width: 0.5, height: 0.5 });

describe('a crop that moves', () => {
  test('goes evenly from its start to its end', async () => {
    const document = film(
      clip(quadrants, [0, 60], { crop: quarter(0, 0), cropTo: quarter(0.5, 0) }),
    );
    for (const [frame, share] of [
      [0, 1],
      [15, 0.75],
      [30, 0.5],
      [45, 0.25],
    ] as const) {
      // Red until the middle of the picture, yellow behind it.
      expectColor(await readColor(document, frame, [share - 0.02, 0.9]), RED);
      if (share < 1)
        expectColor(await readColor(document, frame, [share + 0.02, 0.9]), [255, 255, 0]);
    }
  });

  test('becomes larger or smaller between pixels', async () => {
    const document = film(clip(quadrants, [0, 60], { cropTo: quarter(0.5, 0.5) }));
    expectColor(await readColor(document, 0, [0.48, 0.48]), RED);
    expectColor(await readColor(document, 0, [0.52, 0.52]), GREEN);
    // A third of the crop lies before the middle of the picture.
    expectColor(await readColor(document, 30, [0.31, 0.31]), RED);
    expectColor(await readColor(document, 30, [0.36, 0.31]), [255, 255, 0]);
    expectColor(await readColor(document, 30, [0.31, 0.36]), BLUE);
    expectColor(await readColor(document, 59, [0.03, 0.03]), GREEN);
  });

  test('goes on by parts of a pixel', async () => {
    const crops = { crop: quarter(0, 0), cropTo: quarter(0.05, 0) };
    const document = film(clip(quadrants, [0, 60], crops));
    const widths: number[] = [];
    for (let frame = 30; frame < 30 + effort({ quick: 4, full: 6 }); frame++) {
      const picture = sharp(await renderAt(document, frames(frame)));
      const { channels } = await picture
        .extract({ left: 0, top: 0, width: 320, height: 1 })
        .stats();
      // Only what is yellow has green.
      widths.push((channels[1]!.mean / 255) * CANVAS.width);
    }
    const steps = widths.slice(1).map((width, index) => width - widths[index]!);
    // A tenth of the canvas in 60 frames.
    for (const step of steps) expect(step).toBeWithin(0.45, 0.62);
  });
});

describe('a frame of a stream is the one that is rendered alone', () => {
  test('in fades, crossfades and moves of pictures', async () => {
    const move = { crop: quarter(0.1, 0), cropTo: quarter(0.37, 0.41), fit: 'cover' };
    const document = film(
      clip(quadrants, [0, 47], { ...move, fadeIn: at(7), fadeOut: at(3), rotation: 10 }),
      clip(red, [31, 73], { fadeIn: at(16), fadeOut: at(13), opacity: 0.8 }),
      clip(blue, [52, 66], { track: 1, scale: 0.3, cropTo: quarter(0, 0) }),
    );
    await expectSameInStream(document, 0, [0, 1, 3, 6, 7, 29, 31, 38, 46, 47, 55, 60, 66, 72]);
    await expectSameInStream(document, 35, [35, 36, 41, 59]);
  });

  test('in videos, and behind their end', async () => {
    const document = film(
      clip(video, [0, 40], { cropTo: quarter(0.2, 0.3), fadeOut: at(12) }),
      clip(video, [33, 90], { sourceIn: at(10), fadeIn: at(7), fadeOut: at(20) }),
    );
    await expectSameInStream(document, 0, [0, 13, 29, 35, 39, 60, 80, 89]);
    expect(await readNumber(await renderAt(document, add(frames(33), frames(9))))).toBe(19);
  });

  test('where a clip covers others, and where one begins behind the end of its video', async () => {
    const document = film(
      clip(video, [0, 120]),
      clip(red, [20, 40], { track: 1 }),
      clip(quadrants, [115, 120], { track: 2, scale: 0.3 }),
    );
    await expectSameInStream(document, 0, [0, 19, 20, 39, 40, 59, 60, 112, 115, 119]);
    await expectSameInStream(document, 118, [118, 119]);
    expectColor(await readColor(document, 30), [255, 0, 0]);
  });
});
