import sharp, { type Sharp } from 'sharp';

const SIZE = { width: 1200, height: 900 };

/** A picture with as many corners as a photo: shapes of chance, other ones for each seed. */
export async function paintPhoto(seed: number): Promise<Buffer> {
  let state = seed * 7919 + 13;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const { width, height } = SIZE;
  const shapes = Array.from({ length: 220 }, () => {
    const [x, y, size] = [random() * width, random() * height, 15 + random() * 110];
    const color = `hsl(${random() * 360},${20 + random() * 50}%,${15 + random() * 70}%)`;
    const corners = Array.from({ length: 3 + Math.floor(random() * 3) }, () => [
      x + (random() - 0.5) * 2 * size,
      y + (random() - 0.5) * 2 * size,
    ]);
    return `<polygon points="${corners.join(' ')}" fill="${color}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="#789"/>${shapes.join('')}</svg>`;
  return sharp(Buffer.from(svg)).flatten().blur(1).jpeg({ quality: 92 }).toBuffer();
}

const finish = (picture: Sharp) => picture.jpeg({ quality: 60 }).toBuffer();

/** Shares of the width and height. */
export type CropBox = readonly [left: number, top: number, width: number, height: number];

/** Returns a part of a picture, in another size and quality. */
export async function crop(whole: Buffer, box: CropBox, side = 800): Promise<Buffer> {
  const { width, height } = await sharp(whole).metadata();
  const [left, top, wide, high] = box;
  const part = sharp(whole).extract({
    left: Math.floor(left * width),
    top: Math.floor(top * height),
    width: Math.floor(wide * width),
    height: Math.floor(high * height),
  });
  return finish(part.resize(side, side, { fit: 'inside' }));
}

/** Returns a picture with a drawing of SVG over it, in parts of 100 by 100. */
export async function drawOver(whole: Buffer, drawing: string): Promise<Buffer> {
  const { width, height } = await sharp(whole).metadata();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
    viewBox="0 0 100 100" preserveAspectRatio="none">${drawing}</svg>`;
  return finish(sharp(whole).composite([{ input: Buffer.from(svg) }]));
}

export const BANNER = `<rect y="87" width="100" height="13" fill="#113"/>
  <text x="4" y="96" font-size="7" fill="#fff">www.example.org</text>`;
export const WORDS = `<text x="6" y="60" font-size="13" font-weight="bold" fill="#fff"
  fill-opacity="0.8">SAMPLE 2024</text>`;
export const LOGO = '<circle cx="78" cy="25" r="19" fill="#e22"/>';

/** Returns a picture with a border of a share of its width. */
export async function addBorder(whole: Buffer, share = 0.06, background = '#fff'): Promise<Buffer> {
  const { width } = await sharp(whole).metadata();
  const [top, left] = [Math.round(width * share), Math.round(width * share)];
  return finish(sharp(whole).extend({ top, bottom: top, left, right: left, background }));
}
