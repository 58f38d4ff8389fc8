// What the live page does beyond a report: it takes in what changed.

function put(id, markup) {
  const element = document.getElementById(id);
  if (!element) return;
  // Who has opened something or zoomed keeps it until it is closed.
  if (id !== 'stage' && element.querySelector('details[open], .values:not([hidden]), .reset:not([hidden])')) return;
  const hidden = [...element.querySelectorAll('.legend [aria-pressed=false]')].map(button => button.textContent);
  const focused = element.contains(document.activeElement) && document.activeElement.matches('figure > svg');
  const { seconds = null } = charts.get(element.querySelector('figure.chart > svg')) ?? {};
  element.innerHTML = markup;
  prepare(element);
  // The rest of what somebody is looking at goes over to the new drawing.
  element.querySelectorAll('.legend button').forEach(button => hidden.includes(button.textContent) && toggle(button));
  const drawing = element.querySelector('figure.chart > svg');
  if (drawing && seconds !== null) charts.get(drawing).mark(charts.get(drawing).seconds = seconds);
  if (focused) drawing?.focus({ preventScroll: true });
}

let shownStage;
const events = new EventSource('/events');
events.onmessage = message => {
  document.getElementById('lost').hidden = true;
  // The stage contains the places of the charts: it comes first. A new connection sends it again, which must not reset the charts.
  const { stage, ...pieces } = JSON.parse(message.data).pieces;
  if (stage !== undefined && stage !== shownStage) {
    put('stage', stage);
    shownStage = stage;
  }
  Object.entries(pieces).forEach(([id, markup]) => put(id, markup));
};
events.onerror = () => { document.getElementById('lost').hidden = false; };
