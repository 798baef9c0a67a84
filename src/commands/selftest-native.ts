import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import wrtc from '@roamhq/wrtc';

/**
 * Uses each native library once, in this process: what a broken build or a strange machine breaks
 * first. `modelPath`: an ONNX model that takes `x` and gives `y`, both float[2].
 */
export async function runNativeSelftest(modelPath: string): Promise<NativeSelftest> {
  return {
    sharp: await tryImages(),
    onnx: await tryInference(modelPath),
    wrtc: await tryConnection(),
  };
}

export type NativeSelftest = {
  readonly sharp: { readonly vips: string; readonly width: number; readonly height: number };
  readonly onnx: { readonly output: readonly number[] };
  readonly wrtc: { readonly offers: boolean };
};

async function tryImages() {
  const red = { create: { width: 640, height: 480, channels: 3, background: '#f00' } } as const;
  const { info } = await sharp(red).resize(64).webp().toBuffer({ resolveWithObject: true });
  return { vips: sharp.versions.vips ?? '', width: info.width, height: info.height };
}

async function tryInference(modelPath: string) {
  const session = await InferenceSession.create(modelPath);
  const { y } = await session.run({ x: new Tensor('float32', [1, 2], [2]) });
  await session.release();
  if (!y) throw new Error('The model has no output y');
  return { output: [...(y.data as Float32Array)] };
}

async function tryConnection() {
  const connection = new wrtc.RTCPeerConnection();
  connection.createDataChannel('selftest');
  const offer = await connection.createOffer();
  connection.close();
  return { offers: offer.sdp?.includes('m=application') ?? false };
}
