/**
 * What Slack refuses: blocks and modals beyond the limits that Slack's reference of Block Kit names. Only what this library draws is known;
 * anything else is a problem, too.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The most characters of all texts in a message's blocks. Slack names no number; longer ones were refused as `msg_blocks_too_long`. */
const mostText = 13_000;

/** What is wrong with the blocks of a message or a modal, each with its path. */
export function problemsOfBlocks(blocks: unknown, surface: 'message' | 'modal'): string[] {
  const problems: string[] = [];
  if (!Array.isArray(blocks)) return ['blocks: no list'];
  const most = surface === 'modal' ? 100 : 50;
  if (blocks.length > most) problems.push(`blocks: ${blocks.length}, at most ${most}`);
  const blockIds = new Set<unknown>();
  let actionIds = new Set<unknown>(); // each is unique in its block
  let length = 0;
  const check = (isRight: boolean, path: string, what: string): void => {
    if (!isRight) problems.push(`${path}: ${what}`);
  };
  const text = (
    value: unknown,
    path: string,
    max: number,
    types: readonly string[] = ['plain_text', 'mrkdwn'],
  ): void => {
    const { type, text: content, emoji } = fields(value);
    check(types.includes(String(type)), path, `type ${String(type)}`);
    check(typeof content === 'string' && content.length >= 1, path, 'empty');
    check(String(content).length <= max, path, `${String(content).length} characters, at most ${max}`);
    check(type === 'plain_text' || emoji === undefined, path, 'emoji in mrkdwn');
    check(!/&(?!amp;|lt;|gt;)|[<>]/.test(String(content)) || type === 'mrkdwn', path, 'not escaped');
    length += String(content).length;
  };
  const id = (value: unknown, path: string, seen: Set<unknown>): void => {
    if (value === undefined) return;
    check(typeof value === 'string' && value.length >= 1 && value.length <= 255, path, 'no id of 1 to 255 characters');
    check(!seen.has(value), path, `${String(value)} is there twice`);
    seen.add(value);
  };
  const options = (value: unknown, path: string, most: number): void => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    check(list.length >= 1 && list.length <= most, path, `${list.length} options, 1 to ${most} are allowed`);
    const values = new Set<unknown>();
    for (const [i, option] of list.entries()) {
      const { text: label, value: own, description } = fields(option);
      text(label, `${path}[${i}].text`, 75);
      check(
        typeof own === 'string' && own.length >= 1 && own.length <= 150,
        `${path}[${i}].value`,
        '1 to 150 characters',
      );
      check(!values.has(own), `${path}[${i}].value`, 'twice');
      values.add(own);
      if (description !== undefined) text(description, `${path}[${i}].description`, 75);
    }
  };
  const element = (value: unknown, path: string, where: 'actions' | 'input' | 'section'): void => {
    const all = fields(value);
    id(all['action_id'], `${path}.action_id`, actionIds);
    if (all['placeholder'] !== undefined) text(all['placeholder'], `${path}.placeholder`, 150, ['plain_text']);
    switch (all['type']) {
      case 'button': {
        check(where !== 'input', path, 'a button in an input');
        text(all['text'], `${path}.text`, 75, ['plain_text']);
        const { value: own, url, style } = all;
        check(own === undefined || (typeof own === 'string' && own.length <= 2_000), `${path}.value`, 'over 2000');
        check(url === undefined || (typeof url === 'string' && url.length <= 3_000), `${path}.url`, 'over 3000');
        check([undefined, 'primary', 'danger'].includes(style as never), `${path}.style`, String(style));
        break;
      }
      case 'static_select':
      case 'multi_static_select': {
        const { option_groups: groups, options: own, max_selected_items: max } = all;
        check((groups === undefined) !== (own === undefined), path, 'either options or option_groups');
        check(max === undefined || Number(max) >= 1, `${path}.max_selected_items`, 'less than 1');
        if (own !== undefined) options(own, `${path}.options`, 100);
        if (!Array.isArray(groups)) break;
        check(groups.length <= 100, `${path}.option_groups`, 'over 100');
        for (const [i, group] of groups.entries()) {
          text(fields(group)['label'], `${path}.option_groups[${i}].label`, 75, ['plain_text']);
          options(fields(group)['options'], `${path}.option_groups[${i}].options`, 100);
        }
        break;
      }
      case 'radio_buttons':
      case 'checkboxes':
        options(all['options'], `${path}.options`, 10);
        break;
      case 'plain_text_input': {
        check(where === 'input', path, 'only in an input');
        const { max_length: max } = all;
        check(max === undefined || Number(max) <= 3_000, `${path}.max_length`, 'over 3000');
        break;
      }
      case 'number_input':
        check(
          where === 'input' && typeof all['is_decimal_allowed'] === 'boolean',
          path,
          'is_decimal_allowed is needed',
        );
        break;
      case 'email_text_input':
      case 'datepicker':
      case 'timepicker':
        break;
      default:
        problems.push(`${path}: the element ${String(all['type'])} is unknown`);
    }
  };
  for (const [i, block] of blocks.entries()) {
    const path = `blocks[${i}]`;
    const all = fields(block);
    actionIds = new Set();
    id(all['block_id'], `${path}.block_id`, blockIds);
    switch (all['type']) {
      case 'section': {
        const { text: own, fields: several, accessory } = all;
        check(own !== undefined || several !== undefined, path, 'neither text nor fields');
        if (own !== undefined) text(own, `${path}.text`, 3_000);
        if (several !== undefined) {
          const list: readonly unknown[] = Array.isArray(several) ? several : [];
          check(list.length >= 1 && list.length <= 10, `${path}.fields`, '1 to 10');
          for (const [n, field] of list.entries()) text(field, `${path}.fields[${n}]`, 2_000);
        }
        if (accessory !== undefined) element(accessory, `${path}.accessory`, 'section');
        break;
      }
      case 'context': {
        const list: readonly unknown[] = Array.isArray(all['elements']) ? all['elements'] : [];
        check(list.length >= 1 && list.length <= 10, `${path}.elements`, '1 to 10');
        for (const [n, each] of list.entries()) text(each, `${path}.elements[${n}]`, 3_000);
        break;
      }
      case 'actions': {
        const list: readonly unknown[] = Array.isArray(all['elements']) ? all['elements'] : [];
        check(list.length >= 1 && list.length <= 25, `${path}.elements`, '1 to 25');
        for (const [n, each] of list.entries()) element(each, `${path}.elements[${n}]`, 'actions');
        break;
      }
      case 'input':
        check(surface === 'modal', path, 'an input belongs in a modal');
        text(all['label'], `${path}.label`, 2_000, ['plain_text']);
        if (all['hint'] !== undefined) text(all['hint'], `${path}.hint`, 2_000, ['plain_text']);
        element(all['element'], `${path}.element`, 'input');
        break;
      case 'header':
        text(all['text'], `${path}.text`, 150, ['plain_text']);
        break;
      case 'divider':
        break;
      default:
        problems.push(`${path}: the block ${String(all['type'])} is unknown`);
    }
  }
  if (surface === 'message' && length > mostText) problems.push(`blocks: ${length} characters in all`);
  return problems;
}

