import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { type Container, prepareBase, startContainer } from './container.ts';
import { buildPackage, ROOT, VERSION } from './packages.ts';

// The Debian package from its installation to its removal, in one container: each test goes on from the one before.

setDefaultTimeout(600_000);

const OLD = VERSION;
const BROKEN = `${OLD}+broken`;
const NEW = `${OLD}+next`;
const MAX_EXPOSURE = 1.5;

const packages = mkdtempSync(join(tmpdir(), 'appliance-test-'));
let container: Container;
let apiKey: string;
beforeAll(async () => {
  buildPackage(OLD, packages);
  for (const [version, entry] of [
    [BROKEN, 'failing-update'],
    [NEW, 'next-update'],
  ] as const) {
    const program = join(packages, entry);
    const build = ['native/build.ts', `--entry=test/fixtures/${entry}.ts`, `--out=${program}`];
    expect(Bun.spawnSync([process.execPath, ...build], { cwd: ROOT }).exitCode).toBe(0);
    buildPackage(version, packages, program);
  }
  createRelease();
  container = await startContainer(prepareBase(), packages);
});
afterAll(async () => {
  await container?.stop();
  rmSync(packages, { recursive: true });
});

/** The folder of a release with the old version. */
function createRelease(): void {
  const release = join(packages, 'release');
  mkdirSync(release);
  const name = readdirSync(packages).find((file) => file.startsWith(`safelight_${OLD}_`))!;
  linkSync(join(packages, name), join(release, name));
  copyFileSync(join(ROOT, 'appliance/install.sh'), join(release, 'install.sh'));
  const digest = new Bun.CryptoHasher('sha256').update(readFileSync(join(release, name)));
  writeFileSync(join(release, 'SHA256SUMS'), `${digest.digest('hex')}  ${name}\n`);
}

const install = (version: string) => `dpkg --install /packages/safelight_${version}_*.deb`;
const API = 'http://localhost:2283/api';
const isServing = async () =>
  (await container.run(`curl -sf ${API}/server/ping`)).out === '{"res":"pong"}';
const request = (path: string, flags = '') =>
  container.expectRun(`curl -sf -H 'x-api-key: ${apiKey}' ${flags} '${API}${path}'`);
const show = async (property: string) =>
  (await container.expectRun(`systemctl show safelight -p ${property}`)).split('=')[1]!;
const countAssets = async (): Promise<number> =>
  JSON.parse(await request('/assets/statistics')).total;
const exists = async (path: string) => (await container.run(`test -e ${path}`)).code === 0;

test('install.sh refuses a package that is not what was released', async () => {
  for (const change of ['s/^./x/', 's/safelight/other/']) {
    await container.expectRun('rm -rf /tmp/release && cp -r /packages/release /tmp');
    await container.expectRun(`sed -i '${change}' /tmp/release/SHA256SUMS`);
    const { code, out } = await container.run('/tmp/release/install.sh');
    expect(code).toBe(1);
    expect(out).toMatch(/damaged|not listed/);
  }
  await container.expectRun('rm -r /tmp/release');
  expect(await exists('/usr/lib/safelight')).toBe(false);
});

test('install.sh installs, and the service runs as a user of its own when it ends', async () => {
  const out = await container.expectRun('/packages/release/install.sh');
  expect(out).toContain(
    `Safelight runs: open http://${await container.expectRun('hostname')}:2283`,
  );
  expect(await isServing()).toBe(true);
  expect(await show('StatusText')).toStartWith('Serving at http');
  const modes = await container.expectRun(
    `stat -c '%U:%G %a' /etc/safelight/safelight.env /var/lib/safelight/originals /usr/lib/safelight/safelight`,
  );
  expect(modes.split('\n')).toEqual([
    'root:safelight 640',
    'safelight:safelight 700',
    'root:root 755',
  ]);
  expect(
    await container.expectRun('ps -o user= -p $(systemctl show safelight -p MainPID --value)'),
  ).toBe('safelight');
  expect(await container.expectRun('systemctl is-enabled safelight')).toBe('enabled');
  expect(await container.expectRun('systemctl --failed --plain --no-legend')).toBe('');
});

