import { expect, test } from 'bun:test';
import { createFamilyScheduler } from './family-scheduler.ts';

/** Returns `ask`, which runs a family, and in order the runs and the unloads (with a leading "-"). */
function watch(getGroup: (family: string) => string) {
  const events: string[] = [];
  const loaded = new Set<string>();
  const scheduler = createFamilyScheduler(getGroup, async (family) => {
    loaded.delete(family);
    events.push(`-${family}`);
  });
  const ask = (family: string) =>
    scheduler.run(family, async () => {
      loaded.add(family);
      expect(new Set([...loaded].map(getGroup)).size).toBe(1);
      events.push(family);
    });
  return { events, ask };
}

const speechAlone = (family: string) => (family === 'speech' ? 'speech' : 'pictures');

test('families of one group stay in memory together, others make room for them', async () => {
  const { events, ask } = watch(speechAlone);
  await ask('faces');
  await Promise.all(['text', 'speech', 'faces', 'speech', 'tags'].map(ask));
  // Work for a loaded family goes before work that needs another one.
  expect(events).toEqual(
    ['faces', 'text', 'faces', 'tags', '-faces', '-text', '-tags', 'speech', 'speech'].flat(),
  );
  await ask('text');
  expect(events.slice(-2)).toEqual(['-speech', 'text']);
});

test('a flood of one group does not starve the other', async () => {
  const { events, ask } = watch(speechAlone);
  const asked = Array.from({ length: 120 }, () => ask('faces'));
  const speech = ask('speech');
  await Promise.all([...asked, speech]);
  expect(events.indexOf('speech')).toBeWithin(40, 60);
  expect(events.filter((event) => event === 'faces')).toHaveLength(120);
});

test('families run one by one with little memory; a failure affects its own call only', async () => {
  const { events, ask } = watch((family) => family);
  const scheduler = createFamilyScheduler(
    (family) => family,
    async () => {},
  );
  await Promise.all(['a', 'b', 'a'].map(ask));
  expect(events).toEqual(['a', 'a', '-a', 'b']);
  const failed = scheduler.run('a', () => Promise.reject(new Error('no')));
  const good = scheduler.run('b', async () => 'yes');
  expect(await failed.catch((error: Error) => error.message)).toBe('no');
  expect(await good).toBe('yes');
});

test('two families of one group run at once, and no family or other group beside itself', async () => {
  const running = new Set<string>();
  const seen: string[] = [];
  const scheduler = createFamilyScheduler(
    speechAlone,
    async () => {
      expect(running.size).toBe(0);
      await Bun.sleep(1);
    },
    2,
  );
  const families = ['faces', 'faces', 'text', 'speech', 'faces', 'text', 'tags', 'speech', 'text'];
  await Promise.all(
    families.map((family) =>
      scheduler.run(family, async () => {
        expect(running.has(family)).toBe(false);
        running.add(family);
        expect(new Set([...running].map(speechAlone)).size).toBe(1);
        seen.push([...running].join());
        await Bun.sleep(2);
        running.delete(family);
      }),
    ),
  );
  expect(Math.max(...seen.map((names) => names.split(',').length))).toBe(2);
  expect(seen).toHaveLength(families.length);
});
