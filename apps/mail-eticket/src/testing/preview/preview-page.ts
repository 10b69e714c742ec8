import { PREVIEW_KINDS, PREVIEW_LANGUAGES, PREVIEW_SHAPES } from './preview-mails.js';

const options = (name: string, values: readonly string[]): string =>
  `<label>${name}<select name="${name}">${values.map((value) => `<option>${value}</option>`).join('')}</select></label>`;

/** The page round the mail: what to see, how wide, and a reload when a template changes. */
export const PREVIEW_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Mail preview</title>
<style>
body{margin:0;font:15px/1.4 system-ui,sans-serif;height:100vh;display:flex;flex-direction:column;background:Canvas;color:CanvasText}
form{display:flex;flex-wrap:wrap;gap:14px;padding:10px 16px;border-bottom:1px solid #8884;align-items:end}
label{display:grid;gap:2px;font-size:12px;opacity:.9}select{font:inherit;font-size:15px;padding:4px 6px}
iframe{flex:1;border:0;width:100%;margin:0 auto;background:#fff}output{margin-left:auto;opacity:.7}
</style>
<form>${options('shape', PREVIEW_SHAPES)}${options('kind', PREVIEW_KINDS)}${options('language', PREVIEW_LANGUAGES)}${options(
  'part',
  ['html', 'text', 'pdf', 'calendar', 'source'],
)}${options('width', ['desktop', 'phone'])}<output></output></form>
<iframe title="The mail"></iframe>
<script>
const form = document.querySelector('form'), frame = document.querySelector('iframe'), said = document.querySelector('output');
const wanted = new URLSearchParams(location.hash.slice(1));
for (const [name, value] of wanted) if (form.elements[name]) form.elements[name].value = value;
function show() {
  const choice = new URLSearchParams(new FormData(form));
  history.replaceState(null, '', '#' + choice);
  frame.style.maxWidth = choice.get('width') === 'phone' ? '390px' : 'none';
  frame.src = '/mail?' + choice;
}
form.addEventListener('change', show);
new EventSource('/changes').onmessage = () => { said.textContent = 'reloaded ' + new Date().toLocaleTimeString(); show(); };
show();
</script></html>`;
