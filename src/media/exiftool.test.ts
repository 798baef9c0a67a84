import { afterAll, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { createStill } from '../../test/support/live-photos.ts';
import { flat } from '../../test/fixtures/index.ts';
import { withTextChunk } from '../../test/support/bombs.ts';
import { listProcessTree } from '../core/process-memory.ts';
import { guardPath } from '../core/guarded-path.ts';
import { createExifTool } from './exiftool.ts';
import { residentBytes } from './process-stat.ts';
import { SAMPLE_MAKE } from './tool-samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'exiftool-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A stand-in for the tool that misbehaves as told; the real one cannot be made to hang on demand. */
async function toolThat(script: string): Promise<readonly string[]> {
  const path = join(folder, `tool-${Bun.hash(script)}`);
  await Bun.write(path, `#!/bin/sh\n${script}\n`);
  Bun.spawnSync(['chmod', '+x', path]);
  return [path];
}

/** A stand-in that answers with this make, and like the real tool for the file by which it is proven to work. */
const answer = (make: string, otherwise = '') => `make=${make}
  while read -r line; do case "$line" in
    */sample.jpg) make=${SAMPLE_MAKE};;
    ${otherwise}
    -execute*) printf '[{"SourceFile":"x","Make":"%s"}]\\n{ready%s}\\n' "$make" "\${line#-execute}"
      make=${make};;
  esac; done`;

test('few processes read many files', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, processes: 2 });
  const path = join(folder, 'empty');
  await Bun.write(path, '');
  const answers = await Promise.all(Array.from({ length: 20 }, () => exiftool.read(path)));
  expect(answers.map((tags) => tags['SourceFile'])).toEqual(Array.from({ length: 20 }, () => path));
  await exiftool.close();
});

/** Writes a line to `starts` when it starts, and never answers for /hang. */
const createCountingTool = (starts: string) =>
  toolThat(`echo >>${starts}\n${answer('x', '/hang) sleep 600;;')}`);
const countLines = async (path: string) => (await Bun.file(path).text()).length;

test('another process starts only for a file that has waited', async () => {
  const starts = join(folder, 'starts-of-one');
  const command = await createCountingTool(starts);
  const options = { files: FULL_FILE_ACCESS, command, processes: 4 };
  const patient = createExifTool({ ...options, startAfterMs: 600_000 });
  await Promise.all(Array.from({ length: 20 }, () => patient.read('/a')));
  expect(await countLines(starts)).toBe(1);
  await patient.close();
});

test('a file that takes long holds up no other', async () => {
  const starts = join(folder, 'starts-of-two');
  const command = await createCountingTool(starts);
  const exiftool = createExifTool({
    files: FULL_FILE_ACCESS,
    command,
    processes: 2,
    startAfterMs: 50,
    timeoutMs: 600_000,
  });
  const hanging = exiftool.read('/hang').catch((error: unknown) => error);
  const others = Array.from({ length: 5 }, () => exiftool.read('/a'));
  expect((await Promise.all(others)).length).toBe(5);
  expect(await countLines(starts)).toBe(2);
  await exiftool.close();
  await hanging;
});

test('a name with blanks, quotes, a leading dash and other scripts is only a name', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
  for (const name of ['-execute', '# comment', 'it\'s "x" $(id)', 'Фото 写真.jpg', '%f']) {
    const path = join(folder, name);
    await Bun.write(path, 'text');
    expect((await exiftool.read(path))['SourceFile']).toBe(path);
  }
  await exiftool.close();
});

test('an exiftool that is replaced by its package is started anew', async () => {
  const program = join(folder, 'replaced-exiftool');
  const starts = join(folder, 'replaced-starts');
  const install = async (version: string) => {
    await Bun.write(
      `${program}.new`,
      `#!/bin/sh\necho ${version} >> ${starts}\nexec exiftool "$@"\n`,
    );
    chmodSync(`${program}.new`, 0o755);
    renameSync(`${program}.new`, program);
  };
  await install('1');
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command: [program] });
  await exiftool.read('/etc/hostname');
  await exiftool.read('/etc/hostname');
  await install('2');
  await exiftool.read('/etc/hostname');
  await exiftool.close();
  expect(await Bun.file(starts).text()).toBe('1\n2\n');
});

