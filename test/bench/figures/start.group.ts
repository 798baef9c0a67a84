import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMs, sumCpuMs } from '../processes.ts';
import { defineGroup } from './groups.ts';
import { median, type Row } from './measures.ts';
import { startBinary, type Target } from './server.ts';

const TABLE = 'Start, all processes';
const RESTARTS = 3;
/** Until what runs once after a start is over. */
const SETTLING_MS = 30_000;
/** With one run of the jobs that run once a minute. */
const IDLE_MS = 60_000;

/** From the start of the program to its first answer, with a database of its own. */
export const startGroup = defineGroup('start', 3, async (target) => {
  const folders: string[] = [];
  const makeFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'figures-start-'));
    folders.push(folder);
    return folder;
  };
  const existing = makeFolder();
  await measureStart(target, existing);
  return {
    steps: [
      {
        name: 'start in a new folder',
        run: async () => [toRow('new folder', [await measureStart(target, makeFolder())])],
      },
      {
        name: 'start of a library',
        async run() {
          const starts: Start[] = [];
          for (let n = 0; n < RESTARTS; n++) starts.push(await measureStart(target, existing));
          return [toRow('existing library', starts)];
        },
      },
      { name: 'idle', run: async () => [await measureIdle(target, existing)] },
      { name: 'size', run: async () => [getSize(target)] },
    ],
    async close() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
});

const getSize = ({ binary }: Target): Row => ({
  table: TABLE,
  name: 'size of the binary',
  values: { bytes: statSync(binary).size },
});

type Start = { readonly ms: number; readonly cpuMs: number };

async function measureStart(target: Target, data: string): Promise<Start> {
  const server = await startBinary(target, { data });
  const used = sumCpuMs(cpuMs(server.pid));
  await server.stop();
  return { ms: server.startMs, cpuMs: used };
}

const toRow = (name: string, starts: readonly Start[]): Row => ({
  table: TABLE,
  name,
  values: {
    cpuMs: median(starts.map((start) => start.cpuMs)),
    ms: median(starts.map((start) => start.ms)),
  },
});

async function measureIdle(target: Target, data: string): Promise<Row> {
  const server = await startBinary(target, { data });
  await Bun.sleep(SETTLING_MS);
  const before = sumCpuMs(cpuMs(server.pid));
  await Bun.sleep(IDLE_MS);
  const used = sumCpuMs(cpuMs(server.pid)) - before;
  await server.stop();
  return {
    table: TABLE,
    name: 'a minute without requests',
    values: { cpuMs: used },
  };
}
