import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { getProgram } from '../../../test/support/program.ts';
import { smallTflite } from '../../../test/support/tflite.ts';
import { until } from '../../../test/support/until.ts';
import { MediaHostUnavailable } from '../../core/errors.ts';
import { guardPath } from '../../core/guarded-path.ts';
import { convertTfliteFile } from '../../inference/preparation.ts';
import { convertTflite } from '../../inference/prepare/tflite/convert.ts';
import { callImageChild, closeImageChildren } from '../image-children.ts';
import { probe } from '../probe.ts';
import { readProcessStat } from '../process-stat.ts';
import { runTool, setMediaHost, spawnTool } from '../tool-process.ts';
import { createExifTool } from '../exiftool.ts';
import { isMediaHostReachable } from './client.ts';
import { FRAME, writeFrame } from './frames.ts';

const LIMITS = { timeoutMs: 600_000 };
/** Frames of noise without end, and none. */
const ENDLESS = ['-nostdin', '-v', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x64'];

const folder = mkdtempSync(join(tmpdir(), 'media-host-'));
const path = join(folder, 'socket');
let host: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;

async function startHost(): Promise<void> {
  host = Bun.spawn([...getProgram(), 'media-host', '--media-socket', path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await until(() => isMediaHostReachable(path));
}

beforeAll(async () => {
  await startHost();
  setMediaHost({ mediaSocket: path, groupAccess: 'none' });
});
afterEach(() => closeImageChildren());
afterAll(async () => {
  setMediaHost({ mediaSocket: undefined, groupAccess: 'none' });
  host.kill('SIGTERM');
  await host.exited;
  rmSync(folder, { recursive: true });
});

const isRunning = (pid: number) => (readProcessStat(pid)?.state ?? 'Z') !== 'Z';
const listChildren = (): number[] =>
  readFileSync(`/proc/${host.pid}/task/${host.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter(isRunning);

/** Starts ffmpeg in the host, which writes until it is ended. */
async function startEndless() {
  const output = join(folder, 'endless.rgb');
  rmSync(output, { force: true });
  const command = ['ffmpeg', ...ENDLESS, '-f', 'rawvideo', output];
  const abort = new AbortController();
  const result = runTool(command, { ...LIMITS, output, signal: abort.signal });
  result.catch(() => {});
  await until(() => listChildren().length === 1 && existsSync(output));
  return { abort, result, pid: listChildren()[0]! };
}

test('the socket is for its user only', () => {
  // It can be reached a moment before it loses the right of its owner to execute it.
  expect(statSync(path).mode & 0o077).toBe(0);
});

test('tools are children of the host, with their output and exit code', async () => {
  const { code, stdout } = await runTool(['ffprobe', '-version'], LIMITS);
  expect([code, stdout.split(' ')[0]]).toEqual([0, 'ffprobe']);
  const missing = join(folder, 'missing.mp4');
  const failed = await runTool(['ffprobe', '-v', 'error', missing], LIMITS);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('No such file');
});

test('a guarded path is opened in the host, and a link in it says nothing about the file', async () => {
  const clip = join(realpathSync(folder), 'clip.mp4');
  makeClip(clip, ['-f', 'lavfi', '-i', 'color=size=64x48', '-frames:v', '1']);
  expect((await probe(guardPath(clip))).video).toMatchObject({ width: 64, height: 48 });
  symlinkSync(clip, `${clip}.link`);
  await expect(probe(guardPath(`${clip}.link`))).rejects.toMatchObject({ kind: 'interrupted' });
});

test('pictures are decoded by a child of the host', async () => {
  const file = join(folder, 'picture.jpg');
  await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c63' } })
    .jpeg()
    .toFile(file);
  const { light } = await callImageChild({ op: 'looks', path: file });
  expect(light.length).toBeGreaterThan(0);
  expect(listChildren()).toHaveLength(1);
});

test('models are rewritten by a child of the host, and written by its server', async () => {
  const model = join(folder, 'model.tflite');
  await Bun.write(model, smallTflite());
  await convertTfliteFile(model, `${model}.onnx`);
  expect(await readFile(`${model}.onnx`)).toEqual(Buffer.from(convertTflite(smallTflite())));
});

test('exiftool is the one that this program brings along', async () => {
  const file = join(realpathSync(folder), 'sidecar.xmp');
  // That of Debian 12 reads nothing of it.
  const xmp = `<?xpacket begin="∩╗┐" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta
    xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/>
    </rdf:RDF></x:xmpmeta>`;
  await Bun.write(file, Buffer.from(`\uFEFF${xmp}`, 'utf16le'));
  const exiftool = createExifTool({ files: { read: [file] } });
  const reading = exiftool.read(file);
  await until(() => listChildren().length === 1);
  expect((await reading)['Rating']).toBe(4);
  await exiftool.close();
});

test('a program that reads its input to the end ends with it', async () => {
  const raw = ['-f', 's16le', '-ar', '8000', '-ac', '1'];
  const child = spawnTool(
    ['ffmpeg', '-nostdin', '-v', 'error', ...raw, '-i', 'pipe:0', '-f', 's16le', 'pipe:1'],
    { cpuSeconds: 30 },
    { stdin: 'pipe', stderr: 'ignore' },
  );
  child.stdin.write(new Uint8Array(16_000));
  child.stdin.end();
  expect((await new Response(child.stdout).bytes()).length).toBe(16_000);
  expect(await child.exited).toBe(0);
});

test('200 MB pass as fast as they are read, and no faster', async () => {
  const size = 200_000_000;
  const source = ['-f', 'lavfi', '-i', 'color=size=1000x1000:rate=1:duration=200'];
  const child = spawnTool(
    ['ffmpeg', '-nostdin', '-v', 'error', ...source, '-pix_fmt', 'gray'].concat([
      '-f',
      'rawvideo',
      'pipe:1',
    ]),
    {},
    { stdin: 'ignore', stderr: 'ignore' },
  );
  await until(() => listChildren().length === 1);
  const reader = child.stdout.getReader();
  let received = (await reader.read()).value!.length;
  const written = () =>
    Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${listChildren()[0]}/io`, 'utf8'))![1]);
  // ffmpeg waits with all but what lies in pipes and buffers.
  let last = -1;
  await until(async () => {
    const before = last;
    last = written();
    await Bun.sleep(200);
    return before === last;
  });
  expect(last).toBeLessThan(20_000_000);
  for (let part; !(part = await reader.read()).done;) received += part.value.length;
  expect([received, await child.exited]).toEqual([size, 0]);
});

