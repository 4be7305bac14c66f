/** The page over plain HTTP, as a browser without scripts uses it. */
import { describe, expect, test } from 'vitest';
import { formOf, pageShop } from './page-kit.js';

describe('list and question', () => {
  test('what waits is listed, the soonest deadline first, and one is opened beside the list', async () => {
    const { asked, anna } = await pageShop();
    const sure = await asked('sure');
    const both = await asked('both');
    const list = await anna.load('/inbox');
    expect(list.status).toBe(200);
    expect(list.text.indexOf(`data-id="${both}"`)).toBeLessThan(list.text.indexOf(`data-id="${sure}"`));
    expect(list.text).toContain('<title>(2) Waiting · askback</title>');
    const opened = await anna.load(`/inbox/asks/${sure}`);
    expect(opened.text).toContain('<h1><bdi class="prose">Refund 48 EUR?</bdi></h1>');
    expect(opened.text).toContain('12345');
    expect(opened.text).not.toContain('margin 3');
    expect(opened.text).toContain('aria-current="true"');
  });

  test('an answer by form decides, and its repeat shows the recorded decision', async () => {
    const { asked, anna, phone } = await pageShop();
    const id = await asked('sure');
    const opened = await anna.load(`/inbox/asks/${id}`);
    const { action, fields } = formOf(opened.text, '/answer');
    fields.set('answer', 'yes');
    const first = await anna.post(action, fields);
    expect(first.status).toBe(303);
    const second = await anna.post(action, fields);
    expect(second.status).toBe(303);
    const result = await anna.load(second.headers.get('location') ?? '');
    expect(result.text).toContain('Answered: <bdi class="prose">Yes</bdi>');
    expect(result.text).toContain('Anna');
    expect(phone.texts()).toContain('Refunded.');
  });
});
