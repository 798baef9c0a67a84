import { sha256 } from '../../core/hash.ts';
import type { Action, Tool } from './schemas.ts';

/**
 * What a token stands for: this action, from this tool, on exactly these items in exactly this state.
 * `hash` is over the items (set.store.ts).
 */
export function fingerprintOf(
  action: Action,
  tool: Tool | undefined,
  hash: Uint8Array,
): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${action}\n${tool ?? ''}\n`), hash]));
}
