// A select that has every model of the board, by name.
const byName = new Intl.Collator(undefined, { numeric: true });

/** Add an option for every model, after those that the page came with. */
export function fillWithModels(select, models) {
  const sorted = [...models].sort((left, right) => byName.compare(left.label, right.label));
  select.append(...sorted.map(({ id, label }) => new Option(shortened(label), id)));
}

// An option's text cannot be clamped by a style sheet.
function shortened(label) {
  return label.length > 60 ? label.slice(0, 59) + "…" : label;
}
