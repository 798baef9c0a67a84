import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField } from '../../../core/errors.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { toInstant } from '../../assets/index.ts';
import type { MemoryRule, MemoryShowLess } from './schemas.ts';
import * as store from './store.ts';

export async function listRules(ctx: Ctx): Promise<MemoryRule[]> {
  const rows = await store.listRules(ctx.db, requireUser(ctx.session).userId);
  return rows.map((row) => ({ ...row, createdAt: toInstant(row.createdAt) }));
}

/** Adds a rule if it is new, and returns all. Throws 400 for a target that is not the caller's. */
export async function addRule(ctx: Ctx, input: MemoryShowLess): Promise<MemoryRule[]> {
  const session = requireUser(ctx.session);
  const target = toTarget(input);
  return keepLimit(ctx, 'memoryRule', { ownerId: session.userId }, async (ctx) => {
    const { personId, petId } = target;
    if (personId && !(await store.isOwnPerson(ctx.db, session, personId))) {
      throw invalidField('personId', 'Not found or no access');
    }
    if (petId && !(await store.isOwnPet(ctx.db, session, petId))) {
      throw invalidField('petId', 'Not found or no access');
    }
    await store.insertRule(ctx.db, session.userId, target, ctx.now());
    return listRules(ctx);
  });
}

/** Removes a rule, if it exists, and returns those that are left. */
export async function removeRule(ctx: Ctx, input: MemoryShowLess): Promise<MemoryRule[]> {
  await store.deleteRules(ctx.db, requireUser(ctx.session).userId, toTarget(input));
  return listRules(ctx);
}

const MEMBERS = {
  person: 'personId',
  pet: 'petId',
  date: 'date',
  'memory-type': 'memoryType',
} as const;

/** Throws 400 unless exactly the member of the kind is given. */
function toTarget(input: MemoryShowLess): store.RuleTarget {
  const wanted = MEMBERS[input.kind];
  for (const member of Object.values(MEMBERS)) {
    if ((input[member] !== undefined) === (member === wanted)) continue;
    const message = member === wanted ? 'Required' : 'Not allowed';
    throw invalidField(member, `${message} for a rule of kind ${input.kind}`);
  }
  return {
    kind: input.kind,
    personId: input.personId?.toLowerCase() ?? null,
    petId: input.petId?.toLowerCase() ?? null,
    date: input.date ?? null,
    memoryType: input.memoryType ?? null,
  };
}
