/** A load balancer in small: round robin over the servers that say at /readyz that they are ready. */
export type Balancer = {
  readonly url: string;
  /** Servers whose connections broke before an answer, by the order of these. */
  readonly broken: readonly string[];
  add(server: string): void;
  remove(server: string): void;
  countReady(): number;
  stop(): Promise<void>;
};

const CHECK_MS = 200;
/** A machine that is busy may have no server for a moment that is ready in time. */
const QUEUE_MS = 10_000;

export function startBalancer(): Balancer {
  const servers = new Map<string, { isReady: boolean }>();
  const broken: string[] = [];
  let next = 0;
  const listReady = () => [...servers].filter(([, { isReady }]) => isReady).map(([url]) => url);

  async function check(): Promise<void> {
    const checking = [...servers].map(async ([url, state]) => {
      state.isReady = await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    await Promise.all(checking);
  }

  async function findReady(): Promise<string | undefined> {
    for (const end = performance.now() + QUEUE_MS; performance.now() < end;) {
      const ready = listReady();
      if (ready.length > 0) return ready[next++ % ready.length];
      await Bun.sleep(CHECK_MS);
    }
    return undefined;
  }

  let isStopping = false;
  const checking = (async () => {
    for (; !isStopping; await Bun.sleep(CHECK_MS)) await check();
  })();

  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    async fetch(request) {
      const server = await findReady();
      if (server === undefined) return new Response('no server is ready', { status: 503 });
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'GET' ? null : await request.arrayBuffer();
      try {
        const answer = await fetch(`${server}${pathname}${search}`, { method, headers, body });
        return new Response(await answer.arrayBuffer(), { status: answer.status });
      } catch {
        broken.push(server);
        return new Response('the connection broke', { status: BROKEN });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}`,
    broken,
    add: (server) => void servers.set(server, { isReady: false }),
    remove: (server) => void servers.delete(server),
    countReady: () => listReady().length,
    async stop() {
      isStopping = true;
      await checking;
      await listener.stop(true);
    },
  };
}

/** The status of a request whose server was lost: no server gives it. */
export const BROKEN = 599;
