import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// The scripts of the package run as root and read the settings of the service: as systemd does, and never as a script.

const APPLIANCE = join(import.meta.dir, '../appliance');
const folder = mkdtempSync(join(tmpdir(), 'package-scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, 'safelight.env');
const EXECUTED = join(folder, 'executed');
const touch = `touch ${EXECUTED}`;
const read = (name: string): string => readFileSync(join(APPLIANCE, name), 'utf8');

function run(...command: string[]) {
  const env = { PATH: process.env['PATH'], SAFELIGHT_DATA: '/default' };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder, env });
  return { code: exitCode, out: stdout.toString(), error: stderr.toString() };
}

const expectNothingExecuted = () => expect(readdirSync(folder)).not.toContain('executed');

/** Settings, and their values by systemd.exec(5). */
const VALUES: readonly [string, string][] = [
  ['X=plain', 'plain'],
  ['  X = a word  \t', 'a word'],
  [`X=it's (a password)`, `it's (a password)`],
  [`X=$(${touch})`, `$(${touch})`],
  [`X="\`${touch}\`; ${touch} & $HOME"`, `\`${touch}\`; ${touch} & $HOME`],
  [`X='a "b" \\'`, 'a "b" \\'],
  ['X="a \\"b\\" \\$c \\\\ \\d"', 'a "b" $c \\ \\d'],
  ['X=a\\ \\"b\\"\\\\', 'a "b"\\'],
  ['X="two\nlines"', 'two\nlines'],
  ['X=one \\\nline', 'one line'],
  ['X="one \\\nline"', 'one line'],
  [`X="a"'b' c`, 'abc'],
  ['X=a#b;c', 'a#b;c'],
  ['X=postgres://u:p%27@h/d?a=b', 'postgres://u:p%27@h/d?a=b'],
  ['X=Größe', 'Größe'],
  ['X=first\r\nY=y\r\nX=last\r\n', 'last'],
  ['# X=a\n;X=b\n#\nX=c', 'c'],
  ['X=', ''],
  ['X', ''],
  ['export X=a', ''],
  ['X.Y=a\n1X=b\n=X=c', ''],
  [`${touch}\n. ${FILE}\nX=a`, 'a'],
  ['X="never closed', 'never closed'],
];

test.each(VALUES)('%j is read as systemd reads it', (text, value) => {
  writeFileSync(FILE, text);
  expect(run(join(APPLIANCE, 'debian/settings'), FILE, 'X')).toEqual({
    code: 0,
    out: value,
    error: '',
  });
  expectNothingExecuted();
});

test('a file that is missing or no text has no settings', () => {
  writeFileSync(FILE, Buffer.from('X=a\nY=\xff\n', 'latin1'));
  for (const path of [FILE, join(folder, 'missing')]) {
    expect(run(join(APPLIANCE, 'debian/settings'), path, 'X')).toMatchObject({ code: 0, out: '' });
  }
});

test('a command has the settings in its environment, and its own arguments', () => {
  writeFileSync(FILE, `SAFELIGHT_DATA="/srv/it's $(${touch})"\n`);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\nprintf "%s|" "$SAFELIGHT_DATA" "$@"; exit 3\n', {
    mode: 0o755,
  });
  const script = read('debian/command')
    .replaceAll('/usr/lib/safelight/safelight', program)
    .replaceAll('/usr/lib/safelight/settings', join(APPLIANCE, 'debian/settings'))
    .replaceAll('/etc/safelight/safelight.env', FILE);
  const { code, out } = run('sh', '-c', script, 'safelight', 'a b', '--', '$(x)');
  expect([code, out]).toEqual([3, `/srv/it's $(${touch})|a b|--|$(x)|`]);
  rmSync(FILE);
  expect(run('sh', '-c', script, 'safelight').out).toBe('/default|');
  expectNothingExecuted();
});

test('an upgrade goes on, and a downgrade is refused with the way back unless somebody insists', () => {
  const fill = /^fill\(\) \{\n.*?^\}$/ms.exec(read('package.sh'))![0];
  const values = `debian=${APPLIANCE}/debian version=1.0 architecture=amd64 size=1`;
  const { out: script } = run('sh', '-c', `${values}\n${fill}\nfill preinst`);
  expect(script).not.toMatch(/@[A-Z]+@/);
  const preinst = (version: string, before = '') =>
    run('sh', '-c', `${before}\n${script}`, 'preinst', 'upgrade', version);
  expect(preinst('0.9')).toEqual({ code: 0, out: '', error: '' });
  const refused = preinst('1.1');
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.error).toContain('safelight maintenance restore');
  expect(preinst('1.1', 'SAFELIGHT_ALLOW_DOWNGRADE=1')).toEqual({ code: 0, out: '', error: '' });
});

describe('the installation', () => {
  /** Runs the script with programs that only note how they were called; returns the calls. */
  function configure(version: string, isActive = true): string[] {
    const bin = join(folder, 'bin');
    const calls = join(folder, 'calls');
    mkdirSync(bin, { recursive: true });
    for (const name of ['systemd-sysusers', 'systemd-tmpfiles', 'deb-systemd-helper', 'chgrp']) {
      writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
    }
    const code = isActive ? 0 : 3;
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
    for (const name of ['deb-systemd-invoke', 'safelight']) {
      // A preparation may fail.
      const note = `#!/bin/sh\necho "${name} $*" >>${calls}\n[ "$1" != migrate ]\n`;
      writeFileSync(join(bin, name), note, { mode: 0o755 });
    }
    const script = read('debian/postinst')
      .replaceAll('/run/systemd/system', bin)
      .replaceAll('/usr/lib/safelight', join(folder, 'lib'));
    rmSync(calls, { force: true });
    const path = `PATH=${bin}:$PATH`;
    expect(run('sh', '-c', `${path}\n${script}`, 'postinst', 'configure', version).code).toBe(0);
    return readFileSync(calls, 'utf8').trim().split('\n');
  }

  const start = (action: string) => [
    `deb-systemd-invoke ${action} safelight.service`,
    'safelight status --wait 1800',
  ];

  test('of a newer version makes the backup and the migrations while the one before serves', () => {
    const prepared = ['safelight maintenance backup --before-update', 'safelight migrate'];
    expect(configure('0.9')).toEqual([...prepared, ...start('restart')]);
  });

  test('leaves them to the start where no server runs', () => {
    expect(configure('0.9', false)).toEqual(start('restart'));
    expect(configure('')).toEqual(start('start'));
  });
});

test('no script sources the settings', () => {
  const scripts = readdirSync(APPLIANCE, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile() && !/\.(?:webp|md)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(APPLIANCE, join(parentPath, name)))
    .filter((name) => read(name).startsWith('#!'));
  expect(scripts).toEqual(expect.arrayContaining(['debian/preinst', 'install.sh']));
  for (const name of scripts) {
    const sourced = [...read(name).matchAll(/(?:^|[;&|({]|\bthen|\bdo)\s*(?:\.|source)\s+(\S+)/gm)]
      .map((match) => match[1]!)
      // Parts of the system, which are scripts.
      .filter((path) => !/^\/(?:etc\/os-release|scripts|usr\/share\/initramfs-tools)\b/.test(path));
    expect([name, sourced]).toEqual([name, []]);
  }
});
