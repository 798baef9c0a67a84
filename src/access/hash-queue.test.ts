import { expect, test } from 'bun:test';
import { runInHashQueue } from './hash-queue.ts';

/** Work that ends when it is told to, and says in which order it began. */
function createWork() {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const order = (name: string, source: string, isKnown = false) =>
    runInHashQueue({ source, isKnown }, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    ends.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { began, order, end };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('unknown sources take turns, one at a time, and never use the second slot', async () => {
  const { began, order, end } = createWork();
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => order(name, 'a')),
    order('b1', 'b'),
    order('c1', 'c'),
  ];
  await settle();
  expect(began).toEqual(['a1']);
  all.push(order('known', 'owner', true));
  await settle();
  expect(began).toEqual(['a1', 'known']);
  for (const name of ['a1', 'a2', 'b1', 'known', 'c1', 'a3']) await end(name);
  expect(began).toEqual(['a1', 'known', 'a2', 'b1', 'c1', 'a3']);
  await Promise.all(all);
});

test('known clients go before unknown ones that came earlier', async () => {
  const { began, order, end } = createWork();
  const all = [order('k1', 'k1', true), order('k2', 'k2', true), order('s', 's')];
  all.push(order('k3', 'k3', true));
  await settle();
  await end('k1');
  expect(began).toEqual(['k1', 'k2', 'k3']);
  await end('k2');
  await end('k3');
  await end('s');
  await Promise.all(all);
  expect(began.at(-1)).toBe('s');
});

test('work of one source never runs twice at the same time', async () => {
  const { began, order, end } = createWork();
  const all = [order('1', 'one', true), order('2', 'one', true)];
  await settle();
  expect(began).toEqual(['1']);
  await end('1');
  await end('2');
  await Promise.all(all);
});

test('refuses a source that floods, while others still get a slot', async () => {
  const gate = Promise.withResolvers<void>();
  const began: string[] = [];
  const order = (source: string) =>
    runInHashQueue({ source, isKnown: false }, async () => {
      began.push(source);
      await gate.promise;
    }).then(
      () => 'done',
      (error: { status: number }) => error.status,
    );
  const flood = (source: string, count: number) =>
    Array.from({ length: count }, () => order(source));
  // One runs and 500 wait; of the four others 2000 more are asked for, and 2000 may wait in all.
  const all = [...flood('a', 600), ...['b', 'c', 'd', 'e'].flatMap((source) => flood(source, 500))];
  const late = order('late');
  gate.resolve();
  expect(await late).toBe('done');
  expect(began.indexOf('late')).toBeLessThan(10);
  const outcomes = await Promise.all(all);
  expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(99 + 500 + 1);
  for (const source of ['a', 'b', 'c', 'd', 'e']) {
    expect(began.filter((name) => name === source).length).toBeGreaterThan(390);
  }
});

test('failed work releases its slot', async () => {
  const failing = runInHashQueue({ source: 'x', isKnown: false }, async () => {
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await runInHashQueue({ source: 'x', isKnown: false }, async () => 1)).toBe(1);
});