test('a name that could become another argument is refused', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
  for (const path of ['a.jpg', '-ver', '/a\n-execute', '/a\r', '/a\0'])
    await expect(exiftool.read(path)).rejects.toThrow('absolute path');
  await expect(exiftool.extract('/a', 'Make -o x', '/b')).rejects.toThrow('tag name');
  await exiftool.close();
});

test('a missing file is no verdict, and the next one is read', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
  await expect(exiftool.read('/nowhere/x')).rejects.toMatchObject({ kind: 'interrupted' });
  expect((await exiftool.read('/etc/hostname'))['SourceFile']).toBe('/etc/hostname');
  await exiftool.close();
});

test('reads a folder that was created again or mounted since the process started', async () => {
  const incoming = join(folder, 'incoming');
  const exiftool = createExifTool({ files: { read: [incoming] }, processes: 1 });
  const path = join(incoming, 'still.jpg');
  for (const identifier of [crypto.randomUUID(), crypto.randomUUID()]) {
    rmSync(incoming, { recursive: true, force: true });
    await Bun.write(path, await createStill(identifier));
    expect((await exiftool.read(path))['ContentIdentifier']).toBe(identifier);
  }
  await exiftool.close();
});

test('photos without a tag are read by one process, also where it may read nothing that we write', async () => {
  const bare = join(folder, 'bare');
  const exiftool = createExifTool({ files: { read: [bare] }, processes: 1 });
  const read = async (name: string) => {
    const path = join(bare, name);
    await flat([1, 2, 3]).png().toFile(path);
    expect((await exiftool.read(path))['SourceFile']).toBe(path);
  };
  mkdirSync(bare);
  await read('a.png');
  const before = listProcessTree(process.pid);
  const started = new Set<number>();
  const watch = setInterval(() => {
    for (const pid of listProcessTree(process.pid)) if (!before.includes(pid)) started.add(pid);
  }, 10);
  for (const name of ['b.png', 'c.png', 'd.png']) await read(name);
  clearInterval(watch);
  expect([...started]).toEqual([]);
  await exiftool.close();
});

test('a guarded path is read by a process of its own, which may read nothing else, and not over links', async () => {
  const exiftool = createExifTool({ files: { read: [] } });
  const identifier = crypto.randomUUID();
  const path = join(realpathSync(folder), 'guarded.jpg');
  await Bun.write(path, await createStill(identifier));
  expect((await exiftool.read(guardPath(path)))['ContentIdentifier']).toBe(identifier);
  symlinkSync(path, `${path}.link`);
  await expect(exiftool.read(guardPath(`${path}.link`))).rejects.toMatchObject({
    kind: 'interrupted',
  });
  await expect(exiftool.extract(guardPath(path), 'Make', join(folder, 'make'))).rejects.toThrow(
    'absolute path',
  );
  await exiftool.close();
});

test('a hanging process is ended and replaced', async () => {
  const mark = join(folder, 'hung');
  const command = await toolThat(`
    if [ ! -e ${mark} ]; then touch ${mark}; exec sleep 100; fi
    ${answer('second')}`);
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command, timeoutMs: 5000 });
  // It does not follow on a proof that the tool works: so it is read once more.
  expect((await exiftool.read('/a'))['Make']).toBe('second');
  await exiftool.close();
});

test('hostile files together take no more memory than one of them, and a large file is read', async () => {
  const png = await flat([1, 2, 3]).png().toBuffer();
  const write = async (name: string, bytes: number) => {
    await Bun.write(join(folder, name), withTextChunk(png, bytes));
    return join(folder, name);
  };
  const [bomb, large] = [
    await write('bomb.png', 200_000_000),
    await write('large.png', 30_000_000),
  ];
  const exiftool = createExifTool({ files: { read: [folder] }, processes: 4 });
  let peak = 0;
  // Servers and browsers of other tests, too.
  const others = new Set(listProcessTree(process.pid));
  const sampler = setInterval(() => {
    const children = listProcessTree(process.pid).filter((pid) => !others.has(pid));
    peak = Math.max(
      peak,
      children.reduce((sum, pid) => sum + residentBytes(pid), 0),
    );
  }, 60);
  const read = (path: string) => exiftool.read(path).catch((error: unknown) => error);
  const bombs = await Promise.all(Array.from({ length: 3 }, () => read(bomb)));
  clearInterval(sampler);
  for (const error of bombs) expect(error).toMatchObject({ kind: 'interrupted' });
  expect(peak / 1024 ** 2).toBeWithin(50, 450);
  expect(await read(large)).toMatchObject({ SourceFile: large });
  await exiftool.close();
}, 120_000);

