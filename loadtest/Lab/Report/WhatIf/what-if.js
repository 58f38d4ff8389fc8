// The page with the sliders: when one moves, the newest setting is asked for, and what comes back takes the place of the charts.

const known = JSON.parse(document.getElementById('known').textContent);
const place = id => document.getElementById(id);
const stage = place('stage'), sliders = [...document.querySelectorAll('#knobs input[type=range]')];
const exact = slider => document.querySelector(`[data-of="${slider.id}"]`);
const shown = new Map(); // id → what stands there
let isAsking = false, isWanted = false, others = new Map(), addressLater;

// ---- From the sliders to an address, and back

function settings() {
  const parts = new URLSearchParams({ stage: stage.value });
  for (const slider of sliders) {
    const { value } = exact(slider), isChanged = value !== '' && Number(value) !== known.stages[stage.value][slider.id];
    slider.closest('.knob').classList.toggle('changed', isChanged);
    if (isChanged) parts.set(slider.id, value);
  }
  others.forEach((value, name) => parts.set(name, value));
  return parts;
}

function turnTo(slider, value) {
  exact(slider).value = value;
  slider.value = value;
}

function begin(parts) {
  const asked = parts.get('stage');
  if (Object.hasOwn(known.stages, asked)) stage.value = asked;
  others = new Map([...parts].filter(([name]) => name !== 'stage' && !sliders.some(slider => slider.id === name)));
  for (const slider of sliders) {
    const typed = parseFloat(parts.get(slider.id));
    turnTo(slider, Number.isNaN(typed) ? known.stages[stage.value][slider.id] : typed);
  }
  ask();
}

// ---- Questions and answers

// One question is under way at most; of those that come meanwhile only the newest is asked.
async function ask() {
  isWanted = true;
  if (isAsking) return;
  isAsking = true;
  while (isWanted) {
    isWanted = false;
    const parts = settings();
    try {
      const response = await fetch(`/what-if/answer?${parts}`);
      if (response.status === 200) show(await response.json(), parts); else refuse(await reason(response));
    } catch { refuse('The lab does not answer: it has ended. The settings are still in the address of this page.'); }
  }
  isAsking = false;
}

async function reason(response) {
  return response.headers.get('Content-Type')?.startsWith('application/json') ? (await response.json()).error : await response.text();
}

function show({ pieces, command }, parts) {
  refuse('');
  for (const [id, markup] of Object.entries(pieces)) {
    const element = place(id);
    // A reader that speaks says again what is put there again.
    if (shown.get(id) === markup) continue;
    shown.set(id, markup);
    element.innerHTML = markup;
    prepare(element);
  }
  place('command').textContent = command;
  clearTimeout(addressLater);
  // Browsers take a few new addresses a second, and a hand moves a slider faster.
  addressLater = setTimeout(() => history.replaceState(null, '', `${location.pathname}?${parts}`), 150);
}

function refuse(why) { if (place('mistake').textContent !== why) place('mistake').textContent = why; }

// ---- What a person does

for (const slider of sliders) {
  slider.addEventListener('input', () => { exact(slider).value = slider.value; ask(); });
  exact(slider).addEventListener('input', () => { slider.value = exact(slider).value; ask(); });
}
stage.addEventListener('change', () => begin(new URLSearchParams({ stage: stage.value })));
place('reset').addEventListener('click', () => begin(new URLSearchParams({ stage: stage.value })));
place('knobs').addEventListener('submit', event => event.preventDefault());

place('play').addEventListener('click', async () => {
  const played = place('played');
  played.textContent = 'Starting…';
  try {
    const response = await fetch(`/what-if/play?${settings()}`, { method: 'POST', headers: { 'X-Token': known.token } });
    if (response.status === 202) await follow(); else played.textContent = await reason(response);
  } catch { played.textContent = 'The lab does not answer: it has ended.'; }
});

// A run that this server started, by this page or before it was loaded again.
async function follow() {
  const played = place('played');
  try {
    for (let isRunning = true; isRunning; await new Promise(resolve => setTimeout(resolve, 1000))) {
      const response = await fetch('/what-if/run');
      if (response.status !== 200) break;
      const run = await response.json();
      isRunning = run.isRunning;
      place('play').disabled = isRunning;
      played.textContent = isRunning ? `It is being played; watch ${known.live}. ${run.lastLine}` : `It has ended with exit code ${run.exitCode}. ${run.lastLine}`;
    }
  } catch { played.textContent = 'The lab does not answer: it has ended.'; }
  place('play').disabled = false;
}

begin(new URLSearchParams(location.search));
if (known.live) follow();
