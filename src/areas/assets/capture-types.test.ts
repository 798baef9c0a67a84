import { expect, test } from 'bun:test';
import { type CaptureFacts, listCaptureTypes } from './capture-types.ts';

const PHOTO: CaptureFacts = {
  type: 'IMAGE',
  fileName: 'IMG_0001.HEIC',
  model: 'iPhone 15 Pro',
  lensModel: 'iPhone 15 Pro back triple camera 6.765mm f/1.78',
  burstId: null,
  projectionType: null,
  fps: null,
  exifWidth: 4032,
  exifHeight: 3024,
};
const WITHOUT_CAMERA = { model: null, lensModel: null };

test.each<[Partial<CaptureFacts>, string[]]>([
  [{}, []],
  [{ ...WITHOUT_CAMERA, fileName: 'Screenshot_20240102-030405_Chrome.jpg' }, ['screenshot']],
  [{ ...WITHOUT_CAMERA, fileName: 'Bildschirmfoto 2024-01-02 um 03.04.05.png' }, ['screenshot']],
  [{ ...WITHOUT_CAMERA, fileName: 'IMG_1234.PNG' }, ['screenshot']],
  [{ ...WITHOUT_CAMERA, fileName: 'スクリーンショット 1.png' }, ['screenshot']],
  [{ ...WITHOUT_CAMERA, fileName: 'Capture d’e\u0301cran 2024-01-02.png' }, ['screenshot']],
  [{ ...WITHOUT_CAMERA, fileName: 'Skjermbilde 2024-01-02 kl. 15.04.05.png' }, ['screenshot']],
  [
    { ...WITHOUT_CAMERA, type: 'VIDEO', fileName: 'Schermopname 2024-01-02 om 15.04.05.mov' },
    ['screenRecording'],
  ],
  [
    { ...WITHOUT_CAMERA, type: 'VIDEO', fileName: '录屏2024-01-02 15.04.05.mov' },
    ['screenRecording'],
  ],
  [{ ...WITHOUT_CAMERA, fileName: 'drawing.png' }, []],
  // A photo of a camera, whatever it is called.
  [{ fileName: 'screenshot.jpg' }, []],
  [{ ...WITHOUT_CAMERA, type: 'VIDEO', fileName: 'Screen Recording 1.mov' }, ['screenRecording']],
  [
    { ...WITHOUT_CAMERA, type: 'VIDEO', fileName: 'RPReplay_Final1704164645.MP4' },
    ['screenRecording'],
  ],
  [{ lensModel: 'iPhone 15 Pro front TrueDepth camera 2.69mm f/1.9' }, ['selfie']],
  [{ fileName: 'selfie-with-ann.jpg' }, ['selfie']],
  [{ fileName: 'myselfie.jpg' }, []],
  [{ exifWidth: 12_000, exifHeight: 3800 }, ['panorama']],
  [{ exifWidth: 3800, exifHeight: 12_000 }, ['panorama']],
  [{ ...WITHOUT_CAMERA, fileName: 'banner.png', exifWidth: 3000, exifHeight: 600 }, []],
  [{ projectionType: 'EQUIRECTANGULAR' }, ['panorama']],
  [{ fileName: 'PANO_20240102_030405.jpg' }, ['panorama']],
  [{ fileName: 'Panorama.jpg', type: 'VIDEO' }, []],
  [{ burstId: 'A1' }, ['burst']],
  [{ fileName: '00100lPORTRAIT_00100_BURST20190102030405_COVER.jpg' }, ['burst']],
  [{ fileName: 'DSC_1.NEF' }, ['raw']],
  [{ type: 'VIDEO', fileName: 'a.mov', fps: 240 }, ['slowMotion']],
  [{ type: 'VIDEO', fileName: 'a.mov', fps: 60 }, []],
  [{ ...WITHOUT_CAMERA, fileName: 'cat.GIF' }, ['animation']],
  [{ burstId: 'A1', lensModel: 'Pixel 8 front camera 2.74mm f/2.2' }, ['selfie', 'burst']],
])('%p is %p', (facts, types) => {
  expect(listCaptureTypes({ ...PHOTO, ...facts })).toEqual(types as never);
});
