import { useQuery } from '@tanstack/react-query';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { type Relation, setRelation } from '../../data/people/people-data.ts';
import { relationQuery } from '../../data/people/queries.ts';
import { t } from '../../base/i18n.ts';

const NAMES: Readonly<Record<Relation, string>> = {
  self: t('That is me'),
  partner: t('My partner'),
  daughter: t('My daughter'),
  son: t('My son'),
  mother: t('My mother'),
  father: t('My father'),
  sister: t('My sister'),
  brother: t('My brother'),
  grandmother: t('My grandmother'),
  grandfather: t('My grandfather'),
  granddaughter: t('My granddaughter'),
  grandson: t('My grandson'),
  aunt: t('My aunt'),
  uncle: t('My uncle'),
  niece: t('My niece'),
  nephew: t('My nephew'),
  cousin: t('My cousin'),
  friend: t('A friend'),
};

/** The relation of a person to the account, by which the search knows 'my daughter'. */
export function RelationField({ personId }: { personId: string }) {
  const { data } = useQuery(relationQuery(personId));
  const current = data?.relation ?? null;
  const choose = async (relation: Relation | null) => {
    if (!(await attempt(() => setRelation(personId, relation)))) return;
    showUndo(t('Saved'), () => attempt(() => setRelation(personId, current)));
  };
  return (
    <p>
      <select
        aria-label={t('Relation')}
        title={t('The search finds “my daughter” or “my father”')}
        value={current ?? ''}
        disabled={!data}
        onChange={({ target }) => void choose((target.value || null) as Relation | null)}
      >
        <option value="">{t('No relation')}</option>
        {(Object.entries(NAMES) as [Relation, string][]).map(([relation, name]) => (
          <option key={relation} value={relation}>
            {name}
          </option>
        ))}
      </select>
    </p>
  );
}
