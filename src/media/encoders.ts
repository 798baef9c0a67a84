import { readdir } from 'node:fs/promises';
import { MediaHostUnavailable } from '../core/errors.ts';
import { memoizeSuccess } from '../core/memoize.ts';
import { ToolBroken } from './errors.ts';
import { runTool } from './tool-process.ts';
import {
  DEFAULT_VIDEO_SETTINGS,
  PRESETS,
  type VideoCodec,
  type VideoSettings,
} from './video-settings.ts';

/** One way to encode. `SOFTWARE` is always there. */
export type Encoder = {
  readonly name:
    'libx264' | 'libx265' | 'libvpx-vp9' | 'libsvtav1' | 'h264_nvenc' | 'h264_qsv' | 'h264_vaapi';
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

/**
 * Returns the encoders to try, best first; the last is always software for H.264. Hardware encodes
 * H.264 only.
 */
export async function selectEncoders(settings: VideoSettings): Promise<readonly Encoder[]> {
  const { codec, acceleration } = settings;
  if (codec !== 'h264') return [createSoftware(codec, settings), createSoftware('h264', settings)];
  const found = (await probeEncoders()).filter(({ isHardware }) => isHardware);
  const best =
    acceleration === 'auto' ? found[0] : found.find(({ name }) => name.endsWith(acceleration));
  const hardware = best && { ...best, options: [...best.options, ...tuneHardware(best, settings)] };
  return [...(hardware ? [hardware] : []), createSoftware('h264', settings)];
}

/** The last ones of ffmpeg's options count. */
function createSoftware(codec: VideoCodec, settings: VideoSettings): Encoder {
  const { crf, preset, threads } = settings;
  const step = PRESETS.indexOf(preset);
  const quality = ['-crf', String(crf)];
  switch (codec) {
    case 'h264': {
      const options = [...SOFTWARE.options, '-preset', preset, ...quality];
      return { ...SOFTWARE, options: [...options, ...limitRate(settings)] };
    }
    case 'hevc': {
      const pools = threads === undefined ? [] : [`pools=${threads}`];
      const parameters = ['log-level=error', ...pools].join(':');
      const options = ['-preset', preset, ...quality, '-x265-params', parameters];
      return {
        ...SOFTWARE,
        name: 'libx265',
        options: [...options, ...limitRate(settings), ...HEVC_TAG],
      };
    }
    case 'vp9': {
      const speed = ['-deadline', 'good', '-cpu-used', String(VP9_SPEEDS[step]), '-row-mt', '1'];
      const rate = ['-b:v', String(settings.maxBitrate ?? 0)];
      return { ...SOFTWARE, name: 'libvpx-vp9', options: [...speed, ...quality, ...rate] };
    }
    case 'av1': {
      const pools = threads === undefined ? [] : ['-svtav1-params', `lp=${threads}`];
      const speed = ['-preset', String(AV1_PRESETS[step])];
      const options = [...speed, ...quality, ...pools, ...limitRate(settings)];
      return { ...SOFTWARE, name: 'libsvtav1', options };
    }
  }
}

/** By preset. */
const VP9_SPEEDS = [5, 5, 4, 4, 3, 2, 1, 1, 0];
const AV1_PRESETS = [12, 11, 10, 9, 8, 7, 6, 5, 4];
/** Apple's players know no other. */
export const HEVC_TAG: readonly string[] = ['-tag:v', 'hvc1'];

const limitRate = ({ maxBitrate }: VideoSettings): readonly string[] =>
  maxBitrate === undefined
    ? []
    : ['-maxrate', String(maxBitrate), '-bufsize', String(2 * maxBitrate)];

/** The scales of quality of hardware are about that of x264, shifted. */
function tuneHardware({ name }: Encoder, settings: VideoSettings): readonly string[] {
  const shift = settings.crf - DEFAULT_VIDEO_SETTINGS.crf;
  const quality =
    name === 'h264_nvenc'
      ? ['-cq', String(25 + shift)]
      : name === 'h264_qsv'
        ? ['-global_quality', String(25 + shift)]
        : ['-qp', String(24 + shift)];
  return [...(shift === 0 ? [] : quality), ...limitRate(settings)];
}

const RENDER_NODES = '/dev/dri';
const TRIAL = { usesGpu: true, timeoutMs: 15_000, cpuSeconds: 10 };

/**
 * The encoders that really encode here, best first; the last is always software. That ffmpeg lists
 * one says nothing about the driver, so each encodes a short clip. Asked once per process.
 */
export const probeEncoders = memoizeSuccess(async (): Promise<readonly Encoder[]> => {
  const nodes = await readdir(RENDER_NODES).catch(() => []);
  const devices = nodes
    .filter((name) => /^renderD\d+$/.test(name))
    .sort()
    .map((name) => `${RENDER_NODES}/${name}`);
  const candidates = [NVENC, ...devices.map(qsv), ...devices.map(vaapi)];
  const working: Encoder[] = [];
  for (const encoder of candidates) if (await encodes(encoder)) working.push(encoder);
  return [...working, SOFTWARE];
});

async function encodes(encoder: Encoder): Promise<boolean> {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=0.5'];
  const filters = ['-vf', encoder.filters.join(',')];
  const output = ['-c:v', encoder.name, ...encoder.options, '-f', 'null', '-'];
  const command = ['ffmpeg', '-nostdin', '-v', 'error', ...encoder.device, ...source, ...filters];
  return runTool([...command, ...output], TRIAL).then(
    ({ code }) => code === 0,
    (error: unknown) => {
      // Remembered: an ffmpeg that does not work for now says nothing about the driver.
      if (error instanceof MediaHostUnavailable || error instanceof ToolBroken) throw error;
      return false;
    },
  );
}
