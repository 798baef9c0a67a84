import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../../e2e/server.ts';
import { createPhotoUpload } from '../photo-upload.ts';
import { type ByProgram, cpuMs, memoryByProgram, pssMiB, sumCpuMs } from '../processes.ts';
import { defineGroup, type Step } from './groups.ts';
import { models } from './library.ts';
import type { Row } from './measures.ts';
import {
  createSender,
  type Send,
  startBinary,
  type StartedServer,
  type Target,
  waitForJobs,
} from './server.ts';
import { createVipsStep } from './vips.ts';

const CONNECTIONS = 4;
const IDLE_MS = 15_000;
const AFTER_MS = 15_000;
const LONG_AFTER_MS = 60_000;
const SAMPLE_MS = 500;
/** Programs that use less are left out. */
const LEAST_CPU_MS = 0.5;
const LEAST_MIB = 1;

export type IngestSizes = { readonly photos: number; readonly recognised: number };

/** Uploads of 12 MP photos until nothing is left to do, and the memory before, meanwhile, after, and of a restarted server. */
export const createIngestGroup = ({ photos, recognised }: IngestSizes) =>
  defineGroup('ingest', 2, async (target) => ({
    steps: [
      createStep(target, { title: 'without recognition', photos, flags: [] }),
      models === undefined
        ? createMissingStep()
        : createStep(target, {
            title: 'with recognition',
            photos: recognised,
            flags: [`--models=${models}`],
          }),
      createVipsStep(getTable('without recognition')),
    ],
    close: async () => {},
  }));

type Ingest = {
  readonly title: string;
  readonly photos: number;
  readonly flags: readonly string[];
};

const createMissingStep = (): Step => ({
  name: 'ingest with recognition',
  run: async () => [
    {
      table: getTable('with recognition'),
      name: 'all processes',
      values: {},
      note: 'not measured, there are no models',
    },
  ],
});

const createStep = (target: Target, ingest: Ingest): Step => ({
  name: `ingest ${ingest.title}`,
  async run() {
    const data = mkdtempSync(join(tmpdir(), 'figures-ingest-'));
    const withServer = async <T>(measure: (server: StartedServer) => Promise<T>): Promise<T> => {
      const server = await startBinary(target, { data, flags: ingest.flags });
      try {
        return await measure(server);
      } finally {
        await server.stop();
      }
    };
    try {
      const { cpu, memory } = await withServer((server) => measureIngest(server, ingest.photos));
      const restarted = await withServer(readIdleMemory);
      return [...listCpu(ingest, cpu), ...listMemory(ingest, { ...memory, restarted })];
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
});

async function measureIngest(server: StartedServer, photos: number) {
  const { apiKey, accessToken } = await signUp(new URL(server.url).origin);
  await ignoreDuplicates(createSender(server.url, { authorization: `Bearer ${accessToken}` }));
  const idle = await readIdleMemory(server);
  const sampler = startSampler(server.pid);
  const cpuBefore = cpuMs(server.pid);
  const from = performance.now();
  await uploadAll(server.url, apiKey, photos);
  const acceptedSeconds = (performance.now() - from) / 1000;
  await waitForJobs(createSender(server.url, { 'x-api-key': apiKey }));
  const seconds = (performance.now() - from) / 1000;
  const cpuAfter = cpuMs(server.pid);
  const peak = sampler.stop();
  await Bun.sleep(AFTER_MS);
  const after = readMemory(server.pid);
  await Bun.sleep(LONG_AFTER_MS);
  const longAfter = readMemory(server.pid);
  return {
    cpu: { cpuBefore, cpuAfter, acceptedSeconds, seconds },
    memory: { idle, peak, after, longAfter },
  };
}

async function readIdleMemory({ pid }: StartedServer): Promise<ByProgram> {
  await Bun.sleep(IDLE_MS);
  return readMemory(pid);
}

/** The photos show the same picture, each: a library has few of those, whose pixels are compared. */
async function ignoreDuplicates(send: Send): Promise<void> {
  const config = await send('GET', '/system-config');
  config.machineLearning.duplicateDetection.enabled = false;
  await send('PUT', '/system-config', config);
}

async function uploadAll(url: string, apiKey: string, photos: number): Promise<void> {
  const upload = await createPhotoUpload(url, apiKey);
  let left = photos;
  const send = async () => {
    while (left-- > 0) await upload();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

const ALL = 'all processes';

/** In MiB, with the sum. */
const readMemory = (pid: number): ByProgram => ({ [ALL]: pssMiB(pid), ...memoryByProgram(pid) });

/** Keeps the largest value of each program, and of the sum. */
function startSampler(pid: number) {
  const peaks: Record<string, number> = {};
  const sample = () => {
    for (const [program, value] of Object.entries(readMemory(pid))) {
      peaks[program] = Math.max(peaks[program] ?? 0, value);
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop(): ByProgram {
      clearInterval(timer);
      sample();
      return peaks;
    },
  };
}

type CpuOfIngest = {
  readonly cpuBefore: ByProgram;
  readonly cpuAfter: ByProgram;
  /** Until all were uploaded, and until nothing was left to do. */
  readonly acceptedSeconds: number;
  readonly seconds: number;
};

const getTable = (title: string): string => `Ingest ${title}, by photo`;

function listCpu({ title, photos }: Ingest, cpu: CpuOfIngest): Row[] {
  const { cpuBefore, cpuAfter, acceptedSeconds, seconds } = cpu;
  const table = getTable(title);
  const total = (sumCpuMs(cpuAfter) - sumCpuMs(cpuBefore)) / photos;
  const programs = Object.entries(cpuAfter).flatMap(([name, ms]): Row[] => {
    const used = (ms - (cpuBefore[name] ?? 0)) / photos;
    return used < LEAST_CPU_MS ? [] : [{ table, name, values: { cpuMs: used } }];
  });
  return [
    { table, name: ALL, values: { cpuMs: total, perSecond: photos / seconds } },
    ...programs.toSorted((a, b) => b.values.cpuMs! - a.values.cpuMs!),
    { table, name: 'uploads alone', values: { perSecond: photos / acceptedSeconds } },
  ];
}

type MemoryOfIngest = Readonly<
  Record<'idle' | 'peak' | 'after' | 'longAfter' | 'restarted', ByProgram>
>;

function listMemory({ title }: Ingest, memory: MemoryOfIngest): Row[] {
  const { idle, peak, after, longAfter, restarted } = memory;
  const table = `Memory around an ingest ${title}`;
  return Object.keys(peak)
    .filter((name) => peak[name]! >= LEAST_MIB)
    .toSorted((a, b) => peak[b]! - peak[a]!)
    .map((name) => ({
      table,
      name,
      values: {
        idleMiB: idle[name] ?? 0,
        after15MiB: after[name] ?? 0,
        after75MiB: longAfter[name] ?? 0,
        peakMiB: peak[name]!,
        restartedMiB: restarted[name] ?? 0,
      },
    }));
}
