import { sha256 } from '../../../core/hash.ts';
import type { Action, Tool } from '../schemas.ts';

/**
 * Returns the digest that a review token stands for: this action by this tool on these items in their
 * current state. `hash` covers the items (item-set.store.ts).
 */
export function computeFingerprint(
  action: Action,
  tool: Tool | undefined,
  hash: Uint8Array,
): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${action}\n${tool ?? ''}\n`), hash]));
}