test('install.sh names the addresses by the settings of the service', async () => {
  const list = `eval "$(sed -n '/^setting()/,/^)/p' /packages/release/install.sh)"; list_addresses`;
  const file = '/etc/safelight/safelight.env';
  const name = await container.expectRun('hostname');
  await container.expectRun(`cp -p ${file} /root/settings.env`);
  for (const [settings, address] of [
    ['', `http://${name}:2283`],
    ['SAFELIGHT_PORT=80', `http://${name}`],
    ['SAFELIGHT_HTTPS=self-signed SAFELIGHT_PORT=8443', `https://${name}:8443`],
    ['SAFELIGHT_TLS_CERT=/c.pem SAFELIGHT_PORT=443 SAFELIGHT_HOST=192.0.2.7', 'https://192.0.2.7'],
    ['SAFELIGHT_HOST=2001:db8::7', 'http://[2001:db8::7]:2283'],
  ]) {
    await container.expectRun(`printf '%s\\n' ${settings} > ${file}`);
    expect([settings, await container.expectRun(list)]).toEqual([settings, address]);
  }
  await container.expectRun(`cp -p /root/settings.env ${file}`);
});

test('the changelog says what has changed in this version', async () => {
  const text = await container.expectRun('zcat /usr/share/doc/safelight/changelog.gz');
  expect(text).toStartWith(`safelight (${OLD}) stable`);
  expect(text.split('\n').filter((line) => line.startsWith('  * ')).length).toBeGreaterThan(3);
});

test('the units are as confined as they can be', async () => {
  for (const unit of ['safelight', 'safelight-media']) {
    const out = await container.expectRun(`systemd-analyze security ${unit} --no-pager`);
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(out)?.[1]);
    console.log(`exposure of ${unit} ${exposure}`);
    expect(exposure).toBeLessThanOrEqual(MAX_EXPOSURE);
  }
});

test('the kernel shares the processor by the units, not by the sessions of their children', async () => {
  const out = await container.expectRun(
    'systemctl show --property=CPUWeight --value safelight safelight-media',
  );
  expect(out.split(/\s+/)).toEqual(['100', '100']);
});

test('the command line finds the library, the manual and the completion are there', async () => {
  const created = await container.expectRun('safelight admin create owner@example.org');
  expect(created).toContain('password:');
  const key = await container.expectRun('safelight admin api-key owner@example.org');
  apiKey = /\S{32,}/.exec(key)![0];
  expect(await countAssets()).toBe(0);
  expect(await container.expectRun('zcat /usr/share/man/man1/safelight.1.gz')).toContain(
    'SAFELIGHT_PORT',
  );
  const completed = await container.expectRun(
    `. /usr/share/bash-completion/completions/safelight; COMP_WORDS=(safelight admin li) COMP_CWORD=2; _safelight; echo "\${COMPREPLY[@]}"`,
  );
  expect(completed).toBe('list');
});

test('the confined service decodes photos and videos, and unpacks nothing outside its folders', async () => {
  await container.expectRun(`cd /tmp && ffmpeg -loglevel error -y -f lavfi -i testsrc=size=640x480 -frames:v 1 photo.jpg &&
    heif-enc -q 50 photo.jpg -o photo.heic >/dev/null &&
    ffmpeg -loglevel error -y -f lavfi -i testsrc=size=640x480:rate=5 -t 2 -pix_fmt yuv420p video.mp4`);
  for (const file of ['photo.jpg', 'photo.heic', 'video.mp4']) {
    const id = await upload(file);
    await until(() => hasThumbnail(id), 300_000);
  }
  expect(await countAssets()).toBe(3);
  expect(await container.expectRun('ls -d /var/tmp/safelight* 2>/dev/null || true')).toBe('');
});

async function upload(file: string): Promise<string> {
  const form = `-F deviceAssetId=${file} -F deviceId=test -F fileCreatedAt=2026-01-01T00:00:00Z -F fileModifiedAt=2026-01-01T00:00:00Z -F assetData=@/tmp/${file}`;
  return JSON.parse(await request('/assets', form)).id;
}

async function hasThumbnail(id: string): Promise<boolean> {
  const picture = `curl -sf -o /dev/null -H 'x-api-key: ${apiKey}' ${API}/assets/${id}/thumbnail`;
  return (await container.run(picture)).code === 0;
}

test('root backs the library up to a new disk while it is served, by the command of the documentation', async () => {
  const disk = 'mkdir /mnt/disk && mount -t tmpfs -o mode=755 none /mnt/disk';
  await container.expectRun(`${disk} && mkdir /mnt/disk/lost+found`);
  const out = await container.expectRun('safelight maintenance backup --to /mnt/disk');
  expect(out).toContain('copied 3 originals, 0 were there, 0 are bad');
  const drill = `safelight maintenance restore-drill ${out.split('\n').at(-1)}`;
  expect(await container.expectRun(drill)).toContain('1 accounts, 0 originals missing');
  await container.expectRun('umount /mnt/disk');
});

