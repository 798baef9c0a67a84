import { useState } from 'react';
import { areSidecarsWanted, setSidecarsWanted } from '../../data/assets/sidecars.ts';
import { t } from '../../base/i18n.ts';

export function SidecarSetting() {
  const [isOn, setOn] = useState(areSidecarsWanted);
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setSidecarsWanted(target.checked);
            setOn(target.checked);
          }}
        />{' '}
        {t('Downloads in this browser contain XMP files')}
      </label>
      <p className="field-note">
        {t('With your date, place, rating, description, tags and people, for other programs.')}
      </p>
    </div>
  );
}
