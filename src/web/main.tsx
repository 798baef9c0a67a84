document.body.append('Safelight');
