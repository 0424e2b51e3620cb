// Models by name, where a name has to be kept short.
const byName = new Intl.Collator(undefined, { numeric: true });

/** Add an option for every model, after those that the page came with. */
export function fillWithModels(select, models) {
  const sorted = [...models].sort((left, right) => byName.compare(left.label, right.label));
  select.append(...sorted.map(({ id, label }) => new Option(shortened(label), id)));
}

/** A name cut to whole words where it is too long for its place; the same as generator/views/formats.py. */
export function shortened(label, limit = 60) {
  const letters = [...label];
  if (letters.length <= limit) return label;
  const start = letters.slice(0, limit - 1);
  const space = start.lastIndexOf(" ");
  return `${(space >= limit / 2 ? start.slice(0, space) : start).join("").trimEnd()}…`;
}
