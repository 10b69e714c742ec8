import { parseArgs } from 'node:util';
import { PREVIEW_CHOICES } from './preview-mails.js';
import { findBrowser, takePictures } from './preview-pictures.js';
import { startPreview } from './preview-server.js';

const DEFAULT_PORT = 3010;

const { values } = parseArgs({
  options: { pictures: { type: 'string' }, shape: { type: 'string' }, port: { type: 'string' } },
});

if (values.pictures === undefined) {
  const { url } = await startPreview(Number(values.port ?? DEFAULT_PORT));
  process.stdout.write(
    `Mails at ${url} – they reload when a file in apps/mail-eticket/templates changes. Ctrl+C ends.\n`,
  );
} else {
  const browser = findBrowser();
  if (browser === undefined) {
    process.stderr.write('Pictures need a Chromium: install one, or name it in CHROMIUM.\n');
    process.exitCode = 1;
  } else {
    const server = await startPreview(0);
    const wanted = PREVIEW_CHOICES.filter(({ shape }) => values.shape === undefined || shape === values.shape);
    for (const choice of wanted) {
      for (const file of await takePictures(browser, server.url, choice, values.pictures))
        process.stdout.write(`${file}\n`);
    }
    await server.close();
  }
}
