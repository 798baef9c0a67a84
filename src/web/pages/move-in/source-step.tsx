import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { t } from '../../base/i18n.ts';
import { meQuery } from '../../data/server/queries.ts';
import { ArchivesStep } from './archives-step.tsx';
import { FolderStep } from './folder-step.tsx';
import { ServerStep } from './server-step.tsx';

type Source = 'server' | 'archives' | 'folder';

/** Where the photos are. Folders of the machine are for administrators. */
export function SourceStep() {
  const { data: me } = useQuery(meQuery());
  const [source, setSource] = useState<Source>('server');
  return (
    <>
      <fieldset>
        <legend>{t('Where are the photos?')}</legend>
        <Choice value="server" chosen={source} onChoose={setSource}>
          {t('On an Immich server')}
        </Choice>
        <Choice value="archives" chosen={source} onChoose={setSource}>
          {t('In ZIP files on this computer: Google Takeout, iCloud, others')}
        </Choice>
        {me?.isAdmin && (
          <Choice value="folder" chosen={source} onChoose={setSource}>
            {t('In a folder of this server: Google Takeout, iCloud, PhotoPrism, Synology')}
          </Choice>
        )}
      </fieldset>
      {me?.isAdmin === false && (
        <p className="muted">
          {t('An administrator can import folders of PhotoPrism or Synology into your library.')}
        </p>
      )}
      {source === 'server' && <ServerStep />}
      {source === 'archives' && <ArchivesStep />}
      {me && source === 'folder' && <FolderStep me={me} />}
      <p className="muted">
        <Link href="/help/moving-in">{t('Other ways to move in')}</Link>
      </p>
    </>
  );
}

type ChoiceProps = {
  value: Source;
  chosen: Source;
  onChoose: (source: Source) => void;
  children: string;
};

const Choice = ({ value, chosen, onChoose, children }: ChoiceProps) => (
  <label className="check">
    <input type="radio" name="source" checked={chosen === value} onChange={() => onChoose(value)} />{' '}
    {children}
  </label>
);
