import { requireValue } from '../../../core/required.ts';
import { ALL_PERMISSIONS, hasPermission } from '../../../access/permissions.ts';
import type { Db } from '../../../db/client.ts';
import type { WorkflowRow } from '../../../db/tables/workflows.ts';
import { listPermissions } from '../definition.ts';
import { readKeyPermissions } from './run.store.ts';

// The workflow of an API key acts as long as the key may: it is no way to keep the rights of a key that was
// revoked, or to have more.

export type Authority =
  | { readonly permissions: ReadonlySet<string> }
  /** Why the workflow must not go on. */
  | { readonly refusal: string };

type Saved = Pick<WorkflowRow, 'id' | 'apiKeyId' | 'steps'>;

/** Returns by whose permissions each workflow acts now, by its id. */
export async function readAuthorities(
  db: Db,
  workflows: readonly Saved[],
): Promise<ReadonlyMap<string, Authority>> {
  const keys = await readKeyPermissions(
    db,
    workflows.flatMap(({ apiKeyId }) => apiKeyId ?? []),
  );
  return new Map(workflows.map((workflow) => [workflow.id, toAuthority(workflow, keys)]));
}

export async function readAuthority(db: Db, workflow: Saved): Promise<Authority> {
  const authorities = await readAuthorities(db, [workflow]);
  return requireValue(authorities.get(workflow.id), 'authority of a workflow');
}

function toAuthority(
  { apiKeyId, steps }: Saved,
  keys: ReadonlyMap<string, ReadonlySet<string>>,
): Authority {
  if (apiKeyId === null) return { permissions: ALL_PERMISSIONS };
  const permissions = keys.get(apiKeyId);
  if (!permissions) return { refusal: 'The API key that saved this workflow was revoked' };
  const missing = listPermissions(steps).find((one) => !hasPermission(permissions, one));
  return missing
    ? { refusal: `The API key that saved this workflow lacks the permission ${missing}` }
    : { permissions };
}
