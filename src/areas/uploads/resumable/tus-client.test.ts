import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Upload, type UploadOptions } from 'tus-js-client';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import {
  type Client,
  digestField,
  encode,
  METADATA,
  UPLOADS,
} from '../../../../test/support/resumable.ts';
import { startUploadServer, type UploadServer } from '../../../../test/support/upload-server.ts';

// A client that others wrote, for the draft of 2024: it does not read 104, and needs Upload-Offset
// in every answer. Its version, and what only we ask for, is added.

let place: UploadServer;
let client: Client;
const servers: Server[] = [];
beforeAll(async () => {
  place = await startUploadServer();
  ({ client } = place);
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => place.close());

type Result = { readonly statuses: number[]; readonly location: string | null };

function createTusUpload(file: Buffer, port: number, over: Partial<UploadOptions>): Upload {
  const options = {
    endpoint: `http://127.0.0.1:${port}${UPLOADS}`,
    protocol: 'ietf-draft-05',
    headers: { 'x-api-key': client.key! },
    retryDelays: [0, 10, 20, 50, 100, 100, 100, 100],
    onBeforeRequest(request) {
      request.setHeader('Upload-Draft-Interop-Version', '9');
      if (request.getMethod() !== 'POST') return;
      request.setHeader('Content-Type', 'image/jpeg');
      request.setHeader('Repr-Digest', digestField(file));
      request.setHeader('Asset-Metadata', encode(METADATA));
    },
    ...over,
  } satisfies UploadOptions & { protocol: string };
  return new Upload(file, options);
}

/** Resolves when the client says that it has succeeded. */
function upload(file: Buffer, port: number, over: Partial<UploadOptions> = {}): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const statuses: number[] = [];
  const started = createTusUpload(file, port, {
    onAfterResponse: (_request, response) => void statuses.push(response.getStatus()),
    onSuccess: () => resolve({ statuses, location: started.url }),
    onError: reject,
    ...over,
  });
  started.start();
  return promise;
}

async function expectWhole(file: Buffer): Promise<void> {
  expect((await place.original(file))?.equals(file)).toBe(true);
  expect(await place.findAsset(file)).toBeDefined();
}

test('uploads after an empty creation', async () => {
  const file = randomFileBytes(3_000_000) as Buffer;
  const { statuses, location } = await upload(file, client.port);
  expect(statuses).toEqual([201, 202]);
  expect(location).toStartWith(`http://127.0.0.1:${client.port}${UPLOADS}/`);
  await expectWhole(file);
});

test('uploads in parts', async () => {
  const file = randomFileBytes(1_000_000) as Buffer;
  const { statuses } = await upload(file, client.port, { chunkSize: 300_000 });
  expect(statuses).toEqual([201, 204, 204, 204, 202]);
  await expectWhole(file);
});

test('uploads the first part with the creation', async () => {
  const file = randomFileBytes(700_000) as Buffer;
  const more = { chunkSize: 300_000, uploadDataDuringCreation: true };
  expect((await upload(file, client.port, more)).statuses).toEqual([201, 204, 202]);
  await expectWhole(file);
});

/** Forwards, and cuts each of the first connections after some bytes. */
async function unreliable(cuts: readonly number[]): Promise<number> {
  const left = [...cuts];
  const server = createServer((near) => {
    const far = connect(client.port, '127.0.0.1');
    let budget = left.shift() ?? Infinity;
    const cut = () => {
      near.resetAndDestroy();
      // The part has arrived with the line breaks after it.
      far.end();
    };
    near.on('data', (bytes) => {
      far.write(bytes.subarray(0, Math.max(0, budget)));
      budget -= bytes.length;
      if (budget <= 0) cut();
    });
    far.on('data', (bytes) => near.write(bytes));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroySoon());
    }
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('resumes after the network fails', async () => {
  const file = randomFileBytes(8_000_000) as Buffer;
  const port = await unreliable([2_000_000, 300_000, 900_000, 400_000, 1_500_000]);
  const { statuses } = await upload(file, port);
  expect(statuses.at(-1)).toBe(202);
  expect(statuses.filter((status) => status === 204).length).toBeGreaterThan(1);
  await expectWhole(file);
});

test('an upload terminated by the client is deleted', async () => {
  const file = randomFileBytes(8_000_000) as Buffer;
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const started = createTusUpload(file, client.port, {
    chunkSize: 100_000,
    onChunkComplete: () => resolve(),
  });
  started.start();
  await begun;
  await started.abort(true);
  const gone = await fetch(started.url!, { headers: { 'x-api-key': client.key! } });
  expect(gone.status).toBe(404);
  expect(await place.findAsset(file)).toBeUndefined();
});
