// Completes airports by code, city or name, without accents, in either language: an editable combobox with a list (WAI-ARIA
// Authoring Practices). Without this script the field is a plain one, with the browser's own list.
const SHOWN = 8;

const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

const list = document.getElementById('airports');
const airports = [...(list?.options ?? [])].map(({ value, dataset }) => {
  const { city, name, code, also = '' } = dataset;
  return { value, city, name, code, cities: [fold(city), fold(also)], words: fold(`${city} ${also} ${name}`) };
});

/** Lower is better; undefined: not meant. */
function rank({ code, cities, words }, text) {
  if (code.toLowerCase() === text) return 0;
  if (cities.some((city) => city.startsWith(text))) return 1;
  if (words.split(/[\s\-–]+/).some((word) => word.startsWith(text))) return 2;
  if (code.toLowerCase().startsWith(text)) return 3;
  return text.length > 2 && words.includes(text) ? 4 : undefined;
}

function matching(typed) {
  const text = fold(typed);
  if (text === '') return [];
  return airports
    .map((airport) => ({ airport, rank: rank(airport, text) }))
    .filter((each) => each.rank !== undefined)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, SHOWN)
    .map(({ airport }) => airport);
}

function combobox(input) {
  const box = document.createElement('ul');
  const status = document.createElement('span');
  const { one, many, none } = list.dataset;
  let found = [];
  let active = -1;

  box.id = `${input.id}-list`;
  box.className = 'choices';
  box.setAttribute('role', 'listbox');
  box.setAttribute('aria-label', input.labels[0].textContent);
  box.hidden = true;
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  input.removeAttribute('list');
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-expanded', 'false');
  input.setAttribute('aria-controls', box.id);
  input.after(box, status);

  const close = () => {
    box.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (index) => {
    active = index;
    [...box.children].forEach((option, at) => option.setAttribute('aria-selected', String(at === index)));
    if (index < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', box.children[index].id);
    box.children[index].scrollIntoView({ block: 'nearest' });
  };
  const choose = (index) => {
    input.value = found[index].value;
    close();
  };
  const open = () => {
    found = matching(input.value);
    box.replaceChildren(
      ...found.map(({ city, name, code }, index) => {
        const option = document.createElement('li');
        const [place, airport, letters] = ['strong', 'span', 'span'].map((tag) => document.createElement(tag));
        option.id = `${box.id}-${index}`;
        option.setAttribute('role', 'option');
        place.textContent = city;
        airport.textContent = name;
        airport.className = 'quiet';
        letters.textContent = code;
        letters.className = 'code';
        option.append(place, ' ', airport, ' ', letters);
        // The field keeps the focus.
        option.addEventListener('mousedown', (event) => event.preventDefault());
        option.addEventListener('click', () => choose(index));
        return option;
      }),
    );
    mark(-1);
    box.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(!box.hidden));
    const text = found.length === 0 ? none : found.length === 1 ? one : many.replace('{count}', found.length);
    status.textContent = input.value.trim() === '' ? '' : text;
  };

  input.addEventListener('input', open);
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (box.hidden) open();
      // Up from the first and down from the last lead back to what was typed.
      if (!box.hidden) mark(((active + 1 + step + found.length + 1) % (found.length + 1)) - 1);
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === 'Escape' && !box.hidden) {
      event.preventDefault();
      close();
    }
  });
}

if (airports.length > 0) for (const input of document.querySelectorAll('input[list=airports]')) combobox(input);
