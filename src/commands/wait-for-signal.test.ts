import { expect, test } from 'bun:test';
import { join } from 'node:path';

const WAITING = `
  import { waitForSignal } from ${JSON.stringify(join(import.meta.dir, 'wait-for-signal.ts'))};
  const log = { info: (text) => console.log(text), warn: (text) => console.log(text) };
  setInterval(() => {}, 1000);
  const asked = waitForSignal(log);
  console.log('waiting');
  await asked;
  process.stdin.once('data', () => process.exit(0));
`;

async function started() {
  const child = Bun.spawn([process.execPath, '-e', WAITING], { stdin: 'pipe', stdout: 'pipe' });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let seen = '';
  const until = async (text: string) => {
    while (!seen.includes(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`ended without '${text}': ${seen}`);
      seen += decoder.decode(value);
    }
  };
  await until('waiting');
  return { child, until };
}

test('a signal that arrives twice at once, as from make, counts once: running work may finish', async () => {
  const { child, until } = await started();
  child.kill('SIGTERM');
  child.kill('SIGINT');
  await until('stopping');
  await child.stdin.write('end\n');
  await child.stdin.end();
  expect(await child.exited).toBe(0);
});

test('a second signal later ends the process immediately', async () => {
  const { child, until } = await started();
  child.kill('SIGTERM');
  await until('stopping');
  await Bun.sleep(600);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(1);
});
