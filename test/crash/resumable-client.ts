// A client that uploads files concurrently and prints each acknowledgement of the server as a line:
// bun resumable-client.ts <port> <key> <first file> <number of files>
import {
  creationHeaders,
  appendHeaders,
  UPLOADS,
  type HeaderChanges,
} from '../support/resumable.ts';
import { openConnection, formatHead } from '../support/wire.ts';
import { createFile } from './resumable-files.ts';

const [port, key, first, count] = process.argv.slice(2) as [string, string, string, string];
const client = { port: Number(port), key };

type Line = { n: number; location?: string; offset?: number; status?: number };
const say = (line: Line) => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function upload(n: number): Promise<void> {
  const file = createFile(n);
  // Some in one piece, some in parts, each of them slowly enough to be met in the middle.
  const part = n % 3 === 0 ? file.length : 30_000 + ((n * 104_729) % 90_000);
  let location: string | undefined;
  for (let from = 0; from < file.length; from += part) {
    const to = Math.min(file.length, from + part);
    const complete = { 'upload-complete': to === file.length ? '?1' : '?0' };
    const [route, headers]: [string, HeaderChanges] = location
      ? [`PATCH ${location}`, appendHeaders(client, from, complete)]
      : [`POST ${UPLOADS}`, creationHeaders(client, file, complete)];
    const wire = await openConnection(client.port);
    wire.write(formatHead(route, { ...headers, 'content-length': to - from }));
    const sending = (async () => {
      for (let at = from; at < to; at += 16_384) {
        wire.write(file.subarray(at, Math.min(to, at + 16_384)));
        await new Promise(setImmediate);
      }
    })();
    for (let message = await wire.message(); ; message = await wire.message()) {
      if (!message) return;
      const { status } = message;
      const given = message.headers['location'];
      if (given && !location) {
        location = given;
        say({ n, location });
      }
      const told = message.headers['upload-offset'];
      if (told !== undefined) say({ n, offset: Number(told) });
      if (status < 200) continue;
      say({ n, status });
      if (status >= 300) return;
      break;
    }
    await sending;
    wire.socket.destroy();
  }
}

await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    upload(Number(first) + index).catch(() => {}),
  ),
);
