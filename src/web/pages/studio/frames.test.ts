import { afterEach, expect, mock, test } from 'bun:test';
import { until } from '../../../../test/support/until.ts';
import { createFrameLoader, type FrameWish } from './frames.ts';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

const ID = '00000000-0000-4000-8000-000000000009';

/** A server on which all frames are ready. Returns the times that are asked for. */
function serve(): number[] {
  const asked: number[] = [];
  globalThis.fetch = mock(async (path: string, init?: { method?: string; body?: string }) => {
    if (init?.method !== 'POST') return new Response(path);
    const { time } = JSON.parse(init.body!) as FrameWish;
    asked.push(time.numerator);
    return Response.json({ preview: { id: ID, status: 'ready' } });
  }) as unknown as typeof fetch;
  return asked;
}

const wish = (numerator: number): FrameWish => ({
  projectId: ID,
  revision: 1,
  time: { numerator, denominator: 1 },
  quality: 'draft',
  viewport: { width: 320, height: 192 },
});

test('the frames that were shown last are kept, also when they were loaded long ago', async () => {
  const asked = serve();
  const loader = createFrameLoader();
  const show = async (second: number) => {
    loader.wish(wish(second));
    await until(() => loader.state.get().frame?.wish.time.numerator === second);
  };
  for (let second = 0; second < 60; second += 1) await show(second);
  await show(0);
  await show(60);
  await show(0);
  expect(asked).toEqual(Array.from({ length: 61 }, (_, second) => second));
  await show(1);
  expect(asked.at(-1)).toBe(1);
  loader.close();
});
