import { describe, expect, test } from 'bun:test';
import { parseFileNameDate } from './file-name-date.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

/** '2024-01-02 03:04:05.678 UTC', 'none' for no date. */
function read(name: string): string {
  const found = parseFileNameDate(name, NOW);
  if (!found) return 'none';
  const { clock, isUtc, isDay } = found;
  const { year, month, day, hour, minute, second, millisecond } = clock;
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${year}-${two(month)}-${two(day)}`;
  if (isDay) return date;
  const fraction = millisecond ? `.${String(millisecond).padStart(3, '0')}` : '';
  return `${date} ${two(hour)}:${two(minute)}:${two(second)}${fraction}${isUtc ? ' UTC' : ''}`;
}

const TIME = '2024-01-02 03:04:05';
const AFTERNOON = '2024-01-02 15:04:05';

describe('a name tells the date', () => {
  test.each([
    // Cameras of phones.
    ['IMG_20240102_030405.jpg', TIME],
    ['IMG_20240102_030405_1.jpg', TIME],
    ['IMG_20240102_030405678.jpg', `${TIME}.678`],
    ['IMG_20240102_030405_HDR~2.jpg', TIME],
    ['img_20240102_030405.JPG', TIME],
    ['VID_20240102_030405.mp4', TIME],
    ['MVIMG_20240102_030405.jpg', TIME],
    ['PANO_20240102_030405.vr.jpg', TIME],
    ['IMG20240102030405.jpg', TIME],
    ['20240102_030405.jpg', TIME],
    ['20240102_030405(0).jpg', TIME],
    ['WIN_20240102_03_04_05_Pro.jpg', TIME],
    // A Pixel writes UTC.
    ['PXL_20240102_030405678.jpg', `${TIME}.678 UTC`],
    ['PXL_20240102_030405678.MP.jpg', `${TIME}.678 UTC`],
    ['PXL_20240102_030405678.TS.mp4', `${TIME}.678 UTC`],
    // Messengers.
    ['IMG-20240102-WA0001.jpg', '2024-01-02'],
    ['VID-20240102-WA0012.mp4', '2024-01-02'],
    ['WhatsApp Image 2024-01-02 at 03.04.05.jpeg', TIME],
    ['WhatsApp Image 2024-01-02 at 3.04.05 PM.jpeg', '2024-01-02 15:04:05'],
    ['WhatsApp Image 2024-01-02 at 12.04.05 AM (1).jpeg', '2024-01-02 00:04:05'],
    ['WhatsApp Video 2024-01-02 at 03.04.05.mp4', TIME],
    ['signal-2024-01-02-03-04-05-678.jpg', `${TIME}.678`],
    ['signal-2024-01-02-03-04-05-678-1.jpg', `${TIME}.678`],
    ['signal-2024-01-02-030405.jpeg', TIME],
    ['photo_2024-01-02_03-04-05.jpg', TIME],
    ['FB_IMG_1704164645678.jpg', `${TIME}.678 UTC`],
    ['mmexport1704164645678.jpg', `${TIME}.678 UTC`],
    ['1704164645678.jpg', `${TIME}.678 UTC`],
    ['1704164645678(1).jpg', `${TIME}.678 UTC`],
    // Screens.
    ['Screenshot_20240102-030405.png', TIME],
    ['Screenshot_20240102_030405_Chrome.jpg', TIME],
    ['Screenshot_2024-01-02-03-04-05-678_com.app.jpg', `${TIME}.678`],
    ['Screenshot 2024-01-02 at 03.04.05.png', TIME],
    ['Screenshot 2024-01-02 at 3.04.05\u202FPM.png', '2024-01-02 15:04:05'],
    ['Screenshot from 2024-01-02 03-04-05.png', TIME],
    // macOS in other languages.
    ['Bildschirmfoto 2024-01-02 um 15.04.05.png', AFTERNOON],
    ['Capture d’e\u0301cran 2024-01-02 a\u0300 15.04.05.png', AFTERNOON],
    ['Captura de pantalla 2024-01-02 a la(s) 15.04.05.png', AFTERNOON],
    ['Captura de pantalla 2024-01-02 a las 15.04.05.png', AFTERNOON],
    ['Captura de Tela 2024-01-02 às 15.04.05.png', AFTERNOON],
    ['Schermafbeelding 2024-01-02 om 15.04.05.png', AFTERNOON],
    ['Schermata 2024-01-02 alle 15.04.05.png', AFTERNOON],
    ['Schermata 2024-01-02 alle ore 15.04.05.png', AFTERNOON],
    ['Zrzut ekranu 2024-01-02 o 15.04.05.png', AFTERNOON],
    ['Skärmavbild 2024-01-02 kl. 15.04.05.png', AFTERNOON],
    ['Снимок экрана 2024-01-02 в 15.04.05.png', AFTERNOON],
    ['スクリーンショット 2024-01-02 15.04.05.png', AFTERNOON],
    ['スクリーンショット 2024-01-02 午後3.04.05.png', AFTERNOON],
    ['截屏2024-01-02 15.04.05.png', AFTERNOON],
    ['截屏2024-01-02 下午3.04.05.png', AFTERNOON],
    ['截屏2024-01-02 上午3.04.05.png', TIME],
    ['WhatsApp Bild 2024-01-02 um 15.04.05.jpeg', AFTERNOON],
    ['WhatsApp Imagem 2024-01-02 às 15.04.05.jpeg', AFTERNOON],
    ['Screenshot 2024-01-02 150405.png', AFTERNOON],
    // Bursts.
    ['00001IMG_00001_BURST20240102030405.jpg', TIME],
    ['00000PORTRAIT_00000_BURST20240102030405678_COVER.jpg', `${TIME}.678`],
    ['IMG_20240102_030405_BURST001_COVER.jpg', TIME],
    // Telegram, LINE.
    ['photo_12@02-01-2024_03-04-05.jpg', TIME],
    ['video_2024-01-02_03-04-05.mp4', TIME],
    ['LINE_1704164645678.jpg', `${TIME}.678 UTC`],
    ['LINE_MOVIE_1704164645678.mp4', `${TIME}.678 UTC`],
    // Dashcams, drones, recorders, players.
    ['NO20240102-030405-000001F.MP4', TIME],
    ['2024_0102_030405_001.MP4', `${TIME}.001`],
    ['REC_2024_01_02_03_04_05_F.MP4', TIME],
    ['2024-01-02_03-04-05-front.mp4', TIME],
    ['20240102_030405_NF.mp4', TIME],
    ['20240102030405_000123A.MP4', TIME],
    ['DJI_20240102030405_0001_D.MP4', TIME],
    ['VID_20240102_030405_00_001.insv', TIME],
    ['Recording_1704164645.m4a', `${TIME} UTC`],
    ['REC_1704164645.mp4', `${TIME} UTC`],
    ['VID_1704164645.mp4', `${TIME} UTC`],
    ['RPReplay_Final1704164645.MP4', `${TIME} UTC`],
    ['vlcsnap-2024-01-02-03h04m05s678.png', `${TIME}.678`],
    ['20240102T030405Z.jpg', `${TIME} UTC`],
    // People.
    ['2024-01-02 Birthday.jpg', '2024-01-02'],
    ['1999-12-31.png', '1999-12-31'],
    ['2024-02-29 03.04.05.jpg', '2024-02-29 03:04:05'],
  ])('%s', (name, date) => {
    expect(read(name)).toBe(date);
  });
});

describe('a name tells no date', () => {
  test.each([
    ['a 13th month', 'IMG_20241302_030405.jpg'],
    ['a 30th of February', 'IMG_20240230_030405.jpg'],
    ['a 29th of February in a common year', '2023-02-29.jpg'],
    ['a 25th hour', 'IMG_20240102_250405.jpg'],
    ['a 61st minute', 'IMG_20240102_036105.jpg'],
    ['13 PM', 'Screenshot 2024-01-02 at 13.04.05 PM.png'],
    ['a day in no month', 'IMG-20240042-WA0001.jpg'],
    ['before 1990', 'IMG_19891231_235959.jpg'],
    ['before 1990, by day', '1989-12-31.jpg'],
    ['in the future', 'IMG_20260104_030405.jpg'],
    ['in the future, in ms', '1799164645678.jpg'],
    ['a number of a product', '4006381333931.jpg'],
    ['seconds since 1970', '1704164645.jpg'],
    ['a longer number', '17041646456789.jpg'],
    ['a number of a shop', 'IMG_1704164645.jpg'],
    ['digits that are a day, an hour and no minutes', '2006123133931.jpg'],
    ['two digits of a year', 'FILE240102-030405F.MP4'],
    ['an album of LINE, by its days', 'LINE_ALBUM_20240102_240103_1.jpg'],
    ['an id of Facebook', '12345678_10151234567890123_n.jpg'],
    ['a date within a number', 'IMG_920240102_030405.jpg'],
    ['a date within a hash', 'f3a20240102030405bc.jpg'],
    ['a UUID', '20240102-0304-4567-8901-234567890123.jpg'],
    ['a number of a camera', 'DSC_0001.JPG'],
    ['a day without a time in the middle', 'scan 20240102.jpg'],
    ['nothing', ''],
    // A pattern that takes more than linear time would never come to their end.
    ['letters without end', `${'a'.repeat(20_000_000)}!`],
    ['signs without end', `${'a_'.repeat(10_000_000)}!`],
    ['letters and signs as long as a name is read', `${'a_'.repeat(127)}!`],
  ])('%s', (_, name) => expect(read(name)).toBe('none'));
});

test('a name of a messenger tells when it was sent', () => {
  const isOfMessage = (name: string) => parseFileNameDate(name, NOW)?.isOfMessage;
  for (const name of [
    'WhatsApp Video 2024-01-02 at 03.04.05.mp4',
    'VID-20240102-WA0012.mp4',
    'signal-2024-01-02-030405.mp4',
    'photo_12@02-01-2024_03-04-05.jpg',
    'LINE_1704164645678.jpg',
    'mmexport1704164645678.jpg',
  ])
    expect([name, isOfMessage(name)]).toEqual([name, true]);
  for (const name of [
    'VID_20240102_030405.mp4',
    'VIDEO_20240102_030405.mp4',
    '20240102_030405.mp4',
  ])
    expect([name, isOfMessage(name)]).toEqual([name, false]);
});
