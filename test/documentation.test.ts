import { describe, expect, test } from 'bun:test';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPath } from '../src/areas/admin-config/paths.ts';
import { COMMANDS } from '../src/commands/table.ts';
import { loadCommand, loadSettings, SETTING_FLAGS } from '../src/core/settings.ts';
import { SETTINGS } from '../src/core/setting-table.ts';
import { renderDocument, toAnchor } from '../native/documents.ts';
import { documents } from '../src/web/pages/help/documents.ts';
import { unconnectedApp } from './contract/report.ts';

// The commands, flags, settings, targets, operations and files that the documentation names are there. The
// configurations of reverse proxies are run by test/e2e/reverse-proxies.test.ts, the package by test/appliance.

const ROOT = join(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = readdirSync(join(ROOT, 'appliance/docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `appliance/docs/${name}`);
const PATHS = ['README.md', 'appliance/README.md', ...PAGES];
const DOCUMENTS = [...PATHS, 'appliance/compose.yaml'].map(read);
const PACKAGE = readdirSync(join(ROOT, 'appliance/debian')).map((name) =>
  read(`appliance/debian/${name}`),
);
const TEXT = [...DOCUMENTS, ...PACKAGE].join('\n');

const findAll = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match[1]!)),
];

/** Lines of code of a document, and the code within its sentences, without comments. */
const CODE = [
  ...findAll(TEXT, /^ {4}(?!\s)(.*)$/gm),
  ...findAll(TEXT, /`([^`\n]+)`/g),
  ...findAll(TEXT, /^ {2}(safelight .*)$/gm),
].map((line) => line.replace(/\s+#.*$/, '').trim());

const CALLS = [
  ...new Set(
    CODE.flatMap((line) => /^(?:sudo )?(?:dist\/)?safelight ([a-z-].*)$/.exec(line)?.[1] ?? []),
  ),
].filter((call) => !call.startsWith('--'));

/** Returns the words that a usage begins with, as `list` and `pull` of "list | pull | rm TASK/NAME". */
const listActions = (usage: string): string[] =>
  usage.includes('|') ? findAll(usage, /(?:^|[(|])\s*([a-z][a-z-]*)/g) : [];

const loadSpec = async (name: string) => (await COMMANDS.get(name)!.load()).command;

describe('commands', () => {
  test('are found in the documentation', () => {
    expect(CALLS).toContain('maintenance backup --to /mnt/disk');
    expect(CALLS.length).toBeGreaterThan(20);
  });

  test.each(CALLS)('safelight %s', async (call) => {
    const [name = '', ...rest] = call.split(/\s+/);
    expect([...COMMANDS.keys()]).toContain(name);
    const command = await loadSpec(name);
    const { words } = loadCommand(rest, {}, command);
    const actions = listActions(command.usage ?? '');
    if (words[0] !== undefined && actions.length > 0) expect(actions).toContain(words[0]);
    if (name === 'config' && words[1] !== undefined) expect(isPath(words[1])).toBe(true);
  });

  test('the table of commands names what each can do', async () => {
    const table = read('appliance/docs/commands.md');
    for (const [, names, does] of table.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)) {
      for (const name of findAll(names!, /`([a-z-]+)`/g)) {
        expect([...COMMANDS.keys()]).toContain(name);
        const actions = listActions((await loadSpec(name)).usage ?? '');
        for (const action of actions.length > 0 ? findAll(does!, /`([a-z-]+)`/g) : []) {
          expect([name, actions]).toEqual([name, expect.arrayContaining([action])]);
        }
      }
    }
  });
});

test('every flag that is named is one of a command or a setting', async () => {
  const flags = new Set(['--help', ...SETTING_FLAGS.map(({ flag }) => flag)]);
  for (const name of COMMANDS.keys()) {
    for (const { flag } of (await loadSpec(name)).flags ?? []) flags.add(flag);
  }
  const named = findAll(TEXT, /`(--[a-z-]+)[^`]*`/g);
  expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

test('every variable that is named is a setting', () => {
  const known = new Set(Object.values(SETTINGS).map(({ env }) => env));
  const named = findAll(TEXT, /\b(SAFELIGHT_[A-Z_]+)\b/g);
  // The package reads it itself.
  const others = named.filter((name) => !known.has(name) && name !== 'SAFELIGHT_ALLOW_DOWNGRADE');
  expect(others).toEqual([]);
});

