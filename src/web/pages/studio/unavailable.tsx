import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, getMessage } from '../../base/api.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { assetQuery } from '../../data/viewer/queries.ts';
import { removeItem, showsItem } from './edits.ts';
import type { Editor } from './use-editor.ts';
import { t } from '../../base/i18n.ts';

/** Returns the item of a film that an error is about, by the id that the project has for it. */
export const getUnavailableId = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === 'source_unavailable' ? error.assetId : undefined;

/** Says what is wrong with a film, and with which of its items. */
export function FilmError({ editor, error }: { editor: Editor; error: unknown }) {
  const assetId = getUnavailableId(error);
  return assetId === undefined ? (
    <p role="alert">{getMessage(error)}</p>
  ) : (
    <UnavailableItem editor={editor} assetId={assetId} />
  );
}

type ItemProps = { editor: Editor; assetId: string };

/** Names an item that a film cannot show, marks its clips and sounds, and offers to remove them. */
export function UnavailableItem({ editor, assetId }: ItemProps) {
  const { film, project, edit, markUnavailable } = editor;
  const name = useReadableName(assetId);
  const mark = useLatest(markUnavailable);
  useEffect(() => mark.current(assetId, true), [mark, assetId]);
  if (!showsItem(film, assetId)) return null;
  return (
    <div role="alert">
      <p>
        {name === undefined
          ? t('An item of the film is not available any more.')
          : t('{name} is not available any more.', { name })}
        {project.canEdit && (
          <>
            {' '}
            <button
              type="button"
              className="button small"
              onClick={() => edit((film) => removeItem(film, assetId))}
            >
              {t('Remove it')}
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/** Returns the name of an item that the reader may see now; undefined for any other, and before that is known. */
function useReadableName(assetId: string): string | undefined {
  const { data, isSuccess, isFetching } = useQuery({ ...assetQuery(assetId), staleTime: 0 });
  return isSuccess && !isFetching ? data.originalFileName : undefined;
}
