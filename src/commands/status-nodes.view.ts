import type { NodeView } from '../nodes/store.ts';
import { formatCount, formatDuration, toOneLine } from './format.ts';

/** Returns a line for each node; `at` in ms since 1970. */
export function formatNodes(nodes: readonly NodeView[], at: number): string[] {
  if (nodes.length === 0) return ['No node serves this library'];
  return [
    `${'Nodes'.padEnd(26)}${'role'.padStart(9)}${'state'.padStart(11)}${'jobs'.padStart(9)}  running for`,
    ...nodes.map((node) => {
      const { host, role, state, runningJobs, startedAt, address, reason, isLeader } = node;
      const cells = `${role.padStart(9)}${state.padStart(11)}${formatCount(runningJobs).padStart(9)}`;
      const facts = [
        formatDuration((at - Date.parse(startedAt)) / 1000),
        node.version,
        address,
        isLeader && 'leader',
        reason !== null && toOneLine(reason),
      ];
      return `${host.padEnd(26)}${cells}  ${facts.filter(Boolean).join(', ')}`;
    }),
  ];
}