test('an aborted tool is ended in the host, and awaited', async () => {
  const { abort, result, pid } = await startEndless();
  abort.abort(new Error('enough'));
  await expect(result).rejects.toThrow('enough');
  expect(isRunning(pid)).toBe(false);
});

test('a child ends with the connection of its server', async () => {
  const module = join(import.meta.dir, '../tool-process.ts');
  const script = `const { setMediaHost, runTool } = await import(${JSON.stringify(module)});
    setMediaHost({ mediaSocket: ${JSON.stringify(path)}, groupAccess: 'none' });
    await runTool(${JSON.stringify(['ffmpeg', ...ENDLESS, '-f', 'null', '-'])}, { timeoutMs: 600_000 });`;
  const server = Bun.spawn([process.execPath, '-e', script]);
  await until(() => listChildren().length === 1);
  const [pid] = listChildren();
  server.kill('SIGKILL');
  await until(() => !isRunning(pid!));
});

test('refuses what is not in its table', async () => {
  for (const command of [
    ['sh', '-c', 'true'],
    ['/usr/bin/ffmpeg', '-version'],
    ['exiftool', '-config', '/tmp/own', '-@', '-'],
    ['image-worker', '--help'],
    ['ffmpeg', '-i', '/etc/passwd'],
  ]) {
    await expect(runTool(command, LIMITS)).rejects.toThrow('The media host refused');
  }
  await expect(
    runTool(['ffprobe', '-version'], { ...LIMITS, files: { read: ['relative'] } }),
  ).rejects.toThrow('Absolute paths are expected');
  expect(listChildren()).toEqual([]);
});

test('ends a connection that sends something else', async () => {
  for (const send of [
    (socket: ReturnType<typeof connect>) => socket.write('GET / HTTP/1.1\r\n\r\n'),
    (socket: ReturnType<typeof connect>) => void writeFrame(socket, FRAME.input, 'bytes'),
    (socket: ReturnType<typeof connect>) => void writeFrame(socket, FRAME.start, 'null'),
  ]) {
    const socket = connect(path);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {}).resume();
    send(socket);
    await closed;
  }
  expect((await runTool(['ffprobe', '-version'], LIMITS)).code).toBe(0);
});

test('a killed host takes its children along; the next one serves', async () => {
  const { result, pid } = await startEndless();
  host.kill('SIGKILL');
  await expect(result).rejects.toMatchObject({
    kind: 'killed',
    message: 'The media host ended, and ffmpeg with it',
  });
  await until(() => !isRunning(pid));
  await host.exited;
  await startHost();
  expect((await runTool(['ffprobe', '-version'], LIMITS)).code).toBe(0);
});

test('without a host nothing is started, and the error is not about the file', async () => {
  host.kill('SIGTERM');
  await host.exited;
  const calls = await Promise.allSettled([
    runTool(['ffprobe', '-version'], LIMITS),
    callImageChild({ op: 'looks', path: '/a' }),
  ]);
  for (const call of calls)
    expect(call).toEqual({ status: 'rejected', reason: expect.any(MediaHostUnavailable) });
  await startHost();
});
