import { chooseLanguage, getChosenLanguage, languages, t } from '../../base/i18n.ts';
import styles from './settings.module.css';

export const LanguageSelect = ({ labelledBy }: { labelledBy: string }) => (
  <select
    className={styles.wide}
    aria-labelledby={labelledBy}
    value={getChosenLanguage() ?? ''}
    onChange={({ target }) => chooseLanguage(target.value || undefined)}
  >
    <option value="">{t('Match browser')}</option>
    {languages.map(({ code, name }) => (
      <option key={code} value={code} lang={code}>
        {name}
      </option>
    ))}
  </select>
);