test('the media unit has no network, no database and no keys, and cannot change originals', async () => {
  const enter =
    'nsenter --target $(systemctl show safelight-media -p MainPID --value) --mount --net';
  expect(await container.expectRun(`${enter} ls /sys/class/net /var/lib/safelight`)).not.toMatch(
    /postgres|backups|tls|maintenance/,
  );
  expect((await container.run(`${enter} ls /etc/safelight/safelight.env`)).code).not.toBe(0);
  expect((await container.run(`${enter} touch /var/lib/safelight/originals/x`)).out).toContain(
    'Read-only file system',
  );
  expect((await container.run(`${enter} curl -s http://localhost:2283`)).code).not.toBe(0);
});

test('without the media unit the server serves, and makes the thumbnail of an upload afterwards', async () => {
  await container.expectRun('systemctl stop safelight-media');
  await container.expectRun(
    'cd /tmp && ffmpeg -loglevel error -y -i photo.jpg -vf negate later.jpg',
  );
  const id = await upload('later.jpg');
  const doctor = await container.run('safelight doctor');
  expect(doctor.out).toMatch(/missing +media host/);
  expect(await container.expectRun('safelight status')).toContain('media host does not answer');
  expect([await isServing(), await hasThumbnail(id)]).toEqual([true, false]);
  await container.expectRun('systemctl start safelight-media');
  await until(() => hasThumbnail(id), 300_000);
  await request('/assets', `-X DELETE --json '{"ids":["${id}"],"force":true}'`);
});

test('kill -9 of the media unit: the server goes on, and the unit is back', async () => {
  const server = await show('MainPID');
  await container.expectRun('systemctl kill --kill-who=main --signal=KILL safelight-media');
  await until(async () => (await container.run('systemctl is-active safelight-media')).code === 0);
  expect(await show('MainPID')).toBe(server);
  expect(await isServing()).toBe(true);
});

test('a setting switches to HTTPS with a certificate of its own', async () => {
  await container.expectRun('cp -p /etc/safelight/safelight.env /root/before.env');
  await container.expectRun('echo SAFELIGHT_HTTPS=self-signed >> /etc/safelight/safelight.env');
  await container.expectRun('systemctl restart safelight');
  const ping = await container.expectRun('curl -skf https://localhost:2283/api/server/ping');
  expect(ping).toBe('{"res":"pong"}');
  const served = await container.expectRun(
    'openssl s_client -connect localhost:2283 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256',
  );
  expect(await container.expectRun('safelight status')).toContain(served.split('=')[1]!);
  await container.expectRun('cp -p /root/before.env /etc/safelight/safelight.env');
  await container.expectRun('systemctl restart safelight');
});

test('kill -9 of the server: systemd starts it again with everything', async () => {
  const before = await show('MainPID');
  const from = performance.now();
  await container.expectRun('systemctl kill --kill-who=main --signal=KILL safelight');
  await until(async () => (await show('MainPID')) !== before && (await isServing()), 300_000);
  console.log(`answers ${Math.round(performance.now() - from)} ms after kill -9`);
  expect(await countAssets()).toBe(3);
});

test('a server that hangs is replaced by the watchdog', async () => {
  const dropIn = '/run/systemd/system/safelight.service.d';
  await container.expectRun(`mkdir -p ${dropIn} && printf '[Service]\\nWatchdogSec=5\\n' > ${dropIn}/watchdog.conf &&
    systemctl daemon-reload && systemctl restart safelight`);
  const before = await show('MainPID');
  await container.expectRun('systemctl kill --kill-who=main --signal=STOP safelight');
  await until(async () => (await show('MainPID')) !== before && (await isServing()), 300_000);
  expect(await countAssets()).toBe(3);
  await container.expectRun(`rm -r ${dropIn} && systemctl daemon-reload`);
});

test('after an update that fails every window says so, and the version from before may be installed and serves', async () => {
  const text = 'failed at the migration 9999_failing: division by zero';
  const out = await container.expectRun(install(BROKEN));
  expect(out).toContain(text);
  expect(out).toContain('Safelight needs attention');
  expect(await show('StatusText')).toStartWith('In maintenance mode');
  expect(await show('StatusText')).toContain(text);
  for (const command of ['doctor', 'status']) {
    const { code, out: told } = await container.run(`safelight ${command}`);
    expect([code, told]).toEqual([1, expect.stringContaining(text)]);
  }
  await container.expectRun(`SAFELIGHT_ALLOW_DOWNGRADE=1 ${install(OLD)}`);
  expect(await show('StatusText')).toMatch(/^Serving at \S+$/);
  expect(await countAssets()).toBe(3);
  expect((await container.run('safelight doctor')).out).toMatch(/^ok +server/m);
});

