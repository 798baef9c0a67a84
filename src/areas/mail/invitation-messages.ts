import type { Language } from '../../core/languages.ts';

type InvitationText = {
  readonly subject: string;
  /** Paragraphs are separated by empty lines. */
  readonly body: string;
  readonly button: string;
};

/** Texts of the mail to a person who has no account yet. */
export const INVITATION_MESSAGES: Readonly<Record<Language, InvitationText>> = {
  en: {
    subject: 'Your invitation to Safelight',
    body: 'Hello {displayName},\n\n{senderName} invites you to share photos on Safelight. Open the link and choose a password: your account is ready then.\n\nThe link works once, until {until}. Do not pass it on.',
    button: 'Accept the invitation',
  },
  de: {
    subject: 'Deine Einladung zu Safelight',
    body: 'Hallo {displayName},\n\n{senderName} lädt dich ein, Fotos auf Safelight zu teilen. Öffne den Link und wähle ein Passwort: Dann ist dein Konto bereit.\n\nDer Link gilt einmal, bis {until}. Gib ihn nicht weiter.',
    button: 'Einladung annehmen',
  },
  fr: {
    subject: 'Votre invitation à Safelight',
    body: 'Bonjour {displayName},\n\n{senderName} vous invite à partager des photos sur Safelight. Ouvrez le lien et choisissez un mot de passe : votre compte est alors prêt.\n\nLe lien fonctionne une seule fois, jusqu’au {until}. Ne le transmettez pas.',
    button: 'Accepter l’invitation',
  },
  es: {
    subject: 'Tu invitación a Safelight',
    body: 'Hola, {displayName}:\n\n{senderName} te invita a compartir fotos en Safelight. Abre el enlace y elige una contraseña: tu cuenta quedará lista.\n\nEl enlace funciona una sola vez, hasta el {until}. No lo compartas.',
    button: 'Aceptar la invitación',
  },
  nl: {
    subject: 'Je uitnodiging voor Safelight',
    body: 'Hallo {displayName},\n\n{senderName} nodigt je uit om foto’s te delen op Safelight. Open de link en kies een wachtwoord: je account is dan klaar.\n\nDe link werkt één keer, tot {until}. Stuur hem niet door.',
    button: 'Uitnodiging accepteren',
  },
  pl: {
    subject: 'Twoje zaproszenie do Safelight',
    body: 'Cześć {displayName},\n\n{senderName} zaprasza Cię do udostępniania zdjęć w Safelight. Otwórz link i wybierz hasło, a Twoje konto będzie gotowe.\n\nLink działa jeden raz, do {until}. Nie przekazuj go dalej.',
    button: 'Przyjmij zaproszenie',
  },
  it: {
    subject: 'Il tuo invito a Safelight',
    body: 'Ciao {displayName},\n\n{senderName} ti invita a condividere foto su Safelight. Apri il link e scegli una password: il tuo account sarà pronto.\n\nIl link funziona una sola volta, fino al {until}. Non inoltrarlo.',
    button: 'Accetta l’invito',
  },
  'pt-BR': {
    subject: 'Seu convite para o Safelight',
    body: 'Olá, {displayName}.\n\n{senderName} convida você a compartilhar fotos no Safelight. Abra o link e escolha uma senha: sua conta estará pronta.\n\nO link funciona uma única vez, até {until}. Não o repasse.',
    button: 'Aceitar o convite',
  },
  'zh-CN': {
    subject: '您的 Safelight 邀请',
    body: '{displayName}，您好：\n\n{senderName} 邀请您在 Safelight 上共享照片。请打开链接并设置密码，之后您的账户即可使用。\n\n该链接只能使用一次，有效期至 {until}。请勿转发。',
    button: '接受邀请',
  },
  ja: {
    subject: 'Safelight への招待',
    body: '{displayName} 様\n\n{senderName} さんが Safelight での写真の共有に招待しています。リンクを開いてパスワードを決めると、アカウントが使えるようになります。\n\nリンクは一度だけ使え、{until} まで有効です。転送しないでください。',
    button: '招待を受ける',
  },
};
