// How the parts of an object are laid out: on one line, in columns, or one entry a line.

const PLAIN = 0;
const ELEMENT = 1;
const LIST = 2;

const CELL_ASPECT = 2.5;
const MAX_COLUMNS = 15;
const MIN_GROUPED = 6;

/** How many columns a list of such cells looks best in: about a square, a cell being 2.5 times as high as wide. */
function columnCount(context, widest, total, count, allCount) {
  const bias = sqrt(widest - total / allCount);
  const biased = max(widest - 3 - bias, 1);
  return min(
    round(sqrt(CELL_ASPECT * biased * count) / biased),
    floor((context.breakLength - context.indentation) / widest),
    context.compact * 4,
    MAX_COLUMNS,
  );
}

function allNumeric(values, count) {
  for (let i = 0; i < count; i++) {
    if (typeof values[i] !== 'number' && typeof values[i] !== 'bigint') {
      return false;
    }
  }
  return true;
}

/**
 * Puts entries of a long list into lines of several columns. `values` are the listed elements where there are any: numbers
 * are aligned right. Returns `entries` itself when it does not pay.
 */
function groupEntries(context, entries, values) {
  const hasRest = context.maxArrayLength < entries.length;
  const count = hasRest ? entries.length - 1 : entries.length;
  const widths = [];
  let total = 0;
  let longest = 0;
  for (let i = 0; i < count; i++) {
    const width = displayWidth(entries[i]);
    append(widths, width);
    total += width + 2;
    longest = max(longest, width);
  }
  const widest = longest + 2;
  if (widest * 3 + context.indentation >= context.breakLength || (total / widest <= 5 && longest > 6)) {
    return entries;
  }
  const columns = columnCount(context, widest, total, count, entries.length);
  if (columns <= 1) {
    return entries;
  }
  const columnWidths = [];
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let i = column; i < count; i += columns) {
      width = max(width, widths[i]);
    }
    append(columnWidths, width + 2);
  }
  const alignRight = values === undefined || allNumeric(values, entries.length);
  const lines = [];
  for (let start = 0; start < count; start += columns) {
    append(lines, groupedLine(entries, widths, columnWidths, start, min(start + columns, count), alignRight));
  }
  if (hasRest) {
    append(lines, entries[count]);
  }
  return lines;
}

function groupedLine(entries, widths, columnWidths, start, end, alignRight) {
  let line = '';
  for (let i = start; i < end - 1; i++) {
    const width = columnWidths[i - start] + entries[i].length - widths[i];
    line += alignRight ? padStart(`${entries[i]}, `, width) : padEnd(`${entries[i]}, `, width);
  }
  const last = end - 1;
  return line + (alignRight ? padStart(entries[last], columnWidths[last - start] + entries[last].length - widths[last] - 2) : entries[last]);
}

/** Whether the entries fit into one line that begins `start` columns in. */
function fitsOneLine(context, entries, start, base) {
  let length = entries.length + start;
  if (length + entries.length > context.breakLength) {
    return false;
  }
  for (let i = 0; i < entries.length; i++) {
    length += entries[i].length;
    if (length > context.breakLength) {
      return false;
    }
  }
  return base === '' || !stringIncludes(base, '\n');
}

/** Joins the entries of one object between its braces. `level` is the depth of its entries. */
function layOut(context, entries, base, open, close, shape, level, values) {
  const count = entries.length;
  const lead = base === '' ? '' : `${base} `;
  if (context.compact >= 1) {
    if (shape === LIST && count > MIN_GROUPED) {
      entries = groupEntries(context, entries, values);
    }
    if (context.currentDepth - level < context.compact && count === entries.length) {
      const start = entries.length + context.indentation + open.length + base.length + 10;
      if (fitsOneLine(context, entries, start, base)) {
        const joined = joinStrings(entries, ', ');
        if (!stringIncludes(joined, '\n')) {
          return `${lead}${open} ${joined} ${close}`;
        }
      }
    }
  }
  const indent = `\n${repeat(' ', context.indentation)}`;
  return `${lead}${open}${indent}  ${joinStrings(entries, `,${indent}  `)}${indent}${close}`;
}
