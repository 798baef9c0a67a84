import { parseLines } from '../../sync/client.ts';
import type { Cost } from './cost.ts';
import type { MeasuredLibrary } from './library.ts';
import { median, type Row } from './measures.ts';
import { listChangingAssets, type Read, SYNC_BODY } from './reads.ts';

/** A program without the request answers so, and one whose request has other parameters. */
const UNKNOWN_STATUS: ReadonlySet<number> = new Set([400, 404, 405]);

const WARM_UP_MS = 600;
/** For a read that was measured before. */
const BRIEF_WARM_UP_MS = 60;
const WARM_UP_REQUESTS = 150;
/** Requests that are counted one by one; what runs besides disturbs a few of them. */
const COUNTED = 7;
const SLOW_MS = 500;
/** The same for slow reads, which other work disturbs less. */
const SLOW_COUNTED = 3;
const CHANGES = 12;
/** Until the server has heard of a change. */
const CHANGE_MS = 60;
/** Statements that follow an answer belong to it. */
const TRAILING_MS = 10;
const CONNECTIONS = 4;
const LEAST_LOAD = 8;
const SLOW_LOAD = 2;
const LOAD_MS = 600;

/** Returns the rows of a read: its values, and those after a change where that is measured. */
export type MeasureRead = (read: Read) => Promise<Row[]>;

class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** Returns the title of the table of these reads. */
export const getTable = ({ assets }: MeasuredLibrary): string =>
  `Reads of ${assets.toLocaleString('en')} assets`;

/** Returns a function that measures reads of a library. A read that the program refuses has no values. */
export async function createReadMeasure(library: MeasuredLibrary): Promise<MeasureRead> {
  const changing = await listChangingAssets(library.sql);
  const known = new Set<string>();
  const table = getTable(library);
  return async (read) => {
    const { name } = read;
    try {
      if (read.account === 'synced') await acknowledgeSync(library);
      const isKnown = known.has(name);
      const { first, ...usual } = await measureRead(library, read, isKnown);
      const rows: Row[] = [{ table, name, values: isKnown ? usual : { ...usual, ...first } }];
      known.add(name);
      if (!read.isChanged) return rows;
      const values = await measureChanged(library, read, changing);
      return [...rows, { table, name: `${name}, after a change`, values }];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const note = UNKNOWN_STATUS.has(error.status) ? 'none' : `failed with ${error.status}`;
      return [{ table, name, values: {}, note }];
    }
  };
}

/** Sends the request whose turn it is. Returns the bytes of the answer. */
function createAsk({ server, accounts }: MeasuredLibrary, read: Read): () => Promise<number> {
  const { method, requests, account, encoding } = read;
  const headers = {
    authorization: `Bearer ${accounts[account]}`,
    'accept-encoding': encoding,
    'content-type': 'application/json',
  };
  const all = requests.map(({ path, body }) => ({
    url: `${server.url}${path}`,
    body: body && JSON.stringify(body),
  }));
  let turn = 0;
  return async () => {
    const { url, body } = all[turn++ % all.length]!;
    const reply = await fetch(url, {
      method,
      headers,
      decompress: false,
      ...(body && { body }),
    });
    let bytes = 0;
    if (reply.body) for await (const chunk of reply.body) bytes += chunk.length;
    if (!reply.ok) throw new Refused(reply.status);
    return bytes;
  };
}

type ReadValues = Row['values'] & {
  /** The values of the first request: valid only if the server has answered none before. */
  readonly first: Row['values'];
};