/** What is wrong with a modal. */
export function problemsOfView(view: unknown): string[] {
  const { type, title, submit, close, blocks, private_metadata: metadata, callback_id: callback } = fields(view);
  const problems = type === 'modal' ? problemsOfBlocks(blocks, 'modal') : [`view.type: ${String(type)}`];
  for (const [name, value] of Object.entries({ title, submit, close })) {
    if (value === undefined && name !== 'title') continue;
    const { type: kind, text } = fields(value);
    const isRight = kind === 'plain_text' && typeof text === 'string' && text.length >= 1 && text.length <= 24;
    if (!isRight) problems.push(`view.${name}: 1 to 24 characters of plain text`);
  }
  const hasInput = Array.isArray(blocks) && blocks.some((block) => fields(block)['type'] === 'input');
  if (hasInput && submit === undefined) problems.push('view.submit: needed with an input');
  if (metadata !== undefined && String(metadata).length > 3_000) problems.push('view.private_metadata: over 3000');
  if (callback !== undefined && String(callback).length > 255) problems.push('view.callback_id: over 255');
  return problems;
}

/** All that a person reads in blocks, as Slack draws it. */
export function readableText(blocks: readonly unknown[]): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const each of value) walk(each);
      return;
    }
    const { type, text, ...rest } = fields(value);
    if (typeof text === 'string' && (type === 'plain_text' || type === 'mrkdwn')) texts.push(unescaped(text));
    else if (text !== undefined) walk(text);
    for (const each of Object.values(rest)) if (typeof each === 'object' && each !== null) walk(each);
  };
  walk(blocks);
  return texts.join('\n');
}

/** The labels of buttons and options in blocks, with where they are. */
export interface DrawnControl {
  readonly label: string;
  readonly blockId: string;
  readonly element: Fields;
  /** For an option of a list. */
  readonly option?: Fields;
}

export function controlsIn(blocks: readonly unknown[]): DrawnControl[] {
  return blocks.flatMap((block) => {
    const { elements, accessory, element, block_id: blockId } = fields(block);
    const found: readonly unknown[] = [...(Array.isArray(elements) ? elements : []), accessory, element];
    return found.flatMap((each): DrawnControl[] => {
      const own = fields(each);
      const at = { blockId: String(blockId), element: own };
      if (own['type'] === 'button') return [{ ...at, label: labelOf(own) }];
      const groups = (own['option_groups'] as readonly Fields[] | undefined) ?? [];
      const options = [own['options'], ...groups.map((group) => group['options'])].flat().filter(Boolean) as Fields[];
      return options.map((option) => ({ ...at, option, label: labelOf(option) }));
    });
  });
}

function labelOf(value: Fields): string {
  return unescaped(String(fields(value['text'])['text']));
}

export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
