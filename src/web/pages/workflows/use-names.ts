import { useQueries, useQuery } from '@tanstack/react-query';
import { accountsQuery, albumsQuery } from '../../data/albums/queries.ts';
import { getName } from '../../data/people/people-data.ts';
import { personQuery } from '../../data/people/queries.ts';
import { petsQuery } from '../../data/pets/queries.ts';
import { tagsQuery } from '../../data/tags/queries.ts';
import type { Workflow, WorkflowMethod } from '../../data/types.ts';
import {
  type Config,
  getIdHint,
  type IdHint,
  listProperties,
  type SchemaNode,
} from '../../data/workflows/schema.ts';
import { findMethod, type Names } from '../../data/workflows/words.ts';

type Methods = readonly WorkflowMethod[] | undefined;

/** Returns the names of what the steps of workflows refer to; reads only the lists that they need. */
export function useNames(workflows: readonly Workflow[], methods: Methods): Names {
  const ids = listIds(workflows, methods);
  const has = (hint: IdHint) => ids.has(hint);
  const albums = useQuery({ ...albumsQuery(), enabled: has('AlbumId') });
  const tags = useQuery({ ...tagsQuery(), enabled: has('TagId') });
  const pets = useQuery({ ...petsQuery(), enabled: has('PetId') });
  const accounts = useQuery({ ...accountsQuery(), enabled: has('UserId') });
  const people = useQueries({
    queries: [...(ids.get('PersonId') ?? [])].map((id) => personQuery(id)),
  });
  return new Map(
    [
      ...(albums.data ?? []).map(({ id, albumName }) => [id, albumName] as const),
      ...(tags.data?.list ?? []).map(({ id, value }) => [id, value] as const),
      ...(pets.data ?? []).map(({ id, name }) => [id, name ?? ''] as const),
      ...(accounts.data ?? []).map(({ id, name }) => [id, name] as const),
      ...people.flatMap(({ data }) => (data ? [[data.id, getName(data)] as const] : [])),
    ].filter(([, name]) => name !== ''),
  );
}

function listIds(workflows: readonly Workflow[], methods: Methods): Map<IdHint, Set<string>> {
  const found = new Map<IdHint, Set<string>>();
  for (const { method, config } of workflows.flatMap(({ steps }) => steps)) {
    const schema = (findMethod(methods, method)?.schema ?? {}) as SchemaNode;
    for (const [name, node] of listProperties(schema)) {
      const hint = getIdHint(node);
      const value = ((config ?? {}) as Config)[name];
      if (!hint || !Array.isArray(value) || value.length === 0) continue;
      const ids = found.get(hint) ?? new Set();
      for (const id of value) ids.add(String(id));
      found.set(hint, ids);
    }
  }
  return found;
}
