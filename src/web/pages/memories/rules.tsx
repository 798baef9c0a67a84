import { useQuery } from '@tanstack/react-query';
import { formatMonthDay } from '../../base/format.ts';
import { getName } from '../../data/people/people-data.ts';
import { personQuery } from '../../data/people/queries.ts';
import { petsQuery } from '../../data/pets/queries.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import type { MemoryRule, MemoryRuleInput } from '../../data/types.ts';
import { KINDS } from './kinds.ts';
import { addRule, removeRule } from '../../data/memories/memory-data.ts';
import { rulesQuery } from '../../data/memories/queries.ts';
import styles from '../../parts/memories/memories.module.css';
import { t } from '../../base/i18n.ts';

/** Lists the show-less rules, each with a way back. Nothing while there are none. */
export function Rules() {
  const { data: rules } = useQuery(rulesQuery());
  if (!rules || rules.length === 0) return null;
  return (
    <section className={styles.rules}>
      <h2 id="show-less">{t('Shown less')}</h2>
      <ul className="people" aria-labelledby="show-less">
        {rules.map((rule) => (
          <li key={rule.id}>
            <span className="person-name">
              <Subject rule={rule} />
            </span>
            <button
              className="button small"
              onClick={() =>
                void attemptUndoable(
                  () => removeRule(toInput(rule)),
                  t('Shown again'),
                  () => addRule(toInput(rule)),
                )
              }
            >
              {t('Remove')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Subject({ rule }: { rule: MemoryRule }) {
  if (rule.personId) return <PersonName id={rule.personId} />;
  if (rule.petId) return <PetName id={rule.petId} />;
  if (rule.date) return formatMonthDay(rule.date);
  return rule.memoryType && KINDS[rule.memoryType];
}

function PersonName({ id }: { id: string }) {
  const { data } = useQuery(personQuery(id));
  return getName(data ?? { name: '' });
}

function PetName({ id }: { id: string }) {
  const { data } = useQuery(petsQuery());
  return data?.find((pet) => pet.id === id)?.name || t('A pet');
}

const toInput = ({ kind, personId, petId, date, memoryType }: MemoryRule): MemoryRuleInput => ({
  kind,
  ...(personId && { personId }),
  ...(petId && { petId }),
  ...(date && { date }),
  ...(memoryType && { memoryType }),
});