test('a crash is retried once in a new process, and the file is not blamed', async () => {
  const count = join(folder, 'crashes');
  const crashing = await toolThat(`echo x >> ${count}; ${answer('x', '/a) exit 9;;')}`);
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command: crashing });
  await exiftool.read('/b');
  await expect(exiftool.read('/a')).rejects.toMatchObject({ kind: 'interrupted' });
  // Three: for the file before, for the second try, and for the good file afterwards.
  expect((await Bun.file(count).text()).split('\n').filter(Boolean)).toHaveLength(3);
  await exiftool.close();
});

test('a missing exiftool throws ToolMissing, not a verdict on the file', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command: ['no-such-exiftool'] });
  await expect(exiftool.read('/a')).rejects.toMatchObject({ name: 'ToolMissing' });
  await expect(exiftool.read('/b')).rejects.toThrow('no-such-exiftool is not installed');
  await exiftool.close();
});

test.each([
  [
    'reads no EXIF of any file',
    `while read -r line; do case "$line" in
    -execute*) printf '[{"SourceFile":"x","FileType":"JPEG"}]\\n{ready%s}\\n' "\${line#-execute}";; esac; done`,
  ],
  ['ends at its start', `echo "Can't locate POSIX.pm in @INC" >&2; exit 2`],
  ['ends after the first line', 'read -r line; exit 2'],
])('an exiftool that %s tells nothing of a file', async (_, script) => {
  const command = await toolThat(script);
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command });
  await expect(exiftool.read('/a')).rejects.toMatchObject({ name: 'ToolBroken' });
  const target = join(folder, 'extracted');
  await expect(exiftool.extract('/a', 'Preview', target)).rejects.toMatchObject({
    name: 'ToolBroken',
  });
  await expect(exiftool.rewrite('/a', [], target)).rejects.toMatchObject({ name: 'ToolBroken' });
  await exiftool.close();
});

test('a process is replaced after its share of files', async () => {
  const count = join(folder, 'starts');
  const command = await toolThat(`echo x >> ${count}; ${answer('x')}`);
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command, filesPerProcess: 3 });
  for (let index = 0; index < 7; index++) await exiftool.read('/a');
  expect((await Bun.file(count).text()).split('\n').filter(Boolean)).toHaveLength(3);
  await exiftool.close();
});

test('without work the processes end, and start again on demand', async () => {
  const pid = join(folder, 'pid');
  const command = await toolThat(`echo $$ > ${pid}; ${answer('x')}`);
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS, command, idleMs: 20 });
  await exiftool.read('/a');
  const first = Number(await Bun.file(pid).text());
  while (isRunning(first)) await Bun.sleep(5);
  await exiftool.read('/a');
  expect(Number(await Bun.file(pid).text())).not.toBe(first);
  await exiftool.close();
});

test('ends when the server is killed', async () => {
  const driver = `import { stillWith } from '../../test/support/live-photos.ts';
import { createExifTool } from '${import.meta.dir}/exiftool.ts';
    await createExifTool({ files: { read: ['/'] } }).read('/etc/hostname');
    console.log(Bun.spawnSync(['pgrep', '-P', String(process.pid)]).stdout.toString().trim());
    setInterval(() => {}, 1000);`;
  const server = Bun.spawn([process.execPath, '-e', driver], { stdout: 'pipe' });
  const { value } = await server.stdout.getReader().read();
  const child = Number(new TextDecoder().decode(value).trim().split('\n')[0]);
  expect(isRunning(child)).toBe(true);
  server.kill('SIGKILL');
  while (isRunning(child)) await Bun.sleep(5);
});

test('after close nothing is read', async () => {
  const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
  await exiftool.close();
  await expect(exiftool.read('/etc/hostname')).rejects.toThrow('closed');
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
