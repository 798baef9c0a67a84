import { readdir } from 'node:fs/promises';
import { runTool } from './tool-process.ts';

/** One way to make H.264. `software` is always there. */
export type Encoder = {
  readonly name: 'libx264' | 'h264_nvenc' | 'h264_qsv' | 'h264_vaapi';
  readonly isHardware: boolean;
  /** ffmpeg options before the input. */
  readonly device: readonly string[];
  /** Filters after all others. */
  readonly filters: readonly string[];
  readonly options: readonly string[];
};

export const SOFTWARE: Encoder = {
  name: 'libx264',
  isHardware: false,
  device: [],
  filters: ['format=yuv420p'],
  // veryfast at 23 looks like medium at 24 and takes a third of the time.
  options: ['-preset', 'veryfast', '-crf', '23', '-profile:v', 'high'],
};

const NVENC: Encoder = {
  name: 'h264_nvenc',
  isHardware: true,
  device: [],
  filters: ['format=yuv420p'],
  options: ['-preset', 'p4', '-rc', 'vbr', '-cq', '25', '-b:v', '0', '-profile:v', 'high'],
};

const qsv = (node: string): Encoder => ({
  name: 'h264_qsv',
  isHardware: true,
  device: ['-init_hw_device', `qsv=hw,child_device=${node}`, '-filter_hw_device', 'hw'],
  filters: ['format=nv12', 'hwupload=extra_hw_frames=64', 'format=qsv'],
  options: ['-global_quality', '25', '-look_ahead', '0', '-profile:v', 'high'],
});

const vaapi = (node: string): Encoder => ({
  name: 'h264_vaapi',
  isHardware: true,
  device: ['-vaapi_device', node],
  filters: ['format=nv12', 'hwupload'],
  options: ['-qp', '24', '-profile:v', 'high'],
});

const RENDER_NODES = '/dev/dri';
const TRIAL = { usesGpu: true, timeoutMs: 15_000, cpuSeconds: 10 };

let found: Promise<readonly Encoder[]> | undefined;

/**
 * The encoders that really encode here, best first; the last is always software. That ffmpeg lists
 * one says nothing about the driver, so each encodes a short clip. Asked once per process.
 */
export function probeEncoders(): Promise<readonly Encoder[]> {
  found ??= tryAll();
  return found;
}

async function tryAll(): Promise<readonly Encoder[]> {
  const nodes = await readdir(RENDER_NODES).catch(() => []);
  const devices = nodes
    .filter((name) => /^renderD\d+$/.test(name))
    .sort()
    .map((name) => `${RENDER_NODES}/${name}`);
  const candidates = [NVENC, ...devices.map(qsv), ...devices.map(vaapi)];
  const working: Encoder[] = [];
  for (const encoder of candidates) if (await encodes(encoder)) working.push(encoder);
  return [...working, SOFTWARE];
}

async function encodes(encoder: Encoder): Promise<boolean> {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=0.5'];
  const filters = ['-vf', encoder.filters.join(',')];
  const output = ['-c:v', encoder.name, ...encoder.options, '-f', 'null', '-'];
  const command = ['ffmpeg', '-nostdin', '-v', 'error', ...encoder.device, ...source, ...filters];
  return runTool([...command, ...output], TRIAL).then(
    ({ code }) => code === 0,
    () => false,
  );
}
