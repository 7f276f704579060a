// console.table: rows and columns in box-drawing characters.

const TABLE_INDEX = '(index)';
const TABLE_ITERATION = '(iteration index)';
const TABLE_KEY = 'Key';
const TABLE_VALUES = 'Values';

function tableCell(value) {
  const wide = value !== null && typeof value === 'object' && !isArray(value) && typedArrayKind(value) === undefined &&
    ownEnumerableKeys(value).length > 2;
  return inspect(value, { __proto__: null, depth: wide ? -1 : 0, maxArrayLength: 3, breakLength: Infinity });
}

function tableRule(widths, left, middle, right) {
  const parts = [];
  for (let i = 0; i < widths.length; i++) {
    append(parts, repeat('─', widths[i] + 2));
  }
  return left + joinStrings(parts, middle) + right;
}

function tableRow(cells, widths) {
  let row = '│ ';
  for (let i = 0; i < cells.length; i++) {
    const text = cells[i];
    row += text + repeat(' ', widths[i] - displayWidth(text)) + (i === cells.length - 1 ? ' │' : ' │ ');
  }
  return row;
}

/** Draws columns of texts under their heads; a missing cell is empty. */
function drawTable(heads, columns) {
  const widths = [];
  let height = 0;
  for (let i = 0; i < heads.length; i++) {
    let width = displayWidth(heads[i]);
    height = max(height, columns[i].length);
    for (let j = 0; j < columns[i].length; j++) {
      width = max(width, columns[i][j] === undefined ? 0 : displayWidth(columns[i][j]));
    }
    append(widths, width);
  }
  let text = `${tableRule(widths, '┌', '┬', '┐')}\n${tableRow(heads, widths)}\n${tableRule(widths, '├', '┼', '┤')}\n`;
  for (let j = 0; j < height; j++) {
    const cells = [];
    for (let i = 0; i < heads.length; i++) {
      append(cells, columns[i][j] === undefined ? '' : columns[i][j]);
    }
    text += `${tableRow(cells, widths)}\n`;
  }
  return text + tableRule(widths, '└', '┴', '┘');
}

function iterationIndices(count) {
  const indices = [];
  for (let i = 0; i < count; i++) {
    append(indices, `${i}`);
  }
  return indices;
}

function mapTable(map) {
  const keys = [];
  const values = [];
  mapForEach(map, (value, key) => {
    append(keys, tableCell(key));
    append(values, tableCell(value));
  });
  return drawTable([TABLE_ITERATION, TABLE_KEY, TABLE_VALUES], [iterationIndices(keys.length), keys, values]);
}

function setTable(set) {
  const values = [];
  setForEach(set, (value) => append(values, tableCell(value)));
  return drawTable([TABLE_ITERATION, TABLE_VALUES], [iterationIndices(values.length), values]);
}

/** A table of rows; `properties`, an array, names the columns where given. */
function rowsTable(data, properties) {
  const rows = ownEnumerableKeys(data);
  const heads = [];
  const columns = new GuestMap();
  const values = [];
  let hasValues = false;
  for (let i = 0; i < rows.length; i++) {
    const row = data[rows[i]];
    const primitive = row === null || (typeof row !== 'object' && typeof row !== 'function');
    if (primitive && properties === undefined) {
      hasValues = true;
      values[i] = tableCell(row);
      continue;
    }
    const keys = properties || ownEnumerableKeys(row);
    for (let j = 0; j < keys.length; j++) {
      const key = `${keys[j]}`;
      if (!mapHas(columns, key)) {
        mapSet(columns, key, []);
        append(heads, key);
      }
      mapGet(columns, key)[i] = primitive || !hasOwn(row, key) ? '' : tableCell(row[key]);
    }
  }
  const ordered = ownEnumerableKeys(orderLikeKeys(heads));
  const cells = [rows];
  for (let i = 0; i < ordered.length; i++) {
    append(cells, mapGet(columns, ordered[i]));
  }
  splice(ordered, 0, 0, TABLE_INDEX);
  if (hasValues) {
    append(ordered, TABLE_VALUES);
    append(cells, values);
  }
  return drawTable(ordered, cells);
}

/** An object with these keys: its own order, integers first, is the order of the columns. */
function orderLikeKeys(names) {
  const object = createObject(null);
  for (let i = 0; i < names.length; i++) {
    object[names[i]] = true;
  }
  return object;
}

/** The table of an object, or undefined for a value that makes none. */
function tableText(data, properties) {
  if (data === null || typeof data !== 'object') {
    return undefined;
  }
  const kind = builtinKind(data);
  return kind === 'Map' ? mapTable(data) : kind === 'Set' ? setTable(data) : rowsTable(data, properties);
}
