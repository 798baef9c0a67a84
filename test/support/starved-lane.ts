// A process with a lane whose thread works without a message for 300 ms of processor time, or for ever (`endless`). It
// prints a line for each death of the thread.
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { createLaneThread } from '../../src/jobs/lane-thread.ts';

const [script] = process.argv.slice(2) as [string];
const CHUNK_MS = 300;

await Bun.write(
  script,
  `import { getThreadId } from ${JSON.stringify(join(import.meta.dir, '../../src/core/thread-id.ts'))};
  postMessage({ type: 'started', threadId: getThreadId() });
  // Asking for the time is a call of the system, which counts as well.
  const readCpuMs = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
  const work = () => {
    const before = readCpuMs();
    while (${process.argv[3] === 'endless'} || readCpuMs() - before < ${CHUNK_MS});
    postMessage({ type: 'alive' });
    setTimeout(work);
  };
  onmessage = ({ data }) => {
    if (data.type === 'start') work();
  };`,
);
const lane = createLaneThread({
  lane: 'image',
  log: silentLog,
  databaseUrl: 'postgres://nowhere',
  settings: defaultSettings(),
  createWorkerName: () => 'worker',
  idleMs: 1000,
  silenceMs: 1000,
  onDeath: () => console.log('died'),
  onEnd: () => {},
  onRepeatedDeath: () => process.exit(1),
  script,
});
lane.wake();
console.log('started');
