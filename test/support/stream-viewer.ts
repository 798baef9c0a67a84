import type { Browser } from 'playwright-core';
import { until } from '../e2e/server.ts';

// A browser that watches a preview stream, as the page of the studio would.

export type StreamViewer = Awaited<ReturnType<typeof openStreamViewer>>;

/** Frames that a viewer has seen since it was opened. */
export type Seen = {
  readonly count: number;
  readonly width: number;
  readonly height: number;
  /** The painted number of the last one, see painted-clips.ts. */
  readonly number: number;
};

/** The page of a viewer keeps these. */
type World = { peer?: RTCPeerConnection; video?: HTMLVideoElement; seen?: { count: number } };

export async function openStreamViewer(browser: Browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  return {
    page,
    /** Returns a complete answer to the offer, on a new connection. */
    answer: (sdp: string): Promise<string> => page.evaluate(answerOffer, sdp),
    seen: (): Promise<Seen> => page.evaluate(readSeen),
    waitUntil: async (condition: (seen: Seen) => boolean): Promise<void> => {
      await until('frames', async () => condition(await page.evaluate(readSeen)));
    },
    /** Frames that have arrived: a busy browser shows fewer. */
    countReceived: (): Promise<number> => page.evaluate(countReceived),
    /** Ends the connection without a word to the server. */
    drop: (): Promise<void> => page.evaluate(() => (window as unknown as World).peer!.close()),
    /** Ends what it watches, and forgets what it has seen. */
    forget: () => page.reload(),
    close: () => context.close(),
  };
}

async function answerOffer(sdp: string): Promise<string> {
  const world = window as unknown as World;
  world.peer?.close();
  const peer = (world.peer = new RTCPeerConnection());
  const seen = (world.seen ??= { count: 0 });
  peer.addEventListener('track', ({ track }) => {
    const video = (world.video = document.createElement('video'));
    video.muted = true;
    video.srcObject = new MediaStream([track]);
    void video.play();
    const look = () => {
      if (world.peer !== peer) return;
      seen.count += 1;
      video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
  });
  await peer.setRemoteDescription({ type: 'offer', sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  if (peer.iceGatheringState !== 'complete')
    await new Promise<void>((resolve) => {
      peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') resolve();
      });
    });
  return peer.localDescription!.sdp;
}

async function countReceived(): Promise<number> {
  const { peer } = window as unknown as World;
  const reports = [...(await peer!.getStats()).values()];
  return reports.find(({ type }) => type === 'inbound-rtp')?.framesReceived ?? 0;
}

function readSeen() {
  const { seen, video } = window as unknown as World;
  if (!video?.videoWidth) return { count: seen?.count ?? 0, width: 0, height: 0, number: -1 };
  const { videoWidth: width, videoHeight: height } = video;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d')!;
  context.drawImage(video, 0, 0);
  const { data } = context.getImageData(0, Math.floor(height / 2), width, 1);
  let number = 0;
  for (let bit = 0; bit < 16; bit += 1)
    if (data[4 * Math.floor(((bit + 0.5) * width) / 16)]! > 127) number += 2 ** bit;
  return { count: seen!.count, width, height, number };
}
