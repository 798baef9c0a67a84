import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import sharp from 'sharp';
import { until } from '../support/until.ts';
import { getImageBytes, type Machine, startMachine, writeDisk, writeReleases } from './machine.ts';
import { VERSION } from './packages.ts';

// A machine from its first start on: each test goes on from the one before.

setDefaultTimeout(3_600_000);

const DISK_GIGABYTES = 12;
const folder = mkdtempSync(join(tmpdir(), 'image-test-'));
const files = {
  disk: join(folder, 'disk'),
  releases: join(folder, 'releases'),
  traffic: join(folder, 'traffic'),
};
const [BROKEN, NEXT] = [`${VERSION}.1`, `${VERSION}.2`];
let machine: Machine;
let token = '';
beforeAll(() => {
  writeDisk(files.disk, DISK_GIGABYTES);
  writeReleases(files.releases, {
    [BROKEN]: 'quiet systemd.mask=safelight.service',
    [NEXT]: 'quiet',
  });
  machine = startMachine(files);
});
afterAll(async () => {
  await machine?.kill();
  rmSync(folder, { recursive: true });
});

/** Sends a request to the server in the machine, whose certificate nobody has signed. */
const send = (path: string, init: RequestInit = {}) =>
  fetch(`${machine.url}/api${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    tls: { rejectUnauthorized: false },
  });
const post = (path: string, body: object) =>
  send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

test('the first start ends with the address and the fingerprint on the console', async () => {
  const seconds = await machine.untilServing();
  console.log(`image ${Math.round(getImageBytes() / 1e6)} MB, first start ${seconds} s`);
  const fingerprint = await readFingerprint();
  const isShown = (text: string) => machine.console().includes(text);
  await until(() => isShown('Open https://safelight.local or https://10.0.2.15 '), 600_000);
  await until(() => isShown(fingerprint), 600_000);
});

/** Returns the SHA-256 fingerprint of the certificate that is served. */
function readFingerprint(): Promise<string> {
  const { hostname: host, port } = new URL(machine.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.on('error', reject);
  });
}

test('the page of the first start creates the account, and nobody has an account before', async () => {
  expect(await (await send('/server/config')).json()).toMatchObject({ isInitialized: false });
  const account = { email: 'owner@example.org', password: 'a long password', name: 'Owner' };
  expect((await post('/auth/login', account)).status).toBe(401);
  expect((await post('/auth/admin-sign-up', account)).status).toBe(201);
  token = ((await (await post('/auth/login', account)).json()) as { accessToken: string })
    .accessToken;
  expect((await post('/auth/admin-sign-up', { ...account, email: 'b@example.org' })).status).toBe(
    400,
  );
});

test('the data take the whole disk', async () => {
  const { diskSizeRaw } = (await (await send('/server/storage')).json()) as { diskSizeRaw: number };
  // The roots and the boot loader take six and a half.
  expect(diskSizeRaw).toBeGreaterThan((DISK_GIGABYTES - 7) * 2 ** 30);
});

/** Returns the packets of a file of pcap. */
function listPackets(file: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 24; at + 16 <= file.length;) {
    const length = file.readUInt32LE(at + 8);
    packets.push(file.subarray(at + 16, at + 16 + length));
    at += 16 + length;
  }
  return packets;
}

/** RFC 6762: an answer that nobody asked for, with the name and a unique address; the name may stand elsewhere. */
const announcesName = (packet: Buffer): boolean =>
  ['\0\0\x84\0', '\x09safelight\x05local\0', '\0\x01\x80\x01\0\0\0\x78\0\x04'].every((part) =>
    packet.includes(part, 0, 'latin1'),
  );

test('neighbours find it by its name, and no shell', async () => {
  await until(() => listPackets(readFileSync(files.traffic)).some(announcesName), 600_000);
  expect(await machine.run('systemctl is-active ssh || true')).toBe('inactive');
  const listening = await machine.run('ss --tcp --listening --numeric --no-header');
  expect(listening.match(/\S+:22\s/)).toBeNull();
  expect(listening).toMatch(/:443\s/);
});

test('no unit has failed, and the root cannot be written', async () => {
  expect(await machine.run('systemctl --failed --plain --no-legend')).toBe('');
  expect(await machine.run('touch /usr/bin/other || echo refused')).toContain(
    'Read-only file system',
  );
});

let assetId = '';
const readThumbnail = () => send(`/assets/${assetId}/thumbnail`);

test('an uploaded photo has a thumbnail', async () => {
  const photo = await sharp({
    create: { width: 800, height: 600, channels: 3, background: '#2a6' },
  })
    .jpeg()
    .toBuffer();
  const form = new FormData();
  const at = '2026-01-01T00:00:00.000Z';
  const fields = { deviceAssetId: 'one', deviceId: 'test', fileCreatedAt: at, fileModifiedAt: at };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('assetData', new File([photo], 'photo.jpg', { type: 'image/jpeg' }));
  const uploaded = await send('/assets', { method: 'POST', body: form });
  expect(uploaded.status).toBe(201);
  assetId = ((await uploaded.json()) as { id: string }).id;
  await until(async () => (await readThumbnail()).status === 200, 1_800_000);
  const { width } = await sharp(await (await readThumbnail()).arrayBuffer()).metadata();
  expect(width).toBeGreaterThan(0);
});

test('after a restart everything is there, with the same certificate', async () => {
  const before = await readFingerprint();
  await machine.reboot();
  console.log(`another start ${await machine.untilServing()} s`);
  expect((await readThumbnail()).status).toBe(200);
  expect(await readFingerprint()).toBe(before);
});

test('after a loss of power everything is there', async () => {
  await machine.kill();
  machine = startMachine(files);
  await machine.untilServing();
  expect((await readThumbnail()).status).toBe(200);
  expect(await machine.run('systemctl --failed --plain --no-legend')).toBe('');
});

const upgrade = (version: string) =>
  machine.run(`mount /dev/vdb /mnt; safelight-upgrade /mnt/safelight_${version}_amd64.img.zst`);
const listKernels = async () => (await machine.run('ls -1 /efi/EFI/Linux')).split('\n').toSorted();
/** Expects that a version runs, and that it has the photo. */
async function expectVersion(version: string): Promise<void> {
  expect(await machine.run('cat /proc/cmdline')).toContain(`PARTLABEL=safelight_${version} `);
  expect((await readThumbnail()).status).toBe(200);
}

test('an upgrade to a version that does not serve ends with the version before', async () => {
  expect(await upgrade(BROKEN)).toContain('is tried at the next start');
  expect(await listKernels()).toContain(`safelight_${BROKEN}+2.efi`);
  await machine.reboot();
  await machine.untilServing();
  await expectVersion(VERSION);
  expect(await listKernels()).toContain(`safelight_${BROKEN}+0-2.efi`);
});

test('an upgrade to a version that serves stays, and takes the place of the broken one', async () => {
  await upgrade(NEXT);
  await machine.reboot();
  await machine.untilServing();
  await expectVersion(NEXT);
  const kernels = [`safelight_${VERSION}.efi`, `safelight_${NEXT}.efi`].toSorted();
  await until(async () => Bun.deepEquals(await listKernels(), kernels), 600_000);
});

test('the version before an upgrade can be started', async () => {
  await machine.run(`bootctl set-oneshot safelight_${VERSION}.efi`);
  await machine.reboot();
  await machine.untilServing();
  await expectVersion(VERSION);
});
