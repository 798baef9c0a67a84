import type { RunningNode } from './store.ts';

/** Returns one line for people; empty without nodes. */
export const describeNodes = (nodes: readonly RunningNode[]): string =>
  nodes.map(({ role, host, version }) => `${role} on ${host} (${version})`).join(', ');
