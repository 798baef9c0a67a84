import sharp from 'sharp';

const SIZE = { width: 1200, height: 900 };

/** Bands of colour from top to bottom: each its share of the height, with the colours at its upper and lower edge. */
const BANDS: Readonly<Record<DrawnScene, readonly (readonly [number, string, string])[]>> = {
  beach: [
    [0.4, '#4a8fd8', '#bcdcf2'],
    [0.2, '#2a7fb0', '#4fb0c8'],
    [0.4, '#e6cf9a', '#d8b878'],
  ],
  sunset: [
    [0.35, '#4b5a8e', '#7a86a8'],
    [0.3, '#f08a3c', '#ffc860'],
    [0.35, '#3a2a28', '#120c0c'],
  ],
  night: [
    [0.6, '#05060c', '#0c1020'],
    [0.05, '#ffd890', '#8a6a30'],
    [0.35, '#08080c', '#040406'],
  ],
  wall: [[1, '#9a8f88', '#8f8680']],
};
export type DrawnScene = 'beach' | 'sunset' | 'night' | 'wall';

/** A picture with the colours of a scene where they are in photos of one; JPEG. */
export async function drawScene(scene: DrawnScene): Promise<Buffer> {
  let y = 0;
  const bands = BANDS[scene].map(([share, upper, lower], at) => {
    const top = y;
    y += share * 100;
    return `<linearGradient id="band${at}" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="${upper}"/><stop offset="1" stop-color="${lower}"/>
      </linearGradient>
      <rect y="${top}" width="100" height="${share * 100 + 0.5}" fill="url(#band${at})"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"
    viewBox="0 0 100 100" preserveAspectRatio="none">${bands.join('')}</svg>`;
  return sharp(Buffer.from(svg)).flatten().jpeg({ quality: 90 }).toBuffer();
}
