import { expect, test } from 'bun:test';
import { listStreamProcesses } from '../../../../test/support/streams.ts';
import { spawnStreamChild } from './child-process.ts';

test('a child that was killed can be sent messages', async () => {
  const ended = Promise.withResolvers<void>();
  const child = spawnStreamChild({ onMessage() {}, onExit: ended.resolve });
  child.kill();
  child.send({ type: 'reconnect', negotiation: 2 });
  await ended.promise;
  child.send({ type: 'reconnect', negotiation: 3 });
  expect(listStreamProcesses(process.pid).children).toEqual([]);
});
