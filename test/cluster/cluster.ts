import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ceph, startCeph } from './ceph.ts';
import { type DatabaseMachine, readCertificates, startDatabases } from './database.ts';
import { install } from './example.ts';
import { createNetwork, type Machine } from './machines.ts';
import { until } from '../support/until.ts';
import { addNode, type Node, type NodeOptions } from './nodes.ts';

// All of appliance/cluster: two databases, an object store, two servers, and the balancer before them.

export type Cluster = {
  readonly network: ReturnType<typeof createNetwork>;
  readonly databases: readonly DatabaseMachine[];
  readonly ceph: Ceph;
  readonly nodes: readonly [Node, Node];
  readonly proxy: Machine;
  readonly store: Machine;
  /** Address of the balancer. */
  readonly url: string;
  readonly options: NodeOptions;
  stop(): Promise<void>;
};

/** Starts the engines and the servers, and resolves when both are ready. */
export async function startCluster({ isServing = true } = {}): Promise<Cluster> {
  const network = createNetwork();
  const [db1, db2, proxy, store] = ['db1', 'db2', 'proxy', 'store'].map((name) =>
    network.add(name),
  ) as [Machine, Machine, Machine, Machine];
  const [databases, ceph] = await Promise.all([
    startDatabases(db1, db2, proxy),
    startCeph(join(network.folder, 'ceph'), store),
  ]);
  const options = {
    certificates: await readCertificates(databases),
    credentials: readFileSync(ceph.credentials, 'utf8'),
  };
  const nodes = ['node1', 'node2'].map((name) => addNode(network.add(name), options)) as [
    Node,
    Node,
  ];
  install(proxy, 'haproxy.cfg', '/etc/haproxy/haproxy.cfg');
  const url = `http://${proxy.address}`;
  proxy.spawn(['haproxy', '-W', '-f', '/etc/haproxy/haproxy.cfg']);
  if (isServing) {
    for (const node of nodes) node.start();
    await Promise.all(nodes.map((node) => node.untilReady()));
    await until(() =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  }
  return {
    network,
    databases,
    ceph,
    nodes,
    proxy,
    store,
    url,
    options,
    async stop() {
      ceph.stop();
      await network.stop();
    },
  };
}
