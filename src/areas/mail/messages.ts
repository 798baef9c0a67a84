import type { Language } from '../../core/languages.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';

type Text = {
  readonly subject: string;
  /** Paragraphs are separated by empty lines. */
  readonly body: string;
};

/** Texts of mail; `button` opens the page that the message is about. */
type Messages = Readonly<Record<MailTemplate, Text & { readonly button: string }>> & {
  readonly test: Text;
};

export const MESSAGES: Readonly<Record<Language, Messages>> = {
  en: {
    welcome: {
      subject: 'Welcome to Safelight',
      body: 'Hello {displayName},\n\nan account has been made for you. Log in with {username} and the password that your administrator gives you.',
      button: 'Log in',
    },
    'album-invite': {
      subject: 'You have been added to the album {albumName}',
      body: 'Hello {recipientName},\n\n{senderName} has added you to the album “{albumName}”.',
      button: 'Open the album',
    },
    'album-update': {
      subject: 'New pictures in the album {albumName}',
      body: 'Hello {recipientName},\n\nthere are new pictures in the album “{albumName}”.',
      button: 'Open the album',
    },
    workflow: {
      subject: '{subject}',
      body: 'Hello {recipientName},\n\n{message}\n\nPhotos and videos: {count}',
      button: 'Show the newest',
    },
    test: {
      subject: 'Test message from Safelight',
      body: 'Hello {displayName},\n\nmail from Safelight reaches you.',
    },
  },
  de: {
    welcome: {
      subject: 'Willkommen bei Safelight',
      body: 'Hallo {displayName},\n\nfür dich wurde ein Konto angelegt. Melde dich mit {username} und dem Passwort an, das du von deinem Administrator bekommst.',
      button: 'Anmelden',
    },
    'album-invite': {
      subject: 'Du wurdest zum Album {albumName} hinzugefügt',
      body: 'Hallo {recipientName},\n\n{senderName} hat dich zum Album „{albumName}“ hinzugefügt.',
      button: 'Album öffnen',
    },
    'album-update': {
      subject: 'Neue Bilder im Album {albumName}',
      body: 'Hallo {recipientName},\n\nim Album „{albumName}“ gibt es neue Bilder.',
      button: 'Album öffnen',
    },
    workflow: {
      subject: '{subject}',
      body: 'Hallo {recipientName},\n\n{message}\n\nFotos und Videos: {count}',
      button: 'Das neueste zeigen',
    },
    test: {
      subject: 'Testnachricht von Safelight',
      body: 'Hallo {displayName},\n\nE-Mails von Safelight erreichen dich.',
    },
  },
  fr: {
    welcome: {
      subject: 'Bienvenue sur Safelight',
      body: 'Bonjour {displayName},\n\nun compte a été créé pour vous. Connectez-vous avec {username} et le mot de passe que votre administrateur vous donnera.',
      button: 'Se connecter',
    },
    'album-invite': {
      subject: 'Vous avez été ajouté à l’album {albumName}',
      body: 'Bonjour {recipientName},\n\n{senderName} vous a ajouté à l’album « {albumName} ».',
      button: 'Ouvrir l’album',
    },
    'album-update': {
      subject: 'Nouvelles photos dans l’album {albumName}',
      body: 'Bonjour {recipientName},\n\nil y a de nouvelles photos dans l’album « {albumName} ».',
      button: 'Ouvrir l’album',
    },
    workflow: {
      subject: '{subject}',
      body: 'Bonjour {recipientName},\n\n{message}\n\nPhotos et vidéos : {count}',
      button: 'Afficher la plus récente',
    },
    test: {
      subject: 'Message de test de Safelight',
      body: 'Bonjour {displayName},\n\nles e-mails de Safelight vous parviennent.',
    },
  },
  es: {
    welcome: {
      subject: 'Te damos la bienvenida a Safelight',
      body: 'Hola, {displayName}:\n\nSe ha creado una cuenta para ti. Inicia sesión con {username} y la contraseña que te dará tu administrador.',
      button: 'Iniciar sesión',
    },
    'album-invite': {
      subject: 'Te han añadido al álbum {albumName}',
      body: 'Hola, {recipientName}:\n\n{senderName} te ha añadido al álbum «{albumName}».',
      button: 'Abrir el álbum',
    },
    'album-update': {
      subject: 'Fotos nuevas en el álbum {albumName}',
      body: 'Hola, {recipientName}:\n\nHay fotos nuevas en el álbum «{albumName}».',
      button: 'Abrir el álbum',
    },
    workflow: {
      subject: '{subject}',
      body: 'Hola, {recipientName}:\n\n{message}\n\nFotos y vídeos: {count}',
      button: 'Mostrar lo más reciente',
    },
    test: {
      subject: 'Mensaje de prueba de Safelight',
      body: 'Hola, {displayName}:\n\nEl correo de Safelight te llega.',
    },
  },
  nl: {
    welcome: {
      subject: 'Welkom bij Safelight',
      body: 'Hallo {displayName},\n\ner is een account voor je gemaakt. Log in met {username} en het wachtwoord dat je van je beheerder krijgt.',
      button: 'Inloggen',
    },
    'album-invite': {
      subject: 'Je bent toegevoegd aan het album {albumName}',
      body: 'Hallo {recipientName},\n\n{senderName} heeft je toegevoegd aan het album “{albumName}”.',
      button: 'Album openen',
    },
    'album-update': {
      subject: 'Nieuwe foto’s in het album {albumName}',
      body: 'Hallo {recipientName},\n\ner zijn nieuwe foto’s in het album “{albumName}”.',
      button: 'Album openen',
    },
    workflow: {
      subject: '{subject}',
      body: 'Hallo {recipientName},\n\n{message}\n\nFoto’s en video’s: {count}',
      button: 'De nieuwste tonen',
    },
    test: {
      subject: 'Testbericht van Safelight',
      body: 'Hallo {displayName},\n\ne-mail van Safelight komt bij je aan.',
    },
  },
  pl: {
    welcome: {
      subject: 'Witamy w Safelight',
      body: 'Cześć {displayName},\n\nutworzono dla Ciebie konto. Zaloguj się jako {username} hasłem, które poda Ci administrator.',
      button: 'Zaloguj się',
    },
    'album-invite': {
      subject: 'Masz dostęp do albumu {albumName}',
      body: 'Cześć {recipientName},\n\n{senderName} udostępnia Ci album „{albumName}”.',
      button: 'Otwórz album',
    },
    'album-update': {
      subject: 'Nowe zdjęcia w albumie {albumName}',
      body: 'Cześć {recipientName},\n\nw albumie „{albumName}” są nowe zdjęcia.',
      button: 'Otwórz album',
    },
    workflow: {
      subject: '{subject}',
      body: 'Cześć {recipientName},\n\n{message}\n\nZdjęcia i filmy: {count}',
      button: 'Pokaż najnowsze',
    },
    test: {
      subject: 'Wiadomość testowa z Safelight',
      body: 'Cześć {displayName},\n\npoczta z Safelight do Ciebie dociera.',
    },
  },
  it: {
    welcome: {
      subject: 'Ti diamo il benvenuto in Safelight',
      body: 'Ciao {displayName},\n\nè stato creato un account per te. Accedi con {username} e la password che ti darà il tuo amministratore.',
      button: 'Accedi',
    },
    'album-invite': {
      subject: 'Sei nell’album {albumName}',
      body: 'Ciao {recipientName},\n\n{senderName} ti ha aggiunto all’album «{albumName}».',
      button: 'Apri l’album',
    },
    'album-update': {
      subject: 'Nuove foto nell’album {albumName}',
      body: 'Ciao {recipientName},\n\nci sono nuove foto nell’album «{albumName}».',
      button: 'Apri l’album',
    },
    workflow: {
      subject: '{subject}',
      body: 'Ciao {recipientName},\n\n{message}\n\nFoto e video: {count}',
      button: 'Mostra il più recente',
    },
    test: {
      subject: 'Messaggio di prova da Safelight',
      body: 'Ciao {displayName},\n\nla posta di Safelight ti arriva.',
    },
  },
  'pt-BR': {
    welcome: {
      subject: 'Boas-vindas ao Safelight',
      body: 'Olá, {displayName}.\n\nUma conta foi criada para você. Entre com {username} e a senha que o administrador vai informar.',
      button: 'Entrar',
    },
    'album-invite': {
      subject: 'Você agora faz parte do álbum {albumName}',
      body: 'Olá, {recipientName}.\n\n{senderName} adicionou você ao álbum “{albumName}”.',
      button: 'Abrir o álbum',
    },
    'album-update': {
      subject: 'Novas fotos no álbum {albumName}',
      body: 'Olá, {recipientName}.\n\nHá novas fotos no álbum “{albumName}”.',
      button: 'Abrir o álbum',
    },
    workflow: {
      subject: '{subject}',
      body: 'Olá, {recipientName}!\n\n{message}\n\nFotos e vídeos: {count}',
      button: 'Mostrar o mais recente',
    },
    test: {
      subject: 'Mensagem de teste do Safelight',
      body: 'Olá, {displayName}.\n\nOs e-mails do Safelight chegam até você.',
    },
  },
  'zh-CN': {
    welcome: {
      subject: '欢迎使用 Safelight',
      body: '{displayName}，您好：\n\n已为您创建账户。请使用 {username} 和管理员提供的密码登录。',
      button: '登录',
    },
    'album-invite': {
      subject: '您已被添加到相册 {albumName}',
      body: '{recipientName}，您好：\n\n{senderName} 已将您添加到相册“{albumName}”。',
      button: '打开相册',
    },
    'album-update': {
      subject: '相册 {albumName} 中有新照片',
      body: '{recipientName}，您好：\n\n相册“{albumName}”中有新照片。',
      button: '打开相册',
    },
    workflow: {
      subject: '{subject}',
      body: '{recipientName}，您好！\n\n{message}\n\n照片和视频：{count}',
      button: '查看最新项目',
    },
    test: {
      subject: '来自 Safelight 的测试邮件',
      body: '{displayName}，您好：\n\n您可以收到 Safelight 的邮件。',
    },
  },
  ja: {
    welcome: {
      subject: 'Safelight へようこそ',
      body: '{displayName} 様\n\nあなたのアカウントが作成されました。{username} と管理者から伝えられるパスワードでログインしてください。',
      button: 'ログイン',
    },
    'album-invite': {
      subject: 'アルバム「{albumName}」に追加されました',
      body: '{recipientName} 様\n\n{senderName} さんがあなたをアルバム「{albumName}」に追加しました。',
      button: 'アルバムを開く',
    },
    'album-update': {
      subject: 'アルバム「{albumName}」に新しい写真があります',
      body: '{recipientName} 様\n\nアルバム「{albumName}」に新しい写真があります。',
      button: 'アルバムを開く',
    },
    workflow: {
      subject: '{subject}',
      body: '{recipientName} 様\n\n{message}\n\n写真と動画: {count} 件',
      button: '最新のものを表示',
    },
    test: {
      subject: 'Safelight からのテストメール',
      body: '{displayName} 様\n\nSafelight のメールは届いています。',
    },
  },
};
