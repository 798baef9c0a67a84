// A process with a job thread that works without a message for 300 ms of processor time, or for ever (`endless`). It
// prints a line for each death of the thread.
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { createJobThread } from '../../src/jobs/job-thread.ts';

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
const thread = createJobThread({
  lanes: ['image'],
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
thread.wake('image');
console.log('started');
