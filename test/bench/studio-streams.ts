import { openBrowser } from '../e2e/browser.ts';
import { openStreamViewer } from '../support/stream-viewer.ts';
import type { Send } from './figures/server.ts';
import { spread, timed } from './measure.ts';
import { cpuMs } from './processes.ts';

type StreamBench = {
  readonly send: Send;
  /** Two projects that show different parts of a moving picture. */
  readonly projectIds: readonly [string, string];
  /** The process of the server. */
  readonly pid: number;
  readonly rounds: number;
};

const SECONDS = 10;
const SEEKS = 5;
const VIEWPORT = { width: 1280, height: 720 };

/** Opens streams one after the other until the first picture, then two at once, in Chromium. */
export async function measureStreams({ send, projectIds, pid, rounds }: StreamBench) {
  const browser = await openBrowser();
  try {
    const watch = async (projectId: string, quality: string) => {
      const viewer = await openStreamViewer(browser);
      const body = { projectId, revision: 1, quality, viewport: VIEWPORT };
      let stream: { id: string; state: string; offer: { sdp: string } };
      const ms = await timed(async () => {
        stream = await send('POST', '/studio/preview-streams', body);
        while (stream.state === 'starting') {
          await Bun.sleep(10);
          stream = await send('GET', `/studio/preview-streams/${stream.id}`);
        }
        const sdp = await viewer.answer(stream.offer.sdp);
        await send('PUT', `/studio/preview-streams/${stream.id}/answer`, { type: 'answer', sdp });
        while ((await viewer.seen()).count === 0) await Bun.sleep(5);
      });
      const close = async () => {
        await send('DELETE', `/studio/preview-streams/${stream.id}`);
        await viewer.close();
      };
      const seek = (numerator: number) =>
        timed(() =>
          send('PUT', `/studio/preview-streams/${stream.id}/position`, {
            time: { numerator, denominator: 7 },
            isPlaying: true,
          }),
        );
      return { ms, viewer, seek, close };
    };
    const first: number[] = [];
    const seeks: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { ms, seek, close } = await watch(projectIds[0], 'standard');
      first.push(ms);
      for (let at = 0; at < SEEKS; at += 1) seeks.push(await seek((at * 11 + round * 5) % 60));
      await close();
    }
    const both = [await watch(projectIds[0], 'full'), await watch(projectIds[1], 'full')];
    const count = () =>
      Promise.all(
        both.map(async ({ viewer }) => ({
          received: await viewer.countReceived(),
          shown: (await viewer.seen()).count,
        })),
      );
    const [before, cpuBefore] = [await count(), cpuMs(pid)];
    await Bun.sleep(SECONDS * 1000);
    const [after, cpuAfter] = [await count(), cpuMs(pid)];
    for (const { close } of both) await close();
    return {
      openToFirstPicture: spread(first),
      // Until the picture is sent.
      seekInOpenStream: spread(seeks),
      twoAt720p: {
        // Chromium decodes and shows them on the same cores.
        framesPerSecond: after.map(({ received, shown }, index) => ({
          received: (received - before[index]!.received) / SECONDS,
          shown: (shown - before[index]!.shown) / SECONDS,
        })),
        // The share of one core, by program, both streams together.
        cpuPercent: Object.fromEntries(
          Object.entries(cpuAfter).map(([name, ms]) => [
            name,
            Math.round((ms - (cpuBefore[name] ?? 0)) / (SECONDS * 10)),
          ]),
        ),
      },
    };
  } finally {
    await browser.close();
  }
}
