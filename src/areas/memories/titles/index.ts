export { pickLanguage } from './language.ts';
export { type Language, LANGUAGES } from './messages.ts';
export { composeTitle, type Title, type TitleInput } from './title.ts';
