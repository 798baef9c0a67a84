import { useQuery } from '@tanstack/react-query';
import { Bookmark, BookmarkCheck } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { showToast } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { MAX_NAME, suggestName } from './chip-labels.ts';
import type { Query } from '../../data/search/query.ts';
import {
  deleteSearch,
  findSaved,
  savedSearchesQuery,
  saveSearch,
  toSaved,
} from '../../parts/search/saved-searches.ts';

/** Keeps a search under a name, which the search box suggests from then on; or removes it. */
export function SaveSearch({ query }: { query: Query }) {
  const { data } = useQuery(savedSearchesQuery());
  const [isAsking, setAsking] = useState(false);
  if (!data) return null;
  const saved = findSaved(data, query);
  return (
    <>
      <p>
        {saved ? (
          <button className="button small" onClick={() => void deleteSearch(saved)}>
            <BookmarkCheck size={16} aria-hidden /> {t('Remove this saved search')}
          </button>
        ) : (
          <button className="button small" onClick={() => setAsking(true)}>
            <Bookmark size={16} aria-hidden /> {t('Save this search')}
          </button>
        )}
      </p>
      {isAsking && <NameDialog query={query} onClose={() => setAsking(false)} />}
    </>
  );
}

function NameDialog({ query, onClose }: { query: Query; onClose: () => void }) {
  const form = useForm(async ({ name = '' }) => {
    await saveSearch({ name, ...toSaved(query) });
    onClose();
    showToast(t('Search saved'), 'success');
  });
  return (
    <Dialog title={t('Save this search')} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('Name')}
          name="name"
          defaultValue={suggestName(query)}
          hint={t('The search box suggests it on all your devices.')}
          error={form.fields['name']}
          maxLength={MAX_NAME}
          required
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