async function measureRead(
  library: MeasuredLibrary,
  read: Read,
  isKnown: boolean,
): Promise<ReadValues> {
  const ask = createAsk(library, read);
  const sizes: number[] = [];
  const askOnce = async () => {
    sizes.push(await ask());
    await Bun.sleep(TRAILING_MS);
  };
  const first = await library.meter.measure(askOnce);
  const usualMs = await warmUp(ask, isKnown ? BRIEF_WARM_UP_MS : WARM_UP_MS);
  sizes.length = 0;
  const counted: Cost[] = [];
  const times = usualMs > SLOW_MS ? SLOW_COUNTED : COUNTED;
  for (let n = 0; n < times; n++) counted.push(await library.meter.measure(askOnce));
  const load = await measureLoad(library, ask, usualMs);
  return {
    ...load,
    ...countMedians(counted),
    bytes: median(sizes),
    first: {
      ...(first.blocks !== undefined && { firstBlocks: first.blocks }),
      firstMs: first.ms - TRAILING_MS,
    },
  };
}

/** Returns the milliseconds of a request in the end. */
async function warmUp(ask: () => Promise<unknown>, limitMs: number): Promise<number> {
  const from = performance.now();
  const times: number[] = [];
  while (times.length < WARM_UP_REQUESTS && performance.now() - from < limitMs) {
    const start = performance.now();
    await ask();
    times.push(performance.now() - start);
  }
  return median(times.slice(-Math.ceil(times.length / 3)));
}

const countMedians = (costs: readonly Cost[]) => {
  const statements = costs.flatMap((cost) => cost.statements ?? []);
  const blocks = costs.flatMap((cost) => cost.blocks ?? []);
  return {
    ...(statements.length > 0 && { statements: median(statements) }),
    ...(blocks.length > 0 && { blocks: median(blocks) }),
  };
};

/** Sends requests over several connections for about as long as `LOAD_MS`. */
async function measureLoad(
  { meter }: MeasuredLibrary,
  ask: () => Promise<unknown>,
  usualMs: number,
) {
  const least = usualMs > SLOW_MS ? SLOW_LOAD : LEAST_LOAD;
  const requests = Math.max(least, Math.round((LOAD_MS / usualMs) * 1.5));
  let left = requests;
  const send = async () => {
    while (left-- > 0) await ask();
  };
  const cost = await meter.measure(() => Promise.all(Array.from({ length: CONNECTIONS }, send)));
  return {
    serverCpuMs: cost.serverCpuMs / requests,
    databaseCpuMs: cost.databaseCpuMs / requests,
    ...(cost.plans !== undefined && { plans: cost.plans / requests }),
    perSecond: (requests * 1000) / cost.ms,
  };
}

/** Each request follows a change of a photo, which may make what the server remembers useless. */
async function measureChanged(
  library: MeasuredLibrary,
  read: Read,
  changing: readonly string[],
): Promise<Row['values']> {
  const ask = createAsk(library, read);
  const costs: Cost[] = [];
  for (let n = 0; n < CHANGES; n++) {
    await library.sql`
      update asset set is_favorite = not is_favorite where id = ${changing[n % changing.length]!}`;
    await Bun.sleep(CHANGE_MS);
    costs.push(await library.meter.measure(ask));
  }
  return {
    serverCpuMs: median(costs.map((cost) => cost.serverCpuMs)),
    databaseCpuMs: median(costs.map((cost) => cost.databaseCpuMs)),
    ...countMedians(costs),
    ms: median(costs.map((cost) => cost.ms)),
  };
}

/** Has one session know everything: its next streams have nothing new. */
async function acknowledgeSync({ server, accounts }: MeasuredLibrary): Promise<void> {
  const headers = {
    authorization: `Bearer ${accounts.synced}`,
    'content-type': 'application/json',
  };
  const send = (path: string, body: object) =>
    fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const stream = await send('/sync/stream', SYNC_BODY);
  if (!stream.ok) return;
  const acks = new Map<string, string>();
  for await (const { type, ack } of parseLines(stream.body!)) acks.set(type, ack);
  const reply = await send('/sync/ack', { acks: [...acks.values()] });
  if (!reply.ok) throw new Error(`sync was not acknowledged: ${await reply.text()}`);
}
