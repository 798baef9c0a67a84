import { dlopen, ptr } from 'bun:ffi';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Account, listGroupIds } from './account.ts';
import { setGid, setGroups, setUid } from './process-user.ts';

const PR_SET_KEEPCAPS = 8;
const CAP_NET_BIND_SERVICE = 1 << 10;
const CAPABILITY_VERSION = 0x2008_0522;
const RENDER_NODES = '/dev/dri';

/**
 * Gives up being root for good, in all threads. `keepsLowPorts`: this thread alone may listen on
 * ports below 1024 until `dropLowPorts`; no child inherits that.
 */
export function becomeAccount(
  { uid, gid }: Account,
  { keepsLowPorts }: { readonly keepsLowPorts: boolean },
): void {
  if (keepsLowPorts) {
    // Threads that are started meanwhile would keep the right: the collector has all of its own now.
    Bun.gc(true);
    withLibc(({ prctl }) => prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
  }
  setGroups([...new Set([gid, ...listGroupIds(uid), ...videoGroups()])]);
  setGid(gid);
  setUid(uid);
  if (keepsLowPorts) setCapabilities(CAP_NET_BIND_SERVICE);
}

/** After the listener has its port. Not where there is nothing to drop: a service may refuse the system call. */
export function dropLowPorts(): void {
  const status = readFileSync('/proc/self/status', 'utf8');
  if (!/^CapPrm:\s+0+$/m.test(status)) setCapabilities(0);
}

/** Returns the groups of the graphics processors, which root could use. */
function videoGroups(): number[] {
  try {
    return readdirSync(RENDER_NODES)
      .filter((name) => name.startsWith('renderD'))
      .map((name) => statSync(`${RENDER_NODES}/${name}`).gid)
      .filter((gid) => gid !== 0);
  } catch {
    return [];
  }
}

function setCapabilities(bits: number): void {
  const header = Uint32Array.of(CAPABILITY_VERSION, 0);
  // Effective, permitted, inheritable; then the same for the capabilities from 32 on.
  const data = Uint32Array.of(bits, bits, 0, 0, 0, 0);
  withLibc(({ capset }) => capset(ptr(header), ptr(data)));
}

type Calls = ReturnType<typeof openLibc>['symbols'];

const openLibc = () =>
  dlopen('libc.so.6', {
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    capset: { args: ['ptr', 'ptr'], returns: 'i32' },
  });

function withLibc(work: (calls: Calls) => number): void {
  const libc = openLibc();
  try {
    if (work(libc.symbols) !== 0) throw new Error('The privileges of root cannot be given up');
  } finally {
    libc.close();
  }
}