test('the settings of the package that are commented out are valid', () => {
  const lines = findAll(read('appliance/debian/safelight.env'), /^#([A-Z_]+=.*)$/gm);
  expect(lines.length).toBeGreaterThan(4);
  const variables = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  expect(loadSettings([], variables)).toMatchObject({ https: 'self-signed', port: 2283 });
});

test('every target of make that is named is in the Makefile', () => {
  const targets = new Set(findAll(read('Makefile'), /^([a-z-]+):/gm));
  const named = CODE.flatMap((line) => /^make ([a-z-]+)/.exec(line)?.[1] ?? []);
  expect(named.filter((name) => !targets.has(name))).toEqual([]);
  expect(named).toContain('test-appliance');
});

test('every operation that is named is one of the API', () => {
  const routes = unconnectedApp().routes.map(
    ({ method, path }) => `${method} ${path.replace(/\/$/, '')}`,
  );
  const named = [...TEXT.matchAll(/`(?:(GET|POST|PUT|DELETE) )?(\/api\/[\w/-]+)`/g)];
  const missing = named.filter(([, method, path]) =>
    method
      ? !routes.includes(`${method} ${path}`)
      : !routes.some((route) => route.endsWith(` ${path}`)),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
});

test('every file of the project that is named is there', () => {
  const named = findAll(
    DOCUMENTS.join('\n'),
    /`((?:src|migrations|appliance|test|native)\/[\w./-]+)`/g,
  );
  // Measurements are written by the command beside it.
  const missing = named.filter(
    (path) => !existsSync(join(ROOT, path)) && !path.endsWith('/figures.md'),
  );
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
});

test('the configurations of Prometheus and Compose are YAML of the form that these read', () => {
  const scrape = /^ {4}(scrape_configs:\n(?: {4}.*\n)+)/m.exec(
    read('appliance/docs/monitoring.md'),
  )![1]!;
  expect(Bun.YAML.parse(scrape.replaceAll(/^ {4}/gm, ''))).toMatchObject({
    scrape_configs: [
      { job_name: 'safelight', static_configs: [{ targets: [expect.any(String)] }] },
    ],
  });
  expect(Bun.YAML.parse(read('appliance/compose.yaml'))).toMatchObject({
    services: { safelight: { ports: ['2283:2283'], volumes: ['./data:/data'] } },
  });
});

test('the shell scripts and lines are ones that a shell can read', () => {
  const scripts = ['appliance/setup.sh', 'appliance/install.sh', 'appliance/package.sh'].map(read);
  const maintainer = PACKAGE.filter((text) => text.startsWith('#!/bin/sh'));
  const lines = CODE.filter((line) => /^(?:sudo|make|dist|safelight) /.test(line));
  const plain = lines.map((line) => line.replaceAll(/<[a-z]+>/g, 'x'));
  for (const script of [...scripts, ...maintainer, ...plain]) {
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-n'], { stdin: Buffer.from(script) });
    expect([script.slice(0, 80), exitCode, stderr.toString()]).toEqual([
      script.slice(0, 80),
      0,
      '',
    ]);
  }
});

describe('the documentation', () => {
  test('begins with a README that is read to its end', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120);
  });

  const CHAPTERS = globSync('src/**/README.md', { cwd: ROOT });
  const MAPS = [...CHAPTERS, 'migrations/README.md', 'test/README.md'];
  const ALL = [...PATHS, ...MAPS];
  test.each(ALL)('%s has no dead links', (path) => {
    const folder = join(ROOT, path, '..');
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const dead = links.filter((link) => !isAlive(folder, path, link));
    expect(dead).toEqual([]);
  });

  function isAlive(folder: string, from: string, link: string): boolean {
    if (/^https?:/.test(link)) return true;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? join(ROOT, from) : join(folder, file);
    if (!existsSync(path)) return false;
    if (anchor === undefined) return true;
    const headings = findAll(readFileSync(path, 'utf8'), /^#+ (.+)$/gm);
    return headings.some((heading) => toAnchor(heading) === anchor);
  }

  test('names helpers of tests that are in the file beside them', () => {
    const rows = [...read('test/README.md').matchAll(/\| `(\w+)\(.*` +\| \[.*\]\((\S+)\) +\|$/gm)];
    const missing = rows.filter(
      ([, name, file]) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(read(`test/${file}`)),
    );
    expect(missing.map(([row]) => row)).toEqual([]);
    expect(rows.length).toBeGreaterThan(20);
  });

  test('links to every page', () => {
    const index = read('appliance/docs/README.md');
    const linked = findAll(index, /\]\(([\w-]+)\.md\)/g).toSorted(byName);
    const pages = PAGES.map((path) => /([\w-]+)\.md$/.exec(path)![1]!);
    expect(linked).toEqual(pages.filter((name) => name !== 'README').toSorted(byName));
    const shown = Object.keys(documents).filter((name) => name !== '');
    expect(shown.toSorted(byName)).toEqual(linked);
  });
  const byName = (a: string, b: string): number => (a < b ? -1 : 1);

  test('is rendered with its own anchors, and with links to pages of Help', () => {
    const markdown =
      '# Title\n\n## While it runs\n\n[a](backup.md#x) [b](README.md) `<i>`\n\n    a < b\n';
    expect(renderDocument(markdown)).toEqual({
      title: 'Title',
      html:
        '<h2 id="while-it-runs">While it runs</h2>\n' +
        '<p><a href="/help/backup#x">a</a> <a href="/help">b</a> <code>&lt;i&gt;</code></p>\n' +
        '<pre tabindex="0"><code>a &lt; b</code></pre>\n',
    });
  });

  test('names the version in its changelog, newest first', () => {
    const [newest] = findAll(
      read('appliance/docs/changelog.md'),
      /^## (\S+) \(\d{4}-\d\d-\d\d\)$/gm,
    );
    expect(newest).toBe(JSON.parse(read('package.json')).version);
  });
});
