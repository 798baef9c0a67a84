import { LanguageSelect } from '../settings/language-select.tsx';
import { StepHead } from './step-head.tsx';
import { t } from '../i18n.ts';

export const LanguageStep = () => (
  <>
    <StepHead
      title={t('Welcome to Safelight')}
      text={t('A few steps set up this server. Each can be skipped, and done later from Setup.')}
    />
    <section className="card">
      <h2 id="language">{t('Language')}</h2>
      <LanguageSelect labelledBy="language" />
    </section>
  </>
);