test('an upgrade that changes the database keeps the library and edited settings, with a short outage', async () => {
  const settings = ['SAFELIGHT_TRASH_DAYS=77', `SAFELIGHT_WORD="it's (\\$(touch /executed)"`];
  for (const line of settings) {
    await container.expectRun(`cat >> /etc/safelight/safelight.env <<'END'\n${line}\nEND`);
  }
  await container.expectRun(
    'cd /etc/safelight && chgrp adm safelight.env && chmod 0600 safelight.env',
  );
  const upgraded = container.expectRun(install(NEW)).then(() => true);
  const outage = measureOutage(upgraded);
  const refused = await measureRefused(upgraded);
  console.log(`outage of an upgrade: ${await outage} ms, connections refused for ${refused} ms`);
  expect(refused).toBeLessThan(2000);
  const backups = await container.expectRun('ls /var/lib/safelight/backups');
  expect(backups.match(/^safelight-before-\S+\.dump$/gm)!.length).toBeGreaterThan(1);
  expect(await countAssets()).toBe(3);
  expect(await container.expectRun('cat /etc/safelight/safelight.env')).toContain('TRASH_DAYS=77');
  const mode = await container.expectRun(`stat -c '%U:%G %a' /etc/safelight/safelight.env`);
  expect(mode).toBe('root:adm 600');
  const config = JSON.parse(await container.expectRun(`curl -sf ${API}/server/config`));
  expect(config.trashDays).toBe(77);
  expect(await exists('/executed')).toBe(false);
});

/** Returns the longest time without an answer, in ms. */
async function measureOutage(upgraded: Promise<boolean>): Promise<number> {
  let [last, longest, isDone] = [performance.now(), 0, false];
  void upgraded.finally(() => (isDone = true));
  while (!isDone || longest < performance.now() - last) {
    if (!(await isServing())) continue;
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await upgraded;
  return Math.round(longest);
}

/** Returns the longest time during which connections are refused, in ms. */
async function measureRefused(upgraded: Promise<boolean>): Promise<number> {
  let [isDone, longest, since] = [false, 0, 0];
  void upgraded.finally(() => (isDone = true));
  while (!isDone) {
    // 7: could not connect (curl(1)).
    const isRefused =
      (await container.run(`curl -s -m 30 -o /dev/null ${API}/server/ping`)).code === 7;
    if (!isRefused) since = 0;
    else if (since === 0) since = performance.now();
    else longest = Math.max(longest, performance.now() - since);
  }
  return Math.round(longest);
}

test('a downgrade is refused with the way back, and allowed to who insists', async () => {
  const refused = await container.run(install(OLD));
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain('safelight maintenance restore');
  expect(await isServing()).toBe(true);
  expect(await container.expectRun(VERSION_QUERY)).toBe(`ii  ${NEW}`);
  await container.expectRun(`SAFELIGHT_ALLOW_DOWNGRADE=1 ${install(OLD)}`);
  expect(await container.expectRun(VERSION_QUERY)).toBe(`ii  ${OLD}`);
  expect(await countAssets()).toBe(3);
});

const VERSION_QUERY = `dpkg-query -W -f '\${db:Status-Abbrev} \${Version}' safelight`;

test('removed and installed again, it has its library and its settings', async () => {
  await container.expectRun('dpkg --remove safelight');
  expect(await isServing()).toBe(false);
  expect(await exists('/usr/lib/safelight')).toBe(false);
  expect(await exists('/etc/safelight/safelight.env')).toBe(true);
  await container.expectRun(install(NEW));
  expect(await isServing()).toBe(true);
  expect(await countAssets()).toBe(3);
});

test('purging removes the settings and the cache, and never the library', async () => {
  expect(await container.expectRun('dpkg --purge safelight')).toContain('library is kept');
  expect(await exists('/etc/safelight/safelight.env')).toBe(false);
  expect(await exists('/var/cache/safelight')).toBe(false);
  expect(await exists('/var/lib/safelight/originals')).toBe(true);
  await container.expectRun(install(NEW));
  expect(await isServing()).toBe(true);
  expect(await countAssets()).toBe(3);
});

test('purging leaves nothing behind where there is no library', async () => {
  await container.expectRun(
    'dpkg --remove safelight && rm -r /var/lib/safelight/* /var/lib/safelight/.[a-z]*',
  );
  await container.expectRun('dpkg --purge safelight');
  expect(await exists('/var/lib/safelight')).toBe(false);
  expect(
    await container.expectRun(
      'find /etc /usr /var -name "*safelight*" -not -path "/usr/share/*/apt*"',
    ),
  ).toBe('');
});
